//! The endpoint of a rank: its match table, with the posted receives and the unexpected messages, and the slots of its
//! blocking calls.

mod backlog;
mod eager_buffer;
mod incoming;
mod match_table;
mod rank_owner;
mod reference;
mod request_to_send;
mod unexpected;
mod vp_ring;

use backlog::Backlog;
pub(crate) use eager_buffer::{EagerBuffer, EagerPool};
use incoming::Incoming;
pub(crate) use incoming::{Letter, RingMessage};
pub(crate) use match_table::{MatchTable, PostedReceive};
pub(crate) use request_to_send::{Handle, RequestToSend};
pub(crate) use unexpected::{Credits, Unexpected, status_of};
pub(crate) use vp_ring::{Endpoints, RingPlace, VpRings};

use crate::instrument::{Tool, Watched};
use crate::partitioned::Pairing;
use crate::request::{CallSlots, Callers, StatusCell};
use simurgh_core::sync::{Arc, BiasedGuard, BiasedLock, LockOwner};
use std::sync::OnceLock;

/// A rank as the other ranks of its host see it: its match table, and the slots of its blocking calls. It begins a
/// cache line, with the lock of the table.
#[repr(C, align(64))]
pub(crate) struct Endpoint {
    table: BiasedLock<MatchTable>,
    slots: CallSlots,
    pairing: Pairing,
    tool: OnceLock<Arc<Tool>>,
    incoming: Incoming,
}

impl Endpoint {
    /// The endpoint of a rank, with the limit on scanning its queues and on the bytes that wait for it, on a host with
    /// these rings.
    pub(crate) fn new(scan_limit: usize, backlog_limit: usize, rings: &Arc<VpRings>) -> Self {
        let backlog = Backlog::new(backlog_limit);
        Self {
            incoming: Incoming::new(Arc::clone(rings), backlog.state()),
            table: BiasedLock::new(MatchTable::new(scan_limit, backlog)),
            slots: CallSlots::default(),
            pairing: Pairing::default(),
            tool: OnceLock::new(),
        }
    }

    /// The instrumentation of the rank, which is made at the first call.
    pub(crate) fn tool_or_new(&self) -> &Arc<Tool> {
        self.tool.get_or_init(Arc::default)
    }

    /// Locks the match table. All messages that have been sent are in it.
    #[inline]
    pub(crate) fn table(&self) -> BiasedGuard<'_, MatchTable> {
        self.deliver_all();
        self.table.lock()
    }

    /// Locks the match table for a message. All messages that the same sender has sent before are in it.
    #[inline(always)]
    pub(crate) fn table_for(&self, sender: &Endpoint) -> BiasedGuard<'_, MatchTable> {
        self.deliver_all_of(sender);
        self.table.lock()
    }

    /// Locks the match table for the rank itself. Messages that are just being sent may not be in it.
    #[inline(always)]
    pub(crate) fn own_table(&self, ranks: &impl Endpoints) -> BiasedGuard<'_, MatchTable> {
        self.look_into_ring(ranks);
        self.table.lock()
    }

    /// Locks the match table for a receive that a thread of the rank itself starts. Messages that came through the ring
    /// may not be in it.
    #[inline(always)]
    pub(crate) fn table_to_receive(&self) -> BiasedGuard<'_, MatchTable> {
        self.table_by(self.incoming.owner())
    }

    /// Locks the match table for a message that was in the ring. The owner of the table is given if it is the caller.
    #[inline(always)]
    fn table_by(&self, owner: Option<&LockOwner>) -> BiasedGuard<'_, MatchTable> {
        match owner {
            Some(owner) => self.table.lock_as(owner),
            None => self.table.lock(),
        }
    }

    /// The slots of blocking calls.
    #[inline]
    pub(crate) fn slots(&self) -> &CallSlots {
        &self.slots
    }

    /// Partitioned sends to the rank and receives of it.
    pub(crate) fn pairing(&self) -> &Pairing {
        &self.pairing
    }
}

/// For the rank's own calls, which are the only ones that wait in its table.
impl Callers for Endpoint {
    #[inline]
    fn status_cell(&self, _process: u32, slot: u32) -> &StatusCell {
        self.slots.status_cell(slot)
    }
}

