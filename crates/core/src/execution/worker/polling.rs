//! How a worker polls the network, and sleeps where the network wakes it.

use std::sync::{Arc, Weak};
use std::time::Duration;

use super::Worker;
use crate::network::Network;
use crate::sync::Ordering;

/// The outcome of a poll of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PollOutcome {
    /// There is no network, or nothing seemed to be there: it was not polled.
    Skipped,
    /// There was nothing, or somebody else polls.
    Empty,
    /// Something has been done.
    Found,
}

impl Worker {
    /// Sets the network in which the worker may [sleep](Worker::sleep_at), before it does. To be called once.
    pub fn set_network(&self, network: Weak<dyn Network>) {
        self.shared.inbox.set_network(network);
    }

    /// Has the worker, which runs already, poll a network from its next switches on.
    pub fn join_network(&self, network: Arc<dyn Network>) {
        self.set_network(Arc::downgrade(&network));
        // Only the first counts.
        let _first = self.own.late_network.set(network);
        // Relaxed: the cell above is what synchronises.
        self.own.next_poll.store(0, Ordering::Relaxed);
    }

    /// Takes up a network that has come late. To be called between two switches.
    fn take_up_network(&self) {
        // SAFETY:
        // - only the worker's kernel thread uses the slot, which is this one, and no EC runs.
        let network = unsafe { &mut *self.own.network.get() };
        if network.is_none() {
            *network = self.own.late_network.get().cloned();
        }
    }

    /// Polls the network, if anything seems to be there. For the worker's own thread and the contexts that it runs.
    #[inline]
    pub(crate) fn poll_network(&self) -> PollOutcome {
        // SAFETY:
        // - only the worker's kernel thread uses the slot, which is this one, and changes it when no EC runs.
        match unsafe { &*self.own.network.get() } {
            Some(network) if network.has_mail() => {
                if self.poll(&**network) {
                    PollOutcome::Found
                } else {
                    PollOutcome::Empty
                }
            }
            _ => PollOutcome::Skipped,
        }
    }

    /// Polls the network between two switches, if anything seems to be there.
    #[cold]
    pub(super) fn poll_in_passing(&self, switches: u64) {
        self.take_up_network();
        // SAFETY:
        // - only the worker's kernel thread uses the slot, which is this one.
        let network = unsafe { &*self.own.network.get() };
        let network = network.as_ref().filter(|network| network.has_mail());
        let found = network.is_some_and(|network| {
            self.load_own();
            let found = self.poll(&**network);
            self.own.registers.reread();
            found
        });
        let pause = self.own.poll_rhythm.after(switches, found);
        self.own.next_poll.store(switches + pause, Ordering::Relaxed);
    }

    /// Polls a network. For the worker's own thread and the contexts that it runs.
    #[inline]
    pub fn poll(&self, network: &dyn Network) -> bool {
        self.own.poll_counters.poll(network)
    }

    /// As [`Worker::sleep`], but returns when the time is over, and may return early.
    pub fn sleep_for(&self, ticket: u32, limit: Duration) {
        self.shared.inbox.sleep_for(ticket, limit);
    }

    /// As [`Worker::sleep`], but returns also when something arrives from the network, which must be
    /// [known](Worker::set_network) to the worker, or the time is over.
    pub fn sleep_at(&self, network: &dyn Network, ticket: u32, limit: Option<Duration>) {
        self.shared.inbox.sleep_at(network, ticket, limit);
    }
}
