//! Waiting for all.

use super::{Call, Collective, Offer, Task};
use crate::comm::Comm;

impl Comm {
    /// Waits until all ranks, of both groups of an inter-communicator, have called it (`MPI_Barrier`).
    #[inline(always)]
    pub fn barrier(&self) -> Collective<'_> {
        Collective::new(self, Call::BARRIER, Offer::NONE, Task::Barrier)
    }
}
