//! The endpoint of a rank: its match table, with the posted receives and the unexpected messages, and the slots of its
//! blocking calls.

mod backlog;
mod eager_buffer;
mod incoming;
mod match_table;
mod reference;
mod request_to_send;
mod unexpected;

use backlog::Backlog;
pub(crate) use eager_buffer::{EagerBuffer, EagerPool};
use incoming::Incoming;
pub(crate) use incoming::{RingLimit, RingMessage};
pub(crate) use match_table::{MatchTable, PostedReceive};
pub(crate) use request_to_send::{Handle, RequestToSend};
pub(crate) use unexpected::{Credits, Unexpected, status_of};

use crate::instrument::{Tool, Watched};
use crate::partitioned::Pairing;
use crate::request::{CallSlots, Callers, StatusCell};
use simurgh_core::sync::{Arc, SpinGuard, SpinLock};
use std::sync::OnceLock;

/// A rank as the other ranks of its host see it: its match table, and the slots of its blocking calls. It begins a
/// cache line, with the lock of the table.
#[repr(C, align(64))]
pub(crate) struct Endpoint {
    table: SpinLock<MatchTable>,
    slots: CallSlots,
    pairing: Pairing,
    tool: OnceLock<Arc<Tool>>,
    incoming: Incoming,
}

impl Endpoint {
    /// The endpoint of a rank, with the limit on scanning its queues and on the bytes that wait for it.
    pub(crate) fn new(scan_limit: usize, backlog_limit: usize) -> Self {
        let backlog = Backlog::new(backlog_limit);
        Self {
            incoming: Incoming::new(backlog.state()),
            table: SpinLock::new(MatchTable::new(scan_limit, backlog)),
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
    pub(crate) fn table(&self) -> SpinGuard<'_, MatchTable> {
        self.lock_table(Self::deliver_all)
    }

    /// Locks the match table for the rank itself. Messages that are just being sent may not be in it.
    #[inline(always)]
    pub(crate) fn own_table(&self) -> SpinGuard<'_, MatchTable> {
        self.lock_table(Self::deliver_present)
    }

    /// Locks the match table for a receive of the rank itself. Messages that came through the ring may not be in it.
    #[inline(always)]
    pub(crate) fn table_to_receive(&self) -> SpinGuard<'_, MatchTable> {
        self.table.lock_biased()
    }

    #[inline(always)]
    fn lock_table(&self, deliver: impl Fn(&Self, &mut MatchTable)) -> SpinGuard<'_, MatchTable> {
        let mut table = self.table.lock_biased();
        if table.has_ring {
            deliver(self, &mut table);
        }
        table
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
    use crate::matching::{Envelope, HEADER, PatternKinds};
    use crate::memory::StagingBuffer;

    #[test]
    fn what_changes_with_each_receive_shares_the_line_of_the_lock() {
        let endpoint = Endpoint::new(8, 1 << 20);
        let lock = (&raw const endpoint.table).addr();
        let header = (&raw const endpoint.table().posted).addr();
        assert_eq!(lock % 64, 0);
        assert!(header >= lock && header + HEADER <= lock + 64);
    }

    #[test]
    fn only_what_does_not_fit_in_a_ring_leaves_its_address_there() {
        let (endpoint, buffer) = (Endpoint::new(8, 1 << 20), StagingBuffer::new(4096));
        endpoint.add_ring();
        let envelope = Envelope {
            context: 1,
            source: 0,
            tag: 0,
        };
        let leave = |bytes| endpoint.leave_reference(envelope, PatternKinds::ALL, &buffer.source(0, bytes));
        for bytes in [0, 8, 40, 2049] {
            assert_eq!(leave(bytes), None);
        }
        let left = [41, 2048].map(leave);
        assert_eq!(left, [Some(0), Some(1)]);
        assert!(!endpoint.has_taken(0));
        drop(endpoint.table());
        assert!(endpoint.has_taken(1) && endpoint.table().unexpected_length() == 2);
    }
}
