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

    /// Waits until all ranks have come, in a call that is no `MPI_Barrier`: ranks of which some free a window and some
    /// pass a fence do not meet.
    ///
    /// # Errors
    ///
    /// When ranks are in different calls.
    pub(crate) fn meet_in(&self, call: Call) -> Result<()> {
        if self.spans_hosts() {
            let meeting = Collective::new(self, call, Buffers::NONE, Task::Barrier);
            return across_hosts(self, meeting.into_invocation());
        }
        self.intra_host().barrier_of(self.seat(), call)
    }
}
