//! Connecting a job to its other hosts.

use super::Job;
use crate::endpoint::Credits;
use crate::network::{HostChannel, Network, Rounds};
use crate::request::{Callers, StatusCell};
use simurgh_core::sync::Arc;
use simurgh_net::Fabric;
use simurgh_net::HostId;

impl Job {
    /// Joins the other hosts of the job; the first time counts. Returns whether it was the first.
    ///
    /// # Panics
    ///
    /// When the fabric is not that of this host in a world of as many hosts.
    pub fn connect(self: &Arc<Self>, fabric: Fabric) -> bool {
        let job = Arc::downgrade(self);
        self.contexts().connect(move |host, notice| {
            if let Some(job) = job.upgrade() {
                job.connected().tell_context(host, notice);
            }
        });
        self.network.set(Network::new(self.host(), fabric)).is_ok()
    }

    /// The network of the job, once it has joined its other hosts.
    #[must_use]
    pub fn network(&self) -> Option<&Arc<Network>> {
        self.network.get()
    }

    /// The network of the job.
    ///
    /// # Panics
    ///
    /// When the job has not joined them.
    #[inline]
    pub(crate) fn connected(&self) -> &Network {
        self.network()
            .expect("a job of several hosts joins them before its ranks start")
    }

    /// A channel to the other hosts, for the first of these rounds, which are not negative.
    ///
    /// # Panics
    ///
    /// When the job has not joined its other hosts.
    pub(crate) fn host_channel(&self, rounds: Rounds) -> HostChannel<'_> {
        HostChannel::new(self.host(), self.connected(), rounds)
    }
}

impl Callers for Job {
    #[inline]
    fn status_cell(&self, process: u32, slot: u32) -> &StatusCell {
        self.host().status_cell(process, slot)
    }
}

impl Credits for Job {
    #[inline]
    fn received(&self, from: HostId, bytes: usize) {
        self.connected().received(from, bytes);
    }
}
