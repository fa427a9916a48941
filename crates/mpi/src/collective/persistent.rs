//! Persistent collectives.

use super::inter_host::{Leader, Round};
use super::nonblocking::{Contribution, Invocation, Nonblocking};
use crate::error::Result;
use crate::instrument::{self, Way};
use crate::process::Process;
use crate::request::{Operation, Participation, Request};
use simurgh_core::IdleTask;
use simurgh_core::sync::{Arc, AtomicU64, Ordering};

/// Data that a rank sends: the process that gets it, and the bytes.
pub(crate) type Outgoing = Box<[(u32, usize)]>;

/// A persistent collective as one rank has set it up.
#[derive(Debug)]
pub(crate) struct PersistentCollective {
    nonblocking: Arc<Nonblocking>,
    participation: Participation,
    local_index: usize,
    invocation: Invocation,
    process: Arc<Process>,
    /// What the rank sends each time, to which processes, as far as its communication is profiled.
    outflow: Outgoing,
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
        (process, outflow): (&Arc<Process>, Outgoing),
        leader: Option<Leader>,
    ) -> Self {
        Self {
            nonblocking,
            participation: Participation::default(),
            local_index,
            invocation,
            process: Arc::clone(process),
            outflow,
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
        for (to, bytes) in &self.outflow {
            instrument::exchanged(&self.process, Way::To, *to, *bytes);
        }
        let contribution = Contribution::Again(Arc::clone(request));
        // Relaxed: only one thread at a time starts a request.
        let time = self.starts.fetch_add(1, Ordering::Relaxed);
        let round = Round::Persistent(self.number, time);
        let leader = self.leader.as_ref().map(|leader| leader.at(round));
        self.nonblocking.bring(
            self.local_index,
            contribution,
            self.process.job(),
            leader.as_ref(),
        )
    }
}
