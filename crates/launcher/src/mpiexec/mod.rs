//! `mpiexec`: from a command line to the end of its job.

pub mod singleton;

use crate::args::Run;
use crate::describe::{Described, describe};
use crate::error::LaunchError;
use crate::hosts::{self, Starter};
use crate::installation::Installation;
use crate::nodes::{self, Allocation, Launch, Launcher, Mapping, NodePool, environment};
use crate::pmi::unique_name;
use crate::supervise::{self, Agents, FirstHosts, RemoteLaunch};
use crate::tree::message::{NodeJob, VERSION};
use crate::universe::Universe;
use simurgh_net::auth::Secret;
use simurgh_net::job::{JobSpec, Origin};
use simurgh_settings::Id;
use std::path::Path;

/// How many agents one process starts: three levels reach 32,768 nodes.
pub(crate) const TREE_WIDTH: u32 = 32;

/// Runs a job to its end; the status is the launcher's.
///
/// # Errors
///
/// When the job cannot be started, or its hosts not be watched.
pub fn run(run: Run) -> Result<u8, LaunchError> {
    let allocation = Allocation::found(|name| std::env::var(name).ok())?;
    let nodes = nodes::of(&run.nodes, allocation.as_ref())?;
    let described = describe(&run, nodes)?;
    let Described { mut spec, nodes } = described;
    let universe = enroll(&mut spec)?;
    let mapping = Mapping::of(&run.settings, run.nodes.per_node);
    if let Some(nodes) = nodes {
        let launcher = run.nodes.launcher.resolved(allocation.as_ref());
        return run_on_nodes(&run, spec, universe, NodePool { nodes, mapping }, launcher);
    }
    if needs_tags(&spec) {
        // The output of processes passes through an agent, which tags it.
        return run_on_nodes(&run, spec, universe, NodePool::here(), Launcher::Fork);
    }
    if let Some(cpus) = &run.nodes.cpus {
        hosts::bind(cpus)?;
    }
    let starter = Starter::new(spec, run.host_wrapper, secret(universe.as_ref())?)?;
    supervise::supervise(&starter, FirstHosts::Local, universe)
}

/// Enrolls a job with the universe that the user has named, if there is one.
fn enroll(spec: &mut JobSpec) -> Result<Option<Universe>, LaunchError> {
    let Some(file) = spec.settings.name(Id::Universe) else {
        return Ok(None);
    };
    let hosts = spec.hosts.len();
    let timeout = spec.settings.time(Id::PeerTimeout);
    let universe = Universe::enroll(Path::new(file), hosts, timeout)?;
    let realm = universe.realm();
    supervise::fits(realm, 0, spec.total_ranks()?)?;
    let first = realm.number(0);
    spec.origin = Origin {
        realm,
        world: first,
        first_host: first,
        first_process: first,
        shares: universe.shares()[..hosts].to_vec(),
        ..spec.origin.clone()
    };
    Ok(Some(universe))
}

/// The secret of a job: that of its universe, if it belongs to one.
fn secret(universe: Option<&Universe>) -> Result<Secret, LaunchError> {
    match universe {
        Some(universe) => Ok(universe.secret().clone()),
        None => Secret::random().map_err(LaunchError::Supervise),
    }
}

/// Whether output is to be tagged that comes from programs which the launcher has started: these cannot tag it
/// themselves.
fn needs_tags(spec: &JobSpec) -> bool {
    let are_started = spec.sections.iter().any(|section| section.mode.starts_program());
    are_started && spec.settings.is_on(Id::TagOutput) && spec.settings.name(Id::OutputDir).is_none()
}

/// Runs a job whose hosts are started by agents.
fn run_on_nodes(
    run: &Run,
    spec: JobSpec,
    universe: Option<Universe>,
    pool: NodePool,
    launcher: Launcher,
) -> Result<u8, LaunchError> {
    let secret = secret(universe.as_ref())?;
    let command = &run.nodes.command;
    let launch = match launcher {
        Launcher::Fork => Launch::Fork,
        _ => Launch::ssh(command),
    };
    let is_slurm = launcher == Launcher::Slurm;
    let job = NodeJob {
        version: VERSION,
        secret: Some(secret.clone()),
        name: unique_name(),
        nodes: (0, u32::try_from(pool.nodes.len()).unwrap_or(u32::MAX)),
        names: pool.nodes.iter().map(|node| node.name.clone()).collect(),
        spec: spec.clone(),
        wrapper: run.host_wrapper.texts().ok_or_else(|| LaunchError::Nul {
            text: "--host-wrapper".to_owned(),
        })?,
        launch,
        width: run.nodes.width.unwrap_or(TREE_WIDTH),
        cpus: run.nodes.cpus.clone(),
        // srun passes on the environment itself.
        environment: (!is_slurm).then(environment::of_this_process),
    };
    let tool = Installation::of_this_tool()?.tool()?;
    let agents = match is_slurm {
        true => Agents::Srun {
            command: command.clone(),
            tool,
        },
        false => Agents::Commands { tool },
    };
    let nodes = RemoteLaunch { job, pool, agents };
    // Errors in the programs are found here, once, and not on each node.
    let starter = Starter::new(spec, run.host_wrapper.clone(), secret)?;
    supervise::supervise(&starter, FirstHosts::Remote(Box::new(nodes)), universe)
}
