//! What a worker does for the network.

use std::sync::{Arc, Weak};
use std::time::Duration;

use super::Worker;
use crate::network::Network;
use crate::sync::Ordering;

/// Switches between two looks of a busy worker at the network.
const SWITCHES_PER_LOOK: u64 = 8;

/// What came of looking after the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// Nothing seemed to be there, or there is no network.
    Nothing,
    /// There was nothing, or somebody else was at it.
    Vain,
    /// Something has been done.
    Found,
}

impl Worker {
    /// Says where the worker may [sleep](Worker::sleep_at) besides; before it does, and once.
    pub fn set_network(&self, network: Weak<dyn Network>) {
        self.shared.inbox.set_network(network);
    }

    /// A network has come while the worker runs: whoever runs on it looks after it soon.
    pub fn join_network(&self, network: Arc<dyn Network>) {
        self.set_network(Arc::downgrade(&network));
        // Only the first counts.
        let _first = self.own.late_network.set(network);
        // Relaxed: the cell above is what synchronises.
        self.own.next_look.store(0, Ordering::Relaxed);
    }

    /// Begins to look after a network that has come late. Between two switches.
    fn take_up_network(&self) {
        // SAFETY:
        // - only the worker's kernel thread uses the slot, which is this one, and no EC runs.
        let network = unsafe { &mut *self.own.network.get() };
        if network.is_none() {
            *network = self.own.late_network.get().cloned();
        }
    }

    /// Looks after the network, if there is anything to do. For the worker's own thread and the ECs that it runs.
    #[inline]
    pub(crate) fn look_after_network(&self) -> Look {
        // SAFETY:
        // - only the worker's kernel thread uses the slot, which is this one, and changes it when no EC runs.
        match unsafe { &*self.own.network.get() } {
            Some(network) if network.has_mail() => {
                if self.poll(&**network) {
                    Look::Found
                } else {
                    Look::Vain
                }
            }
            _ => Look::Nothing,
        }
    }

    /// Looks after the network between two switches.
    #[cold]
    pub(super) fn look_in_passing(&self, switches: u64) {
        self.own
            .next_look
            .store(switches + SWITCHES_PER_LOOK, Ordering::Relaxed);
        self.take_up_network();
        // SAFETY:
        // - only the worker's kernel thread uses the slot, which is this one.
        let network = unsafe { &*self.own.network.get() };
        if let Some(network) = network.as_ref().filter(|network| network.has_mail()) {
            self.load_own();
            self.poll(&**network);
            self.own.registers.look_again();
        }
    }

    /// Polls a network. For the worker's own thread and the ECs that it runs.
    #[inline]
    pub fn poll(&self, network: &dyn Network) -> bool {
        self.own.poll_counters.poll(network)
    }

    /// As [`Worker::sleep`], but may also return early, and does when the time is over.
    pub fn sleep_for(&self, ticket: u32, limit: Duration) {
        self.shared.inbox.sleep_for(ticket, limit);
    }

    /// As [`Worker::sleep`], but also until something arrives from the network, or the time is over. The worker must
    /// have been told of the network.
    pub fn sleep_at(&self, network: &dyn Network, ticket: u32, limit: Option<Duration>) {
        self.shared.inbox.sleep_at(network, ticket, limit);
    }
}
