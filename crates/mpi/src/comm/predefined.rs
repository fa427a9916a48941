//! The predefined communicators of processes and jobs.

use super::bootstrap::Bootstrap;
use super::{Comm, CommShared};
use crate::error::{Error, ErrorClass, Result};
use crate::job::Job;
use crate::process::Process;
use simurgh_core::sync::{Arc, SpinLock};

/// The communicators' part of a job.
pub(super) struct Communicators {
    /// The shared part of the world communicator.
    pub(super) world: Arc<CommShared>,
    /// The groups whose members are coming together.
    pub(super) bootstrap: Bootstrap,
}

impl Job {
    pub(super) fn communicators(&self) -> &Communicators {
        self.layer_state().get_or_init(|| Communicators {
            world: CommShared::world(self.layout()),
            bootstrap: Bootstrap::default(),
        })
    }
}

/// The predefined communicators of a process.
pub(crate) struct Predefined {
    pub(crate) world: Arc<Comm>,
    pub(crate) own: Arc<Comm>,
    /// The inter-communicator with the processes that have started the world; `None` if there are none, or if it has
    /// been freed.
    pub(crate) parent: Option<Arc<Comm>>,
}

/// The predefined communicators of a process whose world is initialised.
#[derive(Default)]
struct Cell(SpinLock<Option<Predefined>>);

impl Process {
    fn predefined_cell(&self) -> &SpinLock<Option<Predefined>> {
        let Cell(cell) = self.layer_state().get_or_init(Cell::default);
        cell
    }

    /// Sets the process's communicators, or takes them away.
    pub(crate) fn set_predefined(&self, predefined: Option<Predefined>) {
        let old = std::mem::replace(&mut *self.predefined_cell().lock(), predefined);
        drop(old);
    }

    /// The communicator of all processes.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Comm`] before initialisation and after finalization.
    pub fn comm_world(&self) -> Result<Arc<Comm>> {
        self.predefined(|predefined| &predefined.world)
    }

    /// The communicator of this process alone.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Comm`] before initialisation and after finalization.
    pub fn comm_self(&self) -> Result<Arc<Comm>> {
        self.predefined(|predefined| &predefined.own)
    }

    /// The inter-communicator with the processes that have started the world (`MPI_Comm_get_parent`); `None` if there
    /// are none, or if it has been freed.
    ///
    /// # Errors
    ///
    /// As [`Process::comm_world`].
    pub fn comm_parent(&self) -> Result<Option<Arc<Comm>>> {
        self.comm_world()?;
        let predefined = self.predefined_cell().lock();
        Ok(predefined
            .as_ref()
            .and_then(|predefined| predefined.parent.clone()))
    }

    /// Notes that the process frees a communicator: if it is the one with its parents, the process has none any more.
    pub(super) fn forget_parent(&self, comm: &Arc<Comm>) {
        let mut predefined = self.predefined_cell().lock();
        let parent = predefined
            .as_mut()
            .and_then(|predefined| predefined.parent.take_if(|parent| Arc::ptr_eq(parent, comm)));
        drop(predefined);
        drop(parent);
    }

    fn predefined(&self, choose: impl FnOnce(&Predefined) -> &Arc<Comm>) -> Result<Arc<Comm>> {
        let predefined = self.predefined_cell().lock();
        predefined.as_ref().map(choose).map(Arc::clone).ok_or_else(|| {
            Error::new(
                ErrorClass::Comm,
                "there are no communicators before MPI_Init and after MPI_Finalize",
            )
        })
    }
}
