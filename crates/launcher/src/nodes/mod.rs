//! The nodes of a job, how many ranks each takes, and the commands that start agents on them.
//!
//! The first of these that is given names the nodes: `-hosts`, `-hostfile`, the allocation of a batch system in which
//! `mpiexec` runs. Without any, the job runs on this machine, and `mpiexec` starts its hosts itself.

pub(crate) mod environment;
mod file;
mod launch;
mod list;
mod mapping;
mod pool;
mod slurm;

pub(crate) use launch::{Launch, Launcher};
pub(crate) use mapping::{Mapping, RankBlock};
pub(crate) use pool::{NodeChoice, NodePool};
pub(crate) use slurm::Allocation;

use crate::error::NodesError;
use std::path::PathBuf;

/// The options of the command line that concern nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodesArgs {
    /// `-hosts`.
    pub hosts: Option<String>,
    /// `-hostfile`.
    pub file: Option<PathBuf>,
    /// `-ppn`.
    pub per_node: Option<u32>,
    /// `--launcher`.
    pub launcher: Launcher,
    /// `--launcher-exec`: the command that the launcher uses.
    pub command: Vec<String>,
    /// `--cpu-list`.
    pub cpus: Option<Vec<usize>>,
    /// `--tree-width`: how many agents a process starts.
    pub width: Option<u32>,
}

/// A machine that takes ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its name, as the commands know it that reach it.
    pub name: String,
    /// How many ranks it takes before the next node has its turn.
    pub slots: u32,
}

/// The nodes of a job; none if it runs on this machine alone.
///
/// # Errors
///
/// When a list or file cannot be understood, or a node is not in the allocation.
pub(crate) fn of(args: &NodesArgs, allocation: Option<&Allocation>) -> Result<Option<Vec<Node>>, NodesError> {
    let nodes = match (&args.hosts, &args.file, allocation) {
        (Some(hosts), ..) => list::parse("option -hosts", hosts)?,
        (None, Some(path), _) => file::read(path)?,
        (None, None, Some(allocation)) if args.launcher != Launcher::Fork => allocation.nodes.clone(),
        _ if args.launcher == Launcher::Slurm => return Err(NodesError::NoAllocation),
        _ => return Ok(None),
    };
    if args.launcher.resolved(allocation) == Launcher::Slurm {
        allocation.ok_or(NodesError::NoAllocation)?.has_all(&nodes)?;
    }
    Ok(Some(nodes))
}

/// Whether a name is that of this machine.
pub(crate) fn is_here(name: &str) -> bool {
    let system = rustix::system::uname();
    let own = system.nodename().to_string_lossy();
    let short = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
    ["localhost", "127.0.0.1", "::1", &own, &short(&own)].contains(&name)
        || std::env::var("SLURMD_NODENAME").is_ok_and(|own| own == name)
}
