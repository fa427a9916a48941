//! The world model: a process initialises MPI, has the communicators of its world, and finalizes.

use crate::comm::{Comm, Predefined};
use crate::error::Result;
use crate::process::{Process, ThreadLevel};
use crate::universe::parent_of;
use simurgh_core::sync::Arc;

impl Process {
    /// Begins the use of MPI, for any threads at any time.
    ///
    /// # Errors
    ///
    /// As [`Process::init_thread`].
    pub fn init(self: &Arc<Self>) -> Result<()> {
        self.init_thread(ThreadLevel::Multiple)
    }

    /// Begins the use of MPI (`MPI_Init_thread`), with a promise of this level of thread support.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Other`](crate::ErrorClass::Other) if MPI has been initialised before.
    pub fn init_thread(self: &Arc<Self>, level: ThreadLevel) -> Result<()> {
        self.begin_world(level)?;
        let world = Comm::world(self);
        let own = Comm::own(self)?;
        let parent = parent_of(self);
        self.set_predefined(Some(Predefined { world, own, parent }));
        Ok(())
    }

    /// Ends the use of MPI (`MPI_Finalize`): waits for the operations whose requests were freed.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Other`](crate::ErrorClass::Other) if MPI is not initialised or has been finalized before.
    pub fn finalize(&self) -> Result<()> {
        self.end_world()?;
        let job = self.job();
        job.worlds().stay_connected(job.layout().here().len());
        self.set_predefined(None);
        Ok(())
    }
}
