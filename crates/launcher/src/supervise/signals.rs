//! Signals that the launcher passes on to the hosts.

use crate::error::LaunchError;
use rustix::process::Signal;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::backend::SignalDelivery;
use signal_hook::iterator::exfiltrator::SignalOnly;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

/// Signals that are passed on, with whether they end the job.
const FORWARDED: &[(i32, Signal, bool)] = &[
    (SIGINT, Signal::INT, true),
    (SIGTERM, Signal::TERM, true),
    (SIGHUP, Signal::HUP, true),
    (SIGQUIT, Signal::QUIT, true),
    (SIGUSR1, Signal::USR1, false),
    (SIGUSR2, Signal::USR2, false),
];

/// Signals that have come; the descriptor is readable when there may be one.
pub(crate) struct Signals(SignalDelivery<UnixStream, SignalOnly>);

impl Signals {
    /// Listens from now on, save to signals that the caller wants ignored.
    pub(crate) fn listen() -> Result<Self, LaunchError> {
        let ignored = ignored();
        let wanted = FORWARDED
            .iter()
            .map(|(number, ..)| number)
            .filter(|&number| ignored >> (number - 1) & 1 == 0);
        let (read, write) = UnixStream::pair().map_err(LaunchError::Supervise)?;
        SignalDelivery::with_pipe(read, write, SignalOnly, wanted)
            .map(Self)
            .map_err(LaunchError::Supervise)
    }

    /// A signal that ends the job and is listened to, SIGTERM if possible; SIGKILL if the caller wants all ignored.
    pub(crate) fn to_end_by() -> Signal {
        let ignored = ignored();
        let heard = |(number, _, fatal): &&(i32, Signal, bool)| *fatal && ignored >> (number - 1) & 1 == 0;
        let ends = FORWARDED.iter().filter(heard);
        ends.max_by_key(|(number, ..)| *number)
            .map_or(Signal::KILL, |(_, signal, _)| *signal)
    }

    /// What has come since the last call, with whether it ends the job.
    pub(crate) fn pending(&mut self) -> impl Iterator<Item = (Signal, bool)> {
        let known = |number| FORWARDED.iter().find(move |(n, ..)| *n == number);
        self.0
            .pending()
            .filter_map(known)
            .map(|(_, signal, fatal)| (*signal, *fatal))
    }
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.get_read().as_fd()
    }
}

/// Signals that the caller wants ignored (`nohup`, a shell's background jobs): they stay so, here and in the hosts.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}
