//! The signals that the launcher passes on to the hosts, and the one that tells it of the end of its monitor.
//!
//! The latter is SIGCONT: a process that somebody has stopped acts on no other signal.

use super::monitor;
use crate::error::LaunchError;
use rustix::process::{Signal, getpid, kill_process, set_parent_process_death_signal};
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::backend::SignalDelivery;
use signal_hook::iterator::exfiltrator::SignalOnly;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

/// The signals that are passed on, each with whether it ends the job.
const FORWARDED: &[(i32, Signal, bool)] = &[
    (SIGINT, Signal::INT, true),
    (SIGTERM, Signal::TERM, true),
    (SIGHUP, Signal::HUP, true),
    (SIGQUIT, Signal::QUIT, true),
    (SIGUSR1, Signal::USR1, false),
    (SIGUSR2, Signal::USR2, false),
];

/// Signals that have come. The descriptor is readable when there may be one.
pub(crate) struct Signals(SignalDelivery<UnixStream, SignalOnly>);

impl Signals {
    /// Listens from now on, except to signals that the caller of this program wants ignored.
    ///
    /// # Errors
    ///
    /// When a handler cannot be installed.
    pub(crate) fn listen() -> Result<Self, LaunchError> {
        let ignored = ignored();
        let wanted = FORWARDED
            .iter()
            .map(|(number, ..)| number)
            .filter(|&number| ignored >> (number - 1) & 1 == 0);
        let (read, write) = UnixStream::pair().map_err(LaunchError::Supervise)?;
        let wanted = wanted.chain(monitor::is_present().then_some(&SIGCONT));
        let signals = SignalDelivery::with_pipe(read, write, SignalOnly, wanted).map(Self);
        if monitor::is_present() {
            let told = set_parent_process_death_signal(Some(Signal::CONT));
            told.map_err(|error| LaunchError::Supervise(error.into()))?;
            // The monitor may have ended before: this signal makes `pending` look.
            let _ = kill_process(getpid(), Signal::CONT);
        }
        signals.map_err(LaunchError::Supervise)
    }

    /// A signal that ends the job and is not ignored: SIGTERM if possible, SIGKILL if all are ignored.
    pub(crate) fn to_end_by() -> Signal {
        let ignored = ignored();
        let heard = |(number, _, fatal): &&(i32, Signal, bool)| *fatal && ignored >> (number - 1) & 1 == 0;
        let ends = FORWARDED.iter().filter(heard);
        ends.max_by_key(|(number, ..)| *number)
            .map_or(Signal::KILL, |(_, signal, _)| *signal)
    }

    /// The signals since the last call, each with whether it ends the job.
    pub(crate) fn pending(&mut self) -> impl Iterator<Item = (Signal, bool)> {
        let known = |number| FORWARDED.iter().find(move |(n, ..)| *n == number);
        self.0.pending().filter_map(move |number| match known(number) {
            Some((_, signal, fatal)) => Some((*signal, *fatal)),
            None => monitor::has_ended().then(|| (Self::to_end_by(), true)),
        })
    }
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.get_read().as_fd()
    }
}

/// The mask of the signals that the caller wants ignored (`nohup`, background jobs of a shell). They stay ignored, here
/// and in the hosts.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}
