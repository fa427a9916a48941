//! The host's end of the out-of-band channel to the launcher.
//!
//! The protocol is that of [`simurgh_net::control`]. Any thread may send; only the thread that listens receives.

use super::end::wait_for_the_end;
use super::error::HostError;
use super::output::{self, say};
use super::pmi;
use rustix::io::FdFlags;
use simurgh_net::HostId;
use simurgh_net::auth::Secret;
use simurgh_net::control::{Channel, ControlError, FromHost, Received, ToHost, shortened};
use simurgh_net::job::JobSpec;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::OnceLock;

/// The channel; `None` if this is the only host of its job.
static CONTROL: OnceLock<Control> = OnceLock::new();

/// The connection to the launcher.
#[derive(Debug)]
pub(super) struct Control {
    pub(super) channel: Channel,
    /// The memory that the hosts of the job on this node share, if there is any.
    pub(super) memory: Option<OwnedFd>,
    pub(super) secret: Secret,
}

impl Control {
    /// Takes over the descriptors that the launcher has left for this host. Called once.
    pub(super) fn take_over(spec: &JobSpec) -> Result<Option<&'static Self>, HostError> {
        let Some(control) = &spec.control else {
            return Ok(None);
        };
        let channel = super::descriptor::owned(control.channel).ok_or(HostError::NoChannel)?;
        let output = super::descriptor::owned(control.output).ok_or(HostError::NoChannel)?;
        let memory = control.memory.map(|memory| {
            let memory = super::descriptor::owned(memory).ok_or(HostError::NoChannel)?;
            rustix::io::fcntl_setfd(&memory, FdFlags::CLOEXEC)
                .map_err(HostError::system("taking over memory"))?;
            Ok::<_, HostError>(memory)
        });
        let control = Self {
            channel: Channel::inherited(channel)?,
            memory: memory.transpose()?,
            secret: control.secret.clone(),
        };
        control.begin(&output).map(Some)
    }

    /// Uses this channel from now on. The hosts of the node take turns with their output by the lock of the file
    /// `output`. Called once.
    pub(super) fn begin(self, output: &OwnedFd) -> Result<&'static Self, HostError> {
        let control = CONTROL.get_or_init(|| self);
        output::share(output).map_err(HostError::system("sharing the output with other hosts"))?;
        Ok(control)
    }

    /// The channel, if there is one.
    pub(super) fn get() -> Option<&'static Self> {
        CONTROL.get()
    }

    /// The job's secret.
    pub(super) fn secret(&self) -> &Secret {
        &self.secret
    }

    /// The memory that the hosts of the job on this node share.
    pub(super) fn memory(&self) -> Option<BorrowedFd<'_>> {
        self.memory.as_ref().map(AsFd::as_fd)
    }

    /// Sends a message. If the launcher is gone, so is the job, and the thread that listens learns of it.
    pub(super) fn say(&self, message: &FromHost) {
        let _ = self.channel.send(message);
    }

    /// Sends a message that may be too long for the channel.
    pub(super) fn try_say(&self, message: &FromHost) -> Result<(), ControlError> {
        self.channel.send(message)
    }

    /// The next message of the launcher, if one has arrived.
    pub(super) fn hear(&self) -> Result<Option<Received<ToHost>>, ControlError> {
        self.channel.receive_from_launcher()
    }
}

impl AsFd for Control {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.channel.as_fd()
    }
}

/// Tells the user why the job ends. The launcher prints one of the reasons that its hosts report.
pub(super) fn give_up(status: u8, message: &str) {
    match Control::get() {
        Some(control) => {
            let message = shortened(message);
            control.say(&FromHost::Abort { status, message });
            if pmi::is_serving() {
                // A thread of this process (the broker) receives the message and ends the process.
                wait_for_the_end();
            }
        }
        None => say(message),
    }
}

/// Tells the launcher that the connection to another host is lost. The launcher knows whether that host has ended, and
/// how.
pub(super) fn lost(host: HostId, reason: &str) {
    if let Some(control) = Control::get() {
        let reason = shortened(reason);
        control.say(&FromHost::Lost { host, reason });
    }
}
