//! The monitor: the process that the user has started. The job is supervised by a child of it, the supervising process.
//! The agent of a node has a monitor on that node in the same way.
//!
//! Each of the two outlives the other just long enough to clean up after it:
//!
//! - `kill -9` of the monitor leaves the supervising process. The kernel tells it of its parent's death, and it ends
//!   the job with all that ranks have started, whether or not these use MPI yet.
//! - `kill -9` of the supervising process leaves the monitor. It is a subreaper, so the kernel gives it every process
//!   that has lost its parent, and it kills them.
//!
//! The monitor does nothing else but pass on signals and the status. What `mpiexec` or an agent starts on its own
//! machine without a command in between has its monitor in that process.
//!
//! Costs: a process that sleeps, and 2 ms at the start.

use super::{PollSet, Signals, become_subreaper, kill_orphans};
use crate::error::LaunchError;
use rustix::event::PollFlags;
use rustix::process::{Pid, PidfdFlags, Signal};
use std::ffi::OsString;
use std::io::Write;
use std::os::fd::AsFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command};
use std::sync::OnceLock;

/// The first word of a supervising process begins with this; the pid of its monitor follows.
const BEHIND: &str = "--behind=";

/// The monitor of this process, if this process is a supervising one.
static MONITOR: OnceLock<Pid> = OnceLock::new();

/// Returns the command line without the word that makes this the supervising process; none without such a word. With
/// it, this process ends when its monitor does: at once, if that has ended already.
///
/// # Errors
///
/// When the kernel refuses.
pub fn monitored(words: &[OsString]) -> Result<Option<&[OsString]>, LaunchError> {
    let first = words.split_first();
    let first = first.and_then(|(word, rest)| Some((word.to_str()?.strip_prefix(BEHIND)?, rest)));
    let Some((monitor, rest)) = first else {
        return Ok(None);
    };
    rustix::process::set_parent_process_death_signal(Some(Signals::to_end_by())).map_err(system)?;
    let parent = rustix::process::getppid();
    if let Some(parent) = parent.filter(|parent| parent.as_raw_nonzero().to_string() == monitor) {
        MONITOR.get_or_init(|| parent);
        return Ok(Some(rest));
    }
    // The monitor ended before the kernel was asked to tell of that. This process ends as if it had been told.
    let _ = rustix::process::kill_process(rustix::process::getpid(), Signals::to_end_by());
    Err(LaunchError::Orphan)
}

/// Whether this process has, or had, a monitor.
pub(crate) fn is_present() -> bool {
    MONITOR.get().is_some()
}

/// Whether the monitor of this process has ended.
pub(crate) fn has_ended() -> bool {
    MONITOR
        .get()
        .is_some_and(|monitor| rustix::process::getppid() != Some(*monitor))
}

/// The first word for a process whose monitor is this one.
pub(crate) fn first_word() -> String {
    format!("{BEHIND}{}", std::process::id())
}

/// Starts the supervising process with the name and words of this one, and monitors it. `role` names it in messages.
/// Returns its status.
///
/// # Errors
///
/// When it cannot be started, or not be waited for.
pub fn run(tool: &str, role: &str, words: &[OsString]) -> Result<u8, LaunchError> {
    become_subreaper()?;
    // Before the other process starts, so that no signal is lost in between.
    let mut signals = Signals::listen()?;
    let own = std::env::current_exe().map_err(LaunchError::OwnPath)?;
    let mut command = Command::new(own);
    command.arg0(tool).arg(first_word());
    let mut child = command.args(words).spawn().map_err(LaunchError::Supervise)?;
    let process =
        rustix::process::pidfd_open(Pid::from_child(&child), PidfdFlags::empty()).map_err(system)?;
    let mut passed_on = None;
    loop {
        let mut set = PollSet::default();
        set.add(signals.as_fd(), PollFlags::IN);
        set.add(process.as_fd(), PollFlags::IN);
        set.wait(None).map_err(system)?;
        for (signal, _) in signals.pending() {
            // A process that has ended needs no signal.
            let _ = rustix::process::pidfd_send_signal(&process, signal);
            passed_on = Some(signal);
        }
        if let Some(status) = reap(&mut child, role, passed_on)? {
            return Ok(status);
        }
    }
}

/// The status of the supervising process, if it has ended. If a signal has killed it, all that is left of the job is
/// killed, too. The user is told of that, unless the signal is one that was passed on: it may have come before the
/// process could handle it.
fn reap(child: &mut Child, role: &str, passed_on: Option<Signal>) -> Result<Option<u8>, LaunchError> {
    let Some(status) = child.try_wait().map_err(LaunchError::Supervise)? else {
        return Ok(None);
    };
    let Some(signal) = status.signal() else {
        return Ok(status.code().and_then(|code| u8::try_from(code).ok()));
    };
    kill_orphans();
    if passed_on.map(Signal::as_raw) != Some(signal) {
        // If the standard error cannot be written, the status has to do.
        let _ = writeln!(std::io::stderr(), "simurgh: {role} was killed by signal {signal}");
    }
    Ok(u8::try_from(128 + signal).ok())
}

fn system(error: rustix::io::Errno) -> LaunchError {
    LaunchError::Supervise(error.into())
}
