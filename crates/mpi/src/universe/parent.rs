//! The processes that have started this host's world.

use super::Universe;
use crate::comm::{Comm, CommShared, CommSpec};
use crate::error::{Error, ErrorClass, Result};
use crate::group::Group;
use crate::job::Job;
use crate::members::Members;
use crate::portable::{self, portable};
use crate::process::Process;
use simurgh_core::sync::Arc;
use simurgh_net::HostId;

/// The description of a world's parents, which they send to the new world.
pub(super) struct ParentSpec {
    /// The context id of the communicator with them, and the host that owns the id.
    pub(super) id: u32,
    pub(super) owner: HostId,
    /// Their group.
    pub(super) group: Group,
}

portable! { ParentSpec { id, owner, group } }

/// The communicator with the processes that have started the world, until all processes here have taken it.
pub(super) struct Parent {
    shared: Arc<CommShared>,
    /// Number of processes that have not taken it.
    missing: usize,
}

impl Job {
    /// Tells the job which processes have started its world, in the format of
    /// [`Question::Spawn`](simurgh_net::control::Question::Spawn). It is called once, before ranks run, after
    /// [`Job::set_launcher`] and [`Job::connect`].
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Intern`] if that makes no sense here.
    pub fn set_parent(&self, parent: &[u8]) -> Result<()> {
        let parent_spec: ParentSpec = portable::unpack(parent).ok_or_else(senseless)?;
        let members = Members::inter(parent_spec.group, self.group());
        let spec = CommSpec {
            id: parent_spec.id,
            owner: parent_spec.owner,
            members,
        };
        spec.check(self.layout())?;
        let parent = Parent {
            shared: CommShared::from_spec(self, spec),
            missing: self.layout().here().len(),
        };
        *self.universe().parent.lock() = Some(parent);
        Ok(())
    }
}

impl Universe {
    /// The communicator with the processes that have started the world, for one process after the other.
    fn take_parent(&self) -> Option<Arc<CommShared>> {
        let mut place = self.parent.lock();
        let parent = place.as_mut()?;
        parent.missing -= 1;
        match parent.missing {
            0 => place.take().map(|parent| parent.shared),
            _ => Some(Arc::clone(&parent.shared)),
        }
    }
}

/// The communicator of a process with the processes that have started the world, if there are any; once for each
/// process.
pub(crate) fn parent_of(process: &Arc<Process>) -> Option<Arc<Comm>> {
    let shared = process.job().universe().take_parent()?;
    let seat = shared.members.seat_of(process.id())?;
    Some(Comm::named(process, shared, seat, "MPI_COMM_PARENT"))
}

#[cold]
fn senseless() -> Error {
    Error::new(
        ErrorClass::Intern,
        "what is told of the processes that have started this one makes no sense; all of the installation has to be of \
         one version",
    )
}
