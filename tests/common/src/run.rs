//! Running a command under a time limit, with its output captured.
//!
//! Output goes to anonymous files rather than pipes: a process that outlives its parent cannot hold up the reader.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{MemfdFlags, OFlags, fcntl_setfl, memfd_create};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use crate::outcome::{Ending, Time};
use crate::process_tree::descendants;
use crate::{Deadline, Outcome};

/// The time limit of everything that tests start, unless they set another one. It only has to end programs that hang.
/// Like all limits it is in virtual time ([`Deadline`]).
pub const LIMIT: Duration = Duration::from_secs(180);

/// The time that a killed process may take to end: one in an uninterruptible system call may hang on.
const DEATH_LIMIT: Duration = Duration::from_secs(5);

/// The pause between two looks at a condition that nothing signals.
const PAUSE: Duration = Duration::from_millis(1);

/// The standard input of a command.
#[derive(Debug, Clone, Copy, Default)]
pub enum Input<'a> {
    /// Nothing: `/dev/null`.
    #[default]
    Empty,
    /// These bytes, then the end of the file.
    Bytes(&'a [u8]),
}

/// Runs `command` to its end, or kills it and all its descendants when `limit` has passed, in [virtual time](Deadline).
pub fn run(command: &mut Command, input: Input<'_>, limit: Duration) -> io::Result<Outcome> {
    let mut stdout = anonymous_file()?;
    let mut stderr = anonymous_file()?;
    command
        .stdin(stdin(input)?)
        .stdout(stdout.try_clone()?)
        .stderr(stderr.try_clone()?);

    let start = Instant::now();
    let (mut deadline, child) = (Deadline::after(limit), command.spawn()?);
    let ending = wait_until(child, &mut deadline)?;
    let time = Time {
        elapsed: start.elapsed(),
        taken: deadline.passed(),
    };
    let written = [contents(&mut stdout)?, contents(&mut stderr)?];
    Ok(Outcome::new(format!("{command:?}"), ending, time, written))
}

/// Waits until the child has ended, or kills it and all its descendants when `limit` has passed.
pub fn wait(child: Child, limit: Duration) -> io::Result<Ending> {
    wait_until(child, &mut Deadline::after(limit))
}

pub(crate) fn wait_until(mut child: Child, deadline: &mut Deadline) -> io::Result<Ending> {
    let pidfd = pidfd_open(pid(child.id()), PidfdFlags::empty())?;
    let timed_out = !has_ended(&pidfd, deadline)?;
    if timed_out {
        kill_tree(&mut child)?;
    }
    Ok(Ending {
        status: child.wait()?,
        timed_out,
    })
}

/// Waits until a condition holds that nothing signals; returns whether it did before the limit.
pub fn until(limit: Duration, holds: impl Fn() -> bool) -> bool {
    let mut look = |_| match holds() {
        true => Some(()),
        false => {
            std::thread::sleep(PAUSE);
            None
        }
    };
    Deadline::after(limit).wait(&mut look).is_some()
}

/// An anonymous file. Processes that append to it at the same time lose nothing, since the kernel keeps no common
/// position for such a file.
fn anonymous_file() -> io::Result<File> {
    let file = memfd_create("captured output", MemfdFlags::CLOEXEC)?;
    fcntl_setfl(&file, OFlags::APPEND)?;
    Ok(File::from(file))
}

fn stdin(input: Input<'_>) -> io::Result<Stdio> {
    match input {
        Input::Empty => Ok(Stdio::null()),
        Input::Bytes(bytes) => {
            let mut file = anonymous_file()?;
            file.write_all(bytes)?;
            file.rewind()?;
            Ok(file.into())
        }
    }
}

fn contents(file: &mut File) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn has_ended(pidfd: &OwnedFd, deadline: &mut Deadline) -> io::Result<bool> {
    poll_until(&mut [PollFd::new(pidfd, PollFlags::IN)], deadline)
}

/// Sleeps until one of the descriptors is ready (true) or the deadline has come (false).
pub(crate) fn poll_until(waited: &mut [PollFd<'_>], deadline: &mut Deadline) -> io::Result<bool> {
    let look = |time: Duration| {
        let timeout = Timespec {
            tv_sec: time.as_secs() as i64,
            tv_nsec: time.subsec_nanos().into(),
        };
        match poll(waited, Some(&timeout)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => None,
            Ok(_) => Some(Ok(true)),
            Err(error) => Some(Err(error.into())),
        }
    };
    deadline.wait(look).unwrap_or(Ok(false))
}

/// Kills the child and all its descendants, top first so that nothing new is started meanwhile, and waits until all of
/// them have ended.
pub(crate) fn kill_tree(child: &mut Child) -> io::Result<()> {
    let tree: Vec<OwnedFd> = descendants(child.id())?
        .into_iter()
        .filter_map(|process| pidfd_open(pid(process), PidfdFlags::empty()).ok())
        .collect();
    child.kill()?;
    for process in &tree {
        // The process may have ended by itself since it was listed.
        let _ = pidfd_send_signal(process, Signal::KILL);
    }
    for process in &tree {
        has_ended(process, &mut Deadline::after(DEATH_LIMIT))?;
    }
    Ok(())
}

fn pid(raw: u32) -> Pid {
    Pid::from_raw(raw as i32).expect("the kernel gives no process the number 0")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn captures_both_streams_and_the_status() {
        let outcome = run(
            &mut shell("cat; echo err >&2; exit 3"),
            Input::Bytes(b"in"),
            LIMIT,
        )
        .unwrap();
        assert_eq!(
            (outcome.code(), &*outcome.stdout, &*outcome.stderr),
            (3, "in", "err\n")
        );
        assert!(!outcome.timed_out);
    }

    #[test]
    fn a_time_limit_ends_the_whole_tree() {
        let outcome = run(
            &mut shell("sleep 1000 & echo $!; wait"),
            Input::Empty,
            Duration::from_millis(300),
        )
        .unwrap();
        assert!(outcome.timed_out && !outcome.success());
        let grandchild: u32 = outcome.stdout.trim().parse().unwrap();
        let state = std::fs::read_to_string(format!("/proc/{grandchild}/stat"));
        assert!(
            state.is_err() || state.unwrap().contains(") Z"),
            "the grandchild lives on"
        );
    }
}
