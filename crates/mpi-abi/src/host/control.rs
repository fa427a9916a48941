//! The host's end of its channel to the launcher.
//!
//! The protocol is [`simurgh_net::control`]'s. Any thread may say something, the main thread listens.

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

/// The channel; none if this is the only host of its job.
static CONTROL: OnceLock<Control> = OnceLock::new();

/// The way to the launcher.
#[derive(Debug)]
pub(super) struct Control {
    pub(super) channel: Channel,
    /// What the hosts of the job on this node share, if they do.
    pub(super) memory: Option<OwnedFd>,
    pub(super) secret: Secret,
}

impl Control {
    /// Takes over what the launcher has left for this host; called once.
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

    /// Uses this channel of a job from now on, whose hosts take turns with their output by this file; called once.
    pub(super) fn begin(self, output: &OwnedFd) -> Result<&'static Self, HostError> {
        let control = CONTROL.get_or_init(|| self);
        output::share(output).map_err(HostError::system("sharing the output with other hosts"))?;
        Ok(control)
    }

    /// What there is, if there is one.
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

    /// Says something to the launcher. If that is gone, so is the job: whoever listens learns of it.
    pub(super) fn say(&self, message: &FromHost) {
        let _ = self.channel.send(message);
    }

    /// Says something to the launcher that it may be too much to say.
    pub(super) fn try_say(&self, message: &FromHost) -> Result<(), ControlError> {
        self.channel.send(message)
    }

    /// Something that the launcher has said.
    pub(super) fn hear(&self) -> Result<Option<Received<ToHost>>, ControlError> {
        self.channel.receive_from_launcher()
    }
}

impl AsFd for Control {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.channel.as_fd()
    }
}

/// Tells the user why the job ends: through the launcher, which tells one reason of all that its hosts have.
pub(super) fn give_up(status: u8, message: &str) {
    match Control::get() {
        Some(control) => {
            let message = shortened(message);
            control.say(&FromHost::Abort { status, message });
            if pmi::is_serving() {
                // What we have said is heard by a thread of this process, which ends it.
                wait_for_the_end();
            }
        }
        None => say(message),
    }
}

/// Tells the launcher that another host will not be heard of any more. It knows whether that one has ended, and how.
pub(super) fn lost(host: HostId, reason: &str) {
    if let Some(control) = Control::get() {
        let reason = shortened(reason);
        control.say(&FromHost::Lost { host, reason });
    }
}
