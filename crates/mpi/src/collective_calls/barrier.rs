//! Barriers.

use super::{Collective, across_hosts};
use crate::collective::{Buffers, Call, Task};
use crate::comm::Comm;
use crate::error::Result;

impl Comm {
    /// Waits until all ranks, of both groups of an inter-communicator, have called it (`MPI_Barrier`).
    #[inline(always)]
    pub fn barrier(&self) -> Collective<'_> {
        Collective::new(self, Call::BARRIER, Buffers::NONE, Task::Barrier)
    }

    /// Waits until all ranks have called it, in `MPI_Win_free`. It is no `MPI_Barrier`: ranks of which some free a
    /// window and some pass a fence do not meet.
    ///
    /// # Errors
    ///
    /// When ranks are in different calls.
    pub(crate) fn meet_to_free(&self) -> Result<()> {
        if self.spans_hosts() {
            let meeting = Collective::new(self, Call::WIN_FREE, Buffers::NONE, Task::Barrier);
            return across_hosts(self, meeting.into_invocation());
        }
        self.intra_host().barrier_of(self.seat(), Call::WIN_FREE)
    }
}
