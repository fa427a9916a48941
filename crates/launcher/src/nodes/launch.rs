//! How an agent is started on a node.

use crate::process::monitor;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::process::Command;

/// The kind of command that starts agents on other nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Launcher {
    /// Slurm in an allocation, else ssh.
    #[default]
    Auto,
    /// None: this machine stands for all nodes.
    Fork,
    /// ssh.
    Ssh,
    /// srun.
    Slurm,
}

impl Launcher {
    /// The launcher of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "auto" => Some(Self::Auto),
            "fork" => Some(Self::Fork),
            "ssh" => Some(Self::Ssh),
            "slurm" => Some(Self::Slurm),
            _ => None,
        }
    }

    /// The launcher that `Auto` stands for, in an allocation or outside.
    pub(crate) fn resolved(self, allocation: Option<&super::Allocation>) -> Self {
        match (self, allocation) {
            (Self::Auto, Some(_)) => Self::Slurm,
            (Self::Auto, None) => Self::Ssh,
            (launcher, _) => launcher,
        }
    }
}

/// The command that starts an agent on a node. The node's name and the command line of the agent follow its words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) enum Launch {
    /// The agent itself, on this machine.
    Fork,
    /// A command such as ssh.
    Through(Vec<String>),
}

/// ssh without questions and forwarding: nobody could answer for many nodes.
const SSH: [&str; 4] = ["ssh", "-x", "-oBatchMode=yes", "-oConnectTimeout=30"];

impl Launch {
    /// ssh, or the command that the user wants in its place.
    pub(crate) fn ssh(command: &[String]) -> Self {
        match command {
            [] => Self::Through(SSH.map(str::to_owned).to_vec()),
            words => Self::Through(words.to_vec()),
        }
    }

    /// The name of the command in messages.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Fork => "the agent",
            Self::Through(words) => words.first().map_or("", String::as_str),
        }
    }

    /// The command for a node. A command that the user has chosen is used for all nodes; ssh is not used for this
    /// machine. An agent that this process starts directly has this process for its monitor.
    pub(crate) fn command(&self, node: &str, tool: &Path) -> Command {
        let words = match self {
            Self::Through(words) if !(words[0] == SSH[0] && super::is_here(node)) => words.as_slice(),
            _ => &[],
        };
        match words {
            [] => {
                let mut command = Command::new(tool);
                command.arg(monitor::first_word()).arg("agent");
                command
            }
            [program, arguments @ ..] => {
                let mut command = Command::new(program);
                command
                    .args(arguments)
                    .arg(node)
                    .arg(quoted(&tool.to_string_lossy()))
                    .arg("agent");
                command
            }
        }
    }
}

/// A word, quoted for the shell to which ssh hands its arguments.
fn quoted(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+=@%,:".contains(&byte);
    if word.bytes().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(launch: &Launch, node: &str, tool: &str) -> Vec<String> {
        let command = launch.command(node, Path::new(tool));
        let all = std::iter::once(command.get_program()).chain(command.get_args());
        all.map(|word| word.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn an_agent_is_started_through_a_command() {
        let ssh = words(&Launch::ssh(&[]), "a", "/my tools/simurgh");
        assert_eq!(ssh.first().map(String::as_str), Some("ssh"));
        assert_eq!(ssh[ssh.len() - 3..], ["a", "'/my tools/simurgh'", "agent"]);
        let own = Launch::ssh(&["rsh".to_owned(), "-q".to_owned()]);
        assert_eq!(
            words(&own, "localhost", "/s"),
            ["rsh", "-q", "localhost", "/s", "agent"]
        );
    }

    #[test]
    fn this_machine_needs_no_command() {
        let direct = ["/s".to_owned(), monitor::first_word(), "agent".to_owned()];
        assert_eq!(words(&Launch::ssh(&[]), "localhost", "/s"), direct);
        assert_eq!(words(&Launch::Fork, "a", "/s"), direct);
    }
}
