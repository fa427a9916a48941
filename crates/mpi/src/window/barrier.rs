//! The meeting of a window's ranks.
//!
//! Where each rank has a process of its own and all of them share memory for the window's locks, they meet there: an
//! arrival is one atomic addition. A rank that arrives looks at the memory for as long as nobody else could use its
//! processor. Then it sleeps, and whoever arrives last tells its process by a notice. Elsewhere the ranks meet as in
//! `MPI_Barrier`, which brings those of a process together first.

use super::Window;
use super::sleepers::{Bed, Cause};
use crate::collective::Call;
use crate::error::Result;
use simurgh_core::{SharedBarrier, spin_while_idle};

impl Window {
    /// Waits until all ranks have come.
    pub(super) fn meet(&self) -> Result<()> {
        match self.shared.barrier() {
            Some(barrier) => {
                self.meet_in_memory(barrier);
                Ok(())
            }
            None => self.comm.meet_in(Call::WIN_FENCE),
        }
    }

    fn meet_in_memory(&self, barrier: SharedBarrier<'_>) {
        let Some(phase) = barrier.arrive() else {
            let network = self.process().job().network();
            for party in barrier.sleepers() {
                self.shared
                    .wake(party as u32, Bed::Fence, network.map(|network| &**network));
            }
            return self.serve_others();
        };
        let has_ended = || barrier.has_ended(phase);
        while !has_ended() && !spin_while_idle(has_ended) {
            self.sleep(Cause::Fence, || barrier.sleep(self.comm.seat(), phase));
        }
    }
}
