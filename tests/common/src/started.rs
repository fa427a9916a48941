//! A command that a test starts and acts on.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

use crate::outcome::Time;
use crate::run::{kill_tree, poll_until, run, wait_until};
use crate::{Deadline, Input, LIMIT, Outcome};

/// The time to wait for the output of a process that has been killed.
const REST: Duration = Duration::from_secs(2);

/// A running process without input, whose output can be read.
///
/// Signals that the tests' own parent ignores, as `nohup` does, have their default effect in it.
#[derive(Debug)]
pub struct Started {
    command: String,
    process: Child,
    stdout: ChildStdout,
    stderr: ChildStderr,
}

impl Started {
    /// Starts the program of a command with its arguments and variables; the other settings of the command are not
    /// used.
    #[track_caller]
    pub fn new(command: &Command) -> Self {
        let mut command = behind(["env", "--default-signal=HUP,INT,QUIT,TERM"], command);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let spawned = command.spawn();
        let mut process = spawned.unwrap_or_else(|error| panic!("cannot run {command:?}: {error}"));
        Self {
            command: format!("{command:?}"),
            stdout: process.stdout.take().expect("it is a pipe"),
            stderr: process.stderr.take().expect("it is a pipe"),
            process,
        }
    }

    /// The number of the process.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Waits until the process or its descendants have written exactly these bytes next to their standard output.
    /// Panics if other bytes or the end come instead, or nothing within the [limit](LIMIT).
    #[track_caller]
    pub fn says(&mut self, text: &str) {
        let said = next(&mut self.stdout, text.len(), &mut Deadline::after(LIMIT));
        let said = String::from_utf8_lossy(&said);
        if said != text {
            // A process that cannot be killed changes nothing: the rest is only for the message.
            let _ = kill_tree(&mut self.process);
            let errors = drain(&mut self.stderr, &mut Deadline::after(REST)).unwrap_or_default();
            panic!("{}\nsays {said:?}, not {text:?}\n{errors}", self.command);
        }
    }

    /// Waits until the process and everything else that could write to its output has ended. The time in the outcome is
    /// that from now until the process has ended. Panics if others are left after as long again.
    #[track_caller]
    pub fn ends(mut self, limit: Duration) -> Outcome {
        let (start, mut deadline) = (Instant::now(), Deadline::after(limit));
        let ending = wait_until(self.process, &mut deadline).unwrap();
        let time = Time {
            elapsed: start.elapsed(),
            taken: deadline.passed(),
        };
        let mut deadline = Deadline::after(limit);
        let rest = drain(&mut self.stdout, &mut deadline)
            .and_then(|stdout| Ok([stdout, drain(&mut self.stderr, &mut deadline)?]));
        let written = rest.unwrap_or_else(|error| panic!("{}\n{error}", self.command));
        Outcome::new(self.command, ending, time, written)
    }
}

/// The program of a command, with its arguments and variables, as the last arguments of another command, such as `env`.
pub fn behind<S: AsRef<OsStr>>(words: impl IntoIterator<Item = S>, command: &Command) -> Command {
    let mut words = words.into_iter();
    let first = words.next().expect("another command has a name");
    let mut other = Command::new(first);
    other
        .args(words)
        .arg(command.get_program())
        .args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => other.env(name, value),
            None => other.env_remove(name),
        };
    }
    other
}

/// Runs the program of a command where a process has too few addresses for the heaps of ranks.
pub fn run_with_few_addresses(command: &Command) -> Outcome {
    let mut limited = behind(["sh", "-c", "ulimit -v 40000000; exec \"$@\"", "sh"], command);
    run(&mut limited, Input::Empty, LIMIT).expect("sh can be started")
}

/// The next bytes, so many, or fewer if no more come before the deadline.
fn next<S: Read + AsFd>(stream: &mut S, count: usize, deadline: &mut Deadline) -> Vec<u8> {
    let mut bytes = vec![0; count];
    let mut come = 0;
    while come < count && poll_until(&mut [PollFd::new(&*stream, PollFlags::IN)], deadline).unwrap_or(false) {
        match stream.read(&mut bytes[come..]) {
            Ok(more) if more > 0 => come += more,
            _ => break,
        }
    }
    bytes.truncate(come);
    bytes
}

/// The output until nobody is left who could write.
fn drain<S: Read + AsFd>(stream: &mut S, deadline: &mut Deadline) -> io::Result<String> {
    fcntl_setfl(&*stream, fcntl_getfl(&*stream)? | OFlags::NONBLOCK)?;
    let mut text = Vec::new();
    loop {
        match stream.read_to_end(&mut text) {
            Ok(_) => return Ok(String::from_utf8_lossy(&text).into_owned()),
            Err(error) if error.kind() != io::ErrorKind::WouldBlock => return Err(error),
            Err(_) => {}
        }
        if !poll_until(&mut [PollFd::new(&*stream, PollFlags::IN)], deadline)? {
            return Err(io::Error::other("a process that could write has been left"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Signal, signal};

    fn shell(script: &str) -> Started {
        let mut command = Command::new("sh");
        Started::new(command.args(["-c", script]).env("SHOWN", "there"))
    }

    #[test]
    fn what_is_said_before_and_after_is_told_apart() {
        let last = "trap 'echo $SHOWN; echo late >&2; exit 3' TERM";
        let mut started = shell(&format!("{last}; echo up; while :; do sleep 0.01; done"));
        started.says("up\n");
        signal(started.id(), Signal::TERM);
        let outcome = started.ends(LIMIT);
        assert_eq!((outcome.code(), &*outcome.stdout), (3, "there\n"), "{outcome}");
        assert_eq!(outcome.stderr, "late\n");
    }

    #[test]
    #[should_panic(expected = "a process that could write has been left")]
    fn who_is_left_is_missed() {
        // This is longer than the limit on the busiest machine.
        shell("sleep 30 & exit 0").ends(Duration::from_millis(300));
    }

    #[test]
    #[should_panic(expected = "says \"do\"")]
    fn something_else_is_no_sign() {
        shell("printf do").says("up");
    }
}
