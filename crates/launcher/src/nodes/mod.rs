//! Where the ranks of a job live: the nodes, how many ranks each takes, and how something is started on them.
//!
//! Who names nodes is asked first: `-hosts`, then `-hostfile`, then the batch system whose allocation `mpiexec` runs
//! in. If nobody does, the job runs on this machine, and `mpiexec` starts its hosts itself.

pub(crate) mod environment;
mod file;
mod launch;
mod list;
mod mapping;
mod pool;
mod slurm;

pub(crate) use launch::{Launch, Launcher};
pub(crate) use mapping::{Mapping, RankBlock};
pub(crate) use pool::{Choice, NodePool};
pub(crate) use slurm::Allocation;

use crate::error::NodesError;
use std::path::PathBuf;

/// What the command line says of nodes.
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
    /// Its name, as launchers know it.
    pub name: String,
    /// How many ranks it takes before the next one has its turn.
    pub slots: u32,
}

/// The nodes of a job, unless it runs on this machine alone.
///
/// # Errors
///
/// When what names them makes no sense.
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
