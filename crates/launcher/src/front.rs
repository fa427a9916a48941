//! The process that the user has started, which stands in front of the one that starts and supervises the job; on a
//! node that is reached through a command, the same of an agent.
//!
//! Either is there for the end of the other. `kill -9` of the front leaves the supervising process, which is told by
//! the kernel and ends the job with all that its ranks have started, whether that has begun to use MPI or never will.
//! `kill -9` of the supervising process leaves the front, to which the kernel gives whatever loses its parent. The
//! front does nothing else but pass on signals and the status. What `mpiexec` or an agent starts on its own machine has
//! its front in that.
//!
//! Costs: a process that sleeps, and 2 ms at the start.

use crate::error::LaunchError;
use crate::supervise::{Signals, Watched, kill_inherited};
use rustix::event::PollFlags;
use rustix::process::{Pid, PidfdFlags, Signal};
use std::ffi::OsString;
use std::io::Write;
use std::os::fd::AsFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command};
use std::sync::OnceLock;

/// What the first word of a supervising process begins with; the number of its front follows.
const BEHIND: &str = "--behind=";

/// The front of this process.
static FRONT: OnceLock<Pid> = OnceLock::new();

/// What comes after the words that say that this process is the supervising one. It ends with its front from now on; at
/// once, if that is gone already.
///
/// # Errors
///
/// When the kernel refuses.
pub fn behind(words: &[OsString]) -> Result<Option<&[OsString]>, LaunchError> {
    let first = words.split_first();
    let first = first.and_then(|(word, rest)| Some((word.to_str()?.strip_prefix(BEHIND)?, rest)));
    let Some((front, rest)) = first else {
        return Ok(None);
    };
    rustix::process::set_parent_process_death_signal(Some(Signals::to_end_by())).map_err(system)?;
    let parent = rustix::process::getppid();
    if let Some(parent) = parent.filter(|parent| parent.as_raw_nonzero().to_string() == front) {
        FRONT.get_or_init(|| parent);
        return Ok(Some(rest));
    }
    // The front was gone before the kernel knew that it is to tell: this process ends as it would have.
    let _ = rustix::process::kill_process(rustix::process::getpid(), Signals::to_end_by());
    Err(LaunchError::Orphan)
}

/// Whether there is, or was, a front of this process.
pub(crate) fn is_behind() -> bool {
    FRONT.get().is_some()
}

/// Whether the front of this process has ended.
pub(crate) fn is_gone() -> bool {
    FRONT
        .get()
        .is_some_and(|front| rustix::process::getppid() != Some(*front))
}

/// The first word for a process whose front is this one: it is given what loses its parent, and kills it.
pub(crate) fn word() -> String {
    format!("{BEHIND}{}", std::process::id())
}

/// Stands in front of a process that is called as this one was: with this name and these words; `role` is what it is
/// to the user. Returns its status.
pub fn stand(tool: &str, role: &str, words: &[OsString]) -> Result<u8, LaunchError> {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid())).map_err(system)?;
    // Before the other process starts, so that no signal is lost between.
    let mut signals = Signals::listen()?;
    let own = std::env::current_exe().map_err(LaunchError::OwnPath)?;
    let mut command = Command::new(own);
    command.arg0(tool).arg(word());
    let mut child = command.args(words).spawn().map_err(LaunchError::Supervise)?;
    let process =
        rustix::process::pidfd_open(Pid::from_child(&child), PidfdFlags::empty()).map_err(system)?;
    let mut passed_on = None;
    loop {
        let mut watched = Watched::default();
        watched.add(signals.as_fd(), PollFlags::IN);
        watched.add(process.as_fd(), PollFlags::IN);
        watched.wait(None).map_err(system)?;
        for (signal, _) in signals.pending() {
            // One that has ended needs none.
            let _ = rustix::process::pidfd_send_signal(&process, signal);
            passed_on = Some(signal);
        }
        if let Some(status) = ended(&mut child, role, passed_on)? {
            return Ok(status);
        }
    }
}

/// The status of the supervising process, if it has ended; if it was killed, nothing is left of the job. One that has
/// been asked to end may not have come so far as to do so in order.
fn ended(child: &mut Child, role: &str, asked: Option<Signal>) -> Result<Option<u8>, LaunchError> {
    let Some(status) = child.try_wait().map_err(LaunchError::Supervise)? else {
        return Ok(None);
    };
    let Some(signal) = status.signal() else {
        return Ok(status.code().and_then(|code| u8::try_from(code).ok()));
    };
    kill_inherited();
    if asked.map(Signal::as_raw) != Some(signal) {
        // If the standard error cannot be written, the status has to do.
        let _ = writeln!(std::io::stderr(), "simurgh: {role} was killed by signal {signal}");
    }
    Ok(u8::try_from(128 + signal).ok())
}

fn system(error: rustix::io::Errno) -> LaunchError {
    LaunchError::Supervise(error.into())
}