impl Watched for Endpoint {
    fn active_tool(&self) -> Option<&Arc<Tool>> {
        self.tool.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Job;
    use crate::matching::{Envelope, HEADER, PatternKinds};
    use crate::memory::StagingBuffer;
    use simurgh_core::Worker;

    #[test]
    fn what_changes_with_each_receive_shares_the_line_of_the_lock() {
        let endpoint = Endpoint::new(8, 1 << 20, &Arc::default());
        let lock = (&raw const endpoint.table).addr();
        let header = (&raw const endpoint.table().posted).addr();
        assert_eq!(lock % 64, 0);
        assert!(header >= lock && header + HEADER <= lock + 64);
    }

    const ENVELOPE: Envelope = Envelope {
        context: 1,
        source: 0,
        tag: 0,
    };

    /// A message from process 1 to process 0.
    fn letter(job: &Job) -> Letter<'_> {
        Letter {
            sender: job.endpoint(1),
            receiver: 0,
            envelope: ENVELOPE,
            kinds: PatternKinds::ALL,
        }
    }

    #[test]
    fn only_what_does_not_fit_in_a_ring_leaves_its_address_there() {
        let (job, worker, buffer) = (Job::new(2), Worker::team(2, 0)[0], StagingBuffer::new(4096));
        let to = job.endpoint(0);
        assert!(to.begin_looking(worker, true, &job));
        let leave = |bytes| to.leave_reference(letter(&job), &buffer.source(0, bytes));
        for bytes in [0, 8, 512, 2049] {
            assert_eq!(leave(bytes), None);
        }
        let [first, second] = [513, 2048].map(|bytes| leave(bytes).expect("there is room"));
        let rings = job.host().rings();
        assert!(!rings.have_taken(first));
        drop(to.table());
        assert!(rings.have_taken(second) && to.table().unexpected_length() == 2);
    }

    #[test]
    fn a_rank_that_moves_gets_what_is_in_the_ring_that_it_leaves() {
        let (job, team, buffer) = (Job::new(2), Worker::team(2, 0), StagingBuffer::new(8));
        let to = job.endpoint(0);
        let leave = || to.leave_in_ring(letter(&job), &buffer.source(0, 8));
        assert_eq!(leave(), None, "nobody looks");
        assert!(to.begin_looking(team[0], false, &job));
        let first = leave().expect("there is room");
        assert_eq!(to.table_to_receive().unexpected_length(), 0);
        assert!(to.begin_looking(team[1], false, &job));
        assert!(job.host().rings().have_taken(first));
        assert_eq!(to.table_to_receive().unexpected_length(), 1);
        let second = leave().expect("there is room");
        assert_eq!((first.ring, second.ring), (0, 1));
        assert_eq!(to.table_to_receive().unexpected_length(), 1);
        to.look_into_ring(job.host());
        assert_eq!(to.table_to_receive().unexpected_length(), 2);
        assert_ne!(first.message(), second.message());
    }

    #[test]
    fn ranks_that_live_together_and_ranks_of_several_threads_use_the_table() {
        let (job, team, buffer) = (Job::new(2), Worker::team(2, 0), StagingBuffer::new(8));
        let (to, from) = (job.endpoint(0), job.endpoint(1));
        let leave = || to.leave_in_ring(letter(&job), &buffer.source(0, 8));
        assert!(to.begin_looking(team[0], false, &job) && from.begin_looking(team[0], false, &job));
        assert_eq!(leave(), None);
        assert!(from.begin_looking(team[1], false, &job));
        let place = leave().expect("there is room");
        (0..2).for_each(|_| to.add_thread());
        assert!(job.host().rings().have_taken(place));
        assert_eq!(leave(), None);
        assert!(!to.begin_looking(team[0], false, &job));
    }

    #[test]
    fn a_message_that_goes_through_the_table_finds_those_before_it_there() {
        let (job, worker, buffer) = (Job::new(3), Worker::team(2, 0)[0], StagingBuffer::new(8));
        let (to, other) = (job.endpoint(0), job.endpoint(2));
        assert!(to.begin_looking(worker, false, &job));
        to.leave_in_ring(letter(&job), &buffer.source(0, 8))
            .expect("there is room");
        assert_eq!(to.table_for(other).unexpected_length(), 0);
        assert_eq!(to.table_for(job.endpoint(1)).unexpected_length(), 1);
    }

    #[test]
    fn a_closed_ring_takes_nothing() {
        let (job, worker, buffer) = (Job::new(2), Worker::team(2, 0)[0], StagingBuffer::new(8));
        let to = job.endpoint(0);
        let leave = || to.leave_in_ring(letter(&job), &buffer.source(0, 8));
        assert!(to.begin_looking(worker, false, &job) && leave().is_some());
        worker.suspend_mailbox();
        worker.suspend_mailbox();
        assert_eq!(to.table_to_receive().unexpected_length(), 1);
        assert_eq!(leave(), None);
        worker.resume_mailbox();
        assert!(leave().is_some());
    }
}
