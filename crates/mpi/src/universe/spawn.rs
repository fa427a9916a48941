//! Starting programs.
//!
//! The root asks the launcher, and specifies the communicator in which the new processes will find themselves: its
//! context id is one of the root's host, and its left group is that of the caller. When the launcher answers, all hosts
//! of the universe know the new ones, and the root tells its communicator which processes they are. So both sides make
//! the same communicator.

use super::parent::ParentSpec;
use super::unexpected_answer;
use crate::comm::{Comm, CommSpec};
use crate::error::{ErrorClass, Result};
use crate::group::Group;
use crate::job::Job;
use crate::members::{HostMap, Members};
use crate::portable;
use simurgh_core::sync::Arc;
use simurgh_net::control::{Answer, Command, Question};
use simurgh_net::encoding::Bytes;

/// The name and the error class of the argument that gives the root.
pub(super) const ROOT: (&str, ErrorClass) = ("root", ErrorClass::Root);

/// Programs that have been started.
#[derive(Clone, Debug)]
pub struct Spawned {
    /// The inter-communicator with them; their ranks are in the order of the commands.
    pub comm: Arc<Comm>,
    /// How many processes each command has.
    pub processes: Vec<u32>,
}

impl Comm {
    /// Starts programs (`MPI_Comm_spawn_multiple`). `commands` is called at the root only; its error is an error of all
    /// ranks.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Spawn`] if they cannot be started, [`ErrorClass::Root`] if there is no such root,
    /// [`ErrorClass::Comm`] on an inter-communicator.
    pub fn spawn(&self, root: i32, commands: impl FnOnce() -> Result<Vec<Command>>) -> Result<Spawned> {
        self.check_intra()?;
        let job = self.process().job();
        let start = |commands| start(job, self.group(), commands);
        let (shared, processes) = self.local_group(ROOT).create_with(root, commands, start)?;
        Ok(Spawned {
            comm: self.child(shared, self.seat()),
            processes,
        })
    }
}

/// Has the launcher start programs for a group.
fn start(job: &Job, parents: &Group, commands: Vec<Command>) -> Result<(CommSpec, Vec<u32>)> {
    let owner = job.layout().own();
    let id = job.contexts().take()?;
    let parent_spec = ParentSpec {
        id,
        owner,
        group: parents.clone(),
    };
    let parent = Bytes(portable::pack(&parent_spec));
    let started = job
        .ask(Question::Spawn { commands, parent })
        .and_then(|answer| match answer {
            Answer::Spawned { first, processes } => Ok((first, processes)),
            other => Err(unexpected_answer(&other)),
        })
        .and_then(|(first, processes)| {
            let children = Group::run(first, processes.iter().sum());
            let members = Members::inter(parents.clone(), children);
            members.check(job.layout())?;
            Ok((members, processes))
        });
    let (members, processes) = started.inspect_err(|_| job.contexts().give_back(id))?;
    if let Some(host_map) = HostMap::of(&members, job.layout()) {
        job.contexts().hold(id, host_map.hosts() as u32);
    }
    Ok((CommSpec { id, owner, members }, processes))
}
