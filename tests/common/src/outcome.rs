//! The outcome of a command.

use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

/// The longest time that an end may take, in [virtual time](crate::Deadline). It is less than any time after which a
/// silent process is given up. `tests/ends` shows that an end takes less than a second where there is time for it.
pub const AT_ONCE: Duration = Duration::from_secs(5);

/// The outcome of a command: its status and all that it wrote.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The command line, for messages.
    pub command: String,
    /// How it ended; after a timeout, by SIGKILL.
    pub status: ExitStatus,
    /// All that it wrote to its standard output.
    pub stdout: String,
    /// All that it wrote to its standard error, except the lines in `starting`.
    pub stderr: String,
    /// The lines there that say that the start takes long: the machine may be busy.
    pub starting: String,
    /// The time that it ran by the clock.
    pub elapsed: Duration,
    /// The time that it ran in [virtual time](crate::Deadline), which expectations are about.
    pub taken: Duration,
    /// Whether the time limit ended it.
    pub timed_out: bool,
}

/// How a child process ended.
#[derive(Debug, Clone, Copy)]
pub struct Ending {
    /// Its status; after a timeout, SIGKILL.
    pub status: ExitStatus,
    /// Whether the time limit ended it.
    pub timed_out: bool,
}

/// How long a command ran: by the clock, and in virtual time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Time {
    pub(crate) elapsed: Duration,
    pub(crate) taken: Duration,
}

impl Outcome {
    /// The outcome of a command that has ended after `time`, with what it has written to its two streams.
    pub(crate) fn new(command: String, ending: Ending, time: Time, [stdout, written]: [String; 2]) -> Self {
        let slow = |line: &&str| line.starts_with("simurgh: starting for ");
        let (starting, stderr) = written.split_inclusive('\n').partition(slow);
        Self {
            command,
            status: ending.status,
            stdout,
            stderr,
            starting,
            elapsed: time.elapsed,
            taken: time.taken,
            timed_out: ending.timed_out,
        }
    }

    /// Whether the command ended by itself with exit status 0.
    pub fn success(&self) -> bool {
        self.status.success() && !self.timed_out
    }

    /// The exit status as a shell reports it: 128 + signal number after a signal.
    pub fn code(&self) -> i32 {
        self.status
            .code()
            .or_else(|| self.status.signal().map(|s| 128 + s))
            .unwrap_or(-1)
    }

    /// Panics with the full account unless the command succeeded.
    #[track_caller]
    pub fn expect_success(&self) -> &Self {
        assert!(self.success(), "{self}");
        self
    }

    /// Panics with the full account unless the command ended by itself with this exit status.
    #[track_caller]
    pub fn expect_code(&self, code: i32) -> &Self {
        assert!(
            !self.timed_out && self.code() == code,
            "expected exit status {code}\n{self}"
        );
        self
    }

    /// Panics with the full account unless the command ended by itself, [at once](AT_ONCE) when this time was over.
    #[track_caller]
    pub fn expect_end_after(&self, time: Duration) -> &Self {
        self.expect_end_within(time + AT_ONCE)
    }

    /// Panics with the full account unless the command ended by itself before this time was over.
    #[track_caller]
    pub fn expect_end_within(&self, time: Duration) -> &Self {
        let ended = !self.timed_out && self.taken < time;
        assert!(ended, "expected its end within {time:?}\n{self}");
        self
    }

    /// Panics with the full account unless standard error contains `text`.
    #[track_caller]
    pub fn expect_stderr(&self, text: &str) -> &Self {
        assert!(
            self.stderr.contains(text),
            "expected on standard error: {text}\n{self}"
        );
        self
    }

    /// Panics with the full account unless standard error is empty.
    #[track_caller]
    pub fn expect_no_complaints(&self) -> &Self {
        assert!(
            self.stderr.is_empty(),
            "expected nothing on standard error\n{self}"
        );
        self
    }

    /// The lines of standard output, sorted, since the order among ranks is not defined.
    pub fn sorted_lines(&self) -> Vec<&str> {
        let mut lines: Vec<&str> = self.stdout.lines().collect();
        lines.sort_unstable();
        lines
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "command: {}", self.command)?;
        let limit = if self.timed_out {
            ", killed at the time limit"
        } else {
            ""
        };
        let (elapsed, taken) = (self.elapsed, self.taken);
        writeln!(
            f,
            "ended:   {} after {elapsed:.2?}{limit} ({taken:.2?} but for the load)",
            self.status
        )?;
        writeln!(f, "--- standard output ---\n{}", self.stdout.trim_end())?;
        let (starting, stderr) = (&self.starting, self.stderr.trim_end());
        write!(f, "--- standard error ---\n{starting}{stderr}")
    }
}
