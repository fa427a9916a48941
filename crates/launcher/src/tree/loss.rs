//! The loss of a node.

use crate::process::{exit_code, exit_words};
use rustix::process::Signal;
use serde::{Deserialize, Serialize};
use std::process::ExitStatus;

/// The status of a command that signal N has ended is `KILLED` + N; `MOST` is the largest such status.
const KILLED: u8 = 128;
const MOST: u8 = KILLED + 64;

/// Why a node cannot do its part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Loss {
    /// For the user, in words that follow the name of the node.
    pub(crate) reason: String,
    /// The status of a job that ends by this loss.
    pub(crate) status: u8,
}

impl Loss {
    /// A loss for a reason that no signal is the cause of.
    pub(crate) fn of(reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self { reason, status: 1 }
    }

    /// The loss of an agent that a signal has ended.
    pub(crate) fn by(signal: Signal, reason: impl Into<String>) -> Self {
        let status = u8::try_from(signal.as_raw()).map_or(1, |number| KILLED + number);
        let reason = reason.into();
        Self { reason, status }
    }

    /// The loss of an agent whose command has ended, or has closed its connection, after these last words.
    pub(crate) fn of_command(name: &str, ended: Option<ExitStatus>, last_words: &str) -> Self {
        let words = ended.map_or_else(|| "has closed its connection".to_owned(), exit_words);
        let said = last_words.lines().rfind(|line| !line.trim().is_empty());
        let said = said.map_or_else(String::new, |said| format!(": {}", said.trim()));
        // ssh passes on the status of the agent, whose monitor reports a signal in it. Its own failures have status
        // 255.
        let killed = ended.map(exit_code).filter(|code| (KILLED..=MOST).contains(code));
        Self {
            reason: format!(": {name} {words}{said}"),
            status: killed.unwrap_or(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;

    #[test]
    fn a_killed_command_gives_the_job_its_status() {
        let of = |raw| Loss::of_command("ssh", Some(ExitStatus::from_raw(raw)), "\nlast \n\n");
        let exited = |code: i32| of(code << 8);
        assert_eq!(of(9).status, 137);
        assert_eq!(of(9).reason, ": ssh was killed by signal 9: last");
        assert_eq!(
            (exited(137).status, exited(255).status, exited(3).status),
            (137, 1, 1)
        );
        let gone = Loss::of_command("ssh", None, "");
        assert_eq!(gone, Loss::of(": ssh has closed its connection"));
        assert_eq!(Loss::by(Signal::TERM, "").status, 143);
    }
}
