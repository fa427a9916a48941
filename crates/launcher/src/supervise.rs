//! Watching the host until it ends.
//!
//! The launcher's process is the host's parent for as long as it lives: the host asks the kernel to be killed when its
//! parent ends, so even `kill -9` of the launcher leaves nothing. Other signals are passed on to the host, which ends
//! the job and flushes the ranks' output; if it does not do so within [`GRACE`] it is killed. Processes that ranks have
//! started are inherited (the launcher is a subreaper) and, if the job ended badly, killed.

use crate::error::LaunchError;
use rustix::process::{Pid, PidfdFlags, Signal, WaitOptions};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::Signals;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::Arc;
use std::time::Duration;

/// Time that the host has to end after a signal.
pub const GRACE: Duration = Duration::from_millis(500);

/// Signals that are passed on, with whether they end the job.
const FORWARDED: &[(i32, Signal, bool)] = &[
    (SIGINT, Signal::INT, true),
    (SIGTERM, Signal::TERM, true),
    (SIGHUP, Signal::HUP, true),
    (SIGQUIT, Signal::QUIT, true),
    (SIGUSR1, Signal::USR1, false),
    (SIGUSR2, Signal::USR2, false),
];

/// Runs the host to its end and returns the status that the launcher has to exit with.
///
/// It must be called on the main thread: the kernel takes the end of the thread that started the host for the end of
/// the host's parent.
pub fn supervise(host: &mut Command) -> Result<u8, LaunchError> {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))
        .map_err(|error| LaunchError::Supervise(error.into()))?;
    let ignored = ignored_signals();
    let wanted = FORWARDED
        .iter()
        .map(|(number, ..)| number)
        .filter(|&number| ignored >> (number - 1) & 1 == 0);
    // Before the host starts, so that no signal is lost between.
    let signals = Signals::new(wanted).map_err(LaunchError::Supervise)?;
    let mut child = host.spawn().map_err(|source| LaunchError::Start {
        host: host.get_program().into(),
        source,
    })?;
    let handle = forward(signals, &child)?;
    let status = child.wait().map_err(LaunchError::Supervise)?;
    handle.close();
    if !status.success() {
        kill_inherited();
    }
    Ok(exit_status(status))
}

/// Signals that the caller wants ignored (`nohup`, a shell's background jobs): they stay so, here and in the host.
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}

/// Passes signals on to the host from a thread of its own.
fn forward(mut signals: Signals, child: &Child) -> Result<signal_hook::iterator::Handle, LaunchError> {
    let pid = Pid::from_child(child);
    let host = rustix::process::pidfd_open(pid, PidfdFlags::empty())
        .map_err(|e| LaunchError::Supervise(e.into()))?;
    let host = Arc::new(host);
    let handle = signals.handle();
    let forwarder = move || {
        for number in signals.forever() {
            if let Some((_, signal, fatal)) = FORWARDED.iter().find(|(n, ..)| *n == number) {
                send(&host, *signal);
                if *fatal {
                    kill_after_grace(Arc::clone(&host));
                }
            }
        }
    };
    std::thread::Builder::new()
        .name("signals".into())
        .spawn(forwarder)
        .map_err(LaunchError::Supervise)?;
    Ok(handle)
}

/// Kills the host unless it ends in time.
fn kill_after_grace(host: Arc<OwnedFd>) {
    let spawned = std::thread::Builder::new().name("grace".into()).spawn({
        let host = Arc::clone(&host);
        move || {
            let mut ended = [rustix::event::PollFd::from_borrowed_fd(
                host.as_fd(),
                rustix::event::PollFlags::IN,
            )];
            let limit = rustix::event::Timespec {
                tv_sec: 0,
                tv_nsec: GRACE.as_nanos() as i64,
            };
            if rustix::event::poll(&mut ended, Some(&limit)) != Ok(1) {
                send(&host, Signal::KILL);
            }
        }
    });
    if spawned.is_err() {
        send(&host, Signal::KILL);
    }
}

/// Sends a signal; a host that has ended already needs none.
fn send(host: &OwnedFd, signal: Signal) {
    let _ = rustix::process::pidfd_send_signal(host, signal);
}

/// Kills what ranks have started, and what that has started, until nothing is left.
fn kill_inherited() {
    /// A fork bomb must not keep the launcher for ever.
    const ROUNDS: usize = 1000;
    for _ in 0..ROUNDS {
        let children = children();
        if children.is_empty() {
            return;
        }
        for pid in children {
            let _ = rustix::process::kill_process(pid, Signal::KILL);
            let _ = rustix::process::waitpid(Some(pid), WaitOptions::empty());
        }
    }
}

/// The launcher's children.
fn children() -> Vec<Pid> {
    let own = rustix::process::getpid().as_raw_nonzero();
    let list = std::fs::read_to_string(format!("/proc/{own}/task/{own}/children")).unwrap_or_default();
    list.split_whitespace()
        .filter_map(|pid| Pid::from_raw(pid.parse().ok()?))
        .collect()
}

/// A process's end as a shell would report it.
fn exit_status(status: ExitStatus) -> u8 {
    let code = status.code().or(status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}
