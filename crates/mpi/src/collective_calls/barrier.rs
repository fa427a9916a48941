//! Barriers.

use super::Collective;
use crate::collective::{Buffers, Call, Task};
use crate::comm::Comm;

impl Comm {
    /// Waits until all ranks, of both groups of an inter-communicator, have called it (`MPI_Barrier`).
    #[inline(always)]
    pub fn barrier(&self) -> Collective<'_> {
        Collective::new(self, Call::BARRIER, Buffers::NONE, Task::Barrier)
    }
}
