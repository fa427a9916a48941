//! Modes: the ways to run a job.

use simurgh_testing::{Binary, Mpiexec, Stage, TCP};
use std::process::Command;

/// The number of ranks of each job.
pub(crate) const RANKS: usize = 4;

/// The way to run a job.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Mode {
    /// All ranks in one process.
    OneHost,
    /// The ranks in two processes.
    Hosts,
    HostsOverTcp,
    /// Each rank in a process of its own.
    Processes,
    ProcessesOverTcp,
    /// The same, started by a script, which waits for it.
    Scripts,
    /// The ranks in a process on each of two nodes, which have agents.
    Nodes,
    ProcessesOnNodes,
}

impl Mode {
    pub(crate) fn has_agents(self) -> bool {
        matches!(self, Mode::Nodes | Mode::ProcessesOnNodes)
    }

    /// Whether ranks have processes of their own.
    pub(crate) fn has_processes(self) -> bool {
        !matches!(
            self,
            Mode::OneHost | Mode::Hosts | Mode::HostsOverTcp | Mode::Nodes
        )
    }

    /// mpiexec with the options of the mode.
    fn mpiexec(self) -> Mpiexec {
        let mode = if self.has_processes() {
            "processes"
        } else {
            "threads"
        };
        let mpiexec = Stage::locate().mpiexec(RANKS).mode(mode);
        // Ranks sleep in the kernel, each on a virtual processor of its own.
        match self {
            Mode::OneHost => mpiexec.vps(RANKS),
            Mode::Hosts => mpiexec.options(["--hosts-per-node", "2"]).vps(RANKS / 2),
            Mode::HostsOverTcp => mpiexec
                .options(["--hosts-per-node", "2", "--transport", "ofi"])
                .options(TCP)
                .vps(RANKS / 2),
            Mode::Processes | Mode::Scripts => mpiexec,
            Mode::ProcessesOverTcp => mpiexec.options(["--transport", "ofi"]).options(TCP),
            Mode::Nodes | Mode::ProcessesOnNodes => mpiexec
                .options(["--launcher", "fork", "-hosts", "a,b"])
                .options(TCP)
                .vps(RANKS / 2),
        }
    }

    /// The command that runs the program with this argument.
    pub(crate) fn command(self, options: &[&str], program: &Binary, argument: &str) -> Command {
        let mpiexec = self.mpiexec().options(options);
        match self {
            Mode::Scripts => {
                let path = program.path().to_str().expect("a name in UTF-8");
                mpiexec
                    .args(["-c", "\"$0\" \"$1\"; exit $?", path, argument])
                    .command("sh")
            }
            _ => mpiexec.args([argument]).command(program),
        }
    }
}
