//! Disconnecting communicators.

use crate::comm::{Comm, IdDemand};
use crate::error::Result;
use crate::portable::portable;
use simurgh_core::sync::Arc;

/// The contribution of a rank to the last exchange.
struct Disconnect(());

portable! { Disconnect { 0 } }

impl Comm {
    /// Frees the communicator together with all its ranks, of both groups (`MPI_Comm_disconnect`). When it returns,
    /// whatever any rank has sent has been received, or is on its way to a receiver that has asked for it, and no rank
    /// needs another one to make further calls. Worlds that only this communicator has connected are not connected any
    /// more.
    ///
    /// # Errors
    ///
    /// As [`Comm::free`], and when the ranks make different calls.
    pub fn disconnect(self: Arc<Self>) -> Result<()> {
        if !self.is_predefined() {
            self.exchange(Disconnect(()), IdDemand::Nothing, |_, _| self.drain())?;
        }
        self.free()
    }

    /// Waits until nothing is left to be sent from this host to the communicator's other hosts, because nobody may poll
    /// for it from now on.
    fn drain(&self) {
        if let Some(host_map) = self.host_map() {
            let job = self.process().job();
            let others = host_map.all().iter().copied();
            let own = job.layout().own();
            job.connected()
                .flush(job.host(), others.filter(|host| *host != own));
        }
    }
}
