//! Persistent collectives.

use super::inter_host::{Leader, Round};
use super::nonblocking::{Contribution, Invocation, Nonblocking};
use crate::error::Result;
use crate::job::Job;
use crate::request::{Operation, Participation, Request};
use simurgh_core::IdleTask;
use simurgh_core::sync::{Arc, AtomicU64, Ordering};

/// A persistent collective as one rank has set it up.
#[derive(Debug)]
pub(crate) struct PersistentCollective {
    nonblocking: Arc<Nonblocking>,
    participation: Participation,
    local_index: usize,
    invocation: Invocation,
    job: Arc<Job>,
    /// The leader of this host for the inter-host phase, if there are several hosts.
    leader: Option<Leader>,
    /// Number of the collective on its communicator.
    number: u64,
    /// How often it has been started.
    starts: AtomicU64,
}

impl PersistentCollective {
    /// An inactive persistent collective: the one with this `number` on its communicator, of the rank with this local
    /// index.
    pub(crate) fn new(
        (number, local_index): (u64, usize),
        nonblocking: Arc<Nonblocking>,
        invocation: Invocation,
        job: &Arc<Job>,
        leader: Option<Leader>,
    ) -> Self {
        Self {
            nonblocking,
            participation: Participation::default(),
            local_index,
            invocation,
            job: Arc::clone(job),
            leader,
            number,
            starts: AtomicU64::new(0),
        }
    }

    pub(crate) fn invocation(&self) -> &Invocation {
        &self.invocation
    }
}

impl Operation for PersistentCollective {
    fn participation(&self) -> Option<&Participation> {
        Some(&self.participation)
    }

    fn start(&self, request: &Arc<Request>) -> Result<()> {
        self.participation
            .begin(Arc::clone(&self.nonblocking) as Arc<dyn IdleTask>);
        let contribution = Contribution::Again(Arc::clone(request));
        // Relaxed: only one thread at a time starts a request.
        let time = self.starts.fetch_add(1, Ordering::Relaxed);
        let round = Round::Persistent(self.number, time);
        let leader = self.leader.as_ref().map(|leader| leader.at(round));
        self.nonblocking
            .bring(self.local_index, contribution, &self.job, leader.as_ref())
    }
}
