//! Status cells: the outcome of an operation, and the event of its completion.

use crate::error::ErrorCode;
use crate::error::Status;
use crate::instrument::{self, Reason};
use simurgh_core::Completion;
use simurgh_core::sync::{AtomicU64, Ordering};

/// An outcome and the event of its arrival, on half a cache line.
///
/// The side that completes the operation writes the fields once, before it signals the completion; the side that waits
/// reads them after that. The completion orders the two, so that the fields need no ordering of their own.
#[derive(Debug, Default)]
pub(crate) struct StatusCell {
    completion: Completion,
    label: AtomicU64,
    bytes: AtomicU64,
    end: AtomicU64,
}

/// Set in `end` above the error code.
const CANCELLED: u64 = 1 << 32;
/// All that is in `end` while data of another host is under way.
const ARRIVING: u64 = 1 << 33;

impl StatusCell {
    /// Records the outcome and wakes the waiter; the owner of the cell may reuse it at once.
    #[inline]
    pub(crate) fn finish(&self, status: &Status) {
        self.record(status);
        self.completion.complete_biased();
    }

    /// Notes that the operation is a receive whose data has been asked for at another host. Whoever sleeps until it has
    /// come is about the network from now on.
    pub(crate) fn begin_arrival(&self) {
        // Relaxed: who waits takes it as a hint.
        self.end.store(ARRIVING, Ordering::Relaxed);
        self.completion.expedite();
    }

    /// Whether the operation is not complete, and data is under way for it.
    #[inline]
    pub(crate) fn is_arriving(&self) -> bool {
        // Relaxed: see `begin_arrival`.
        self.end.load(Ordering::Relaxed) == ARRIVING
    }

    /// Records the outcome of an operation that no other thread knows yet, so that none can wait for it.
    #[inline]
    pub(crate) fn settle(&self, status: &Status) {
        self.record(status);
        self.completion.preset();
    }

    #[inline]
    fn record(&self, status: &Status) {
        // Relaxed: the Release in `complete` publishes these stores to the Acquire in `is_done` and `wait`.
        let label = u64::from(status.source.cast_unsigned()) << 32 | u64::from(status.tag.cast_unsigned());
        self.label.store(label, Ordering::Relaxed);
        self.bytes.store(status.bytes, Ordering::Relaxed);
        let cancelled = if status.cancelled { CANCELLED } else { 0 };
        self.end.store(
            u64::from(status.error.number().cast_unsigned()) | cancelled,
            Ordering::Relaxed,
        );
    }

    /// The outcome, once the completion is done.
    #[inline]
    pub(crate) fn status(&self) -> Status {
        // Relaxed: see `finish`.
        let label = self.label.load(Ordering::Relaxed);
        let end = self.end.load(Ordering::Relaxed);
        Status {
            source: ((label >> 32) as u32).cast_signed(),
            tag: (label as u32).cast_signed(),
            error: ErrorCode::new((end as u32).cast_signed()),
            bytes: self.bytes.load(Ordering::Relaxed),
            cancelled: end & CANCELLED != 0,
        }
    }

    /// The event of the completion.
    #[inline]
    pub(crate) fn completion(&self) -> &Completion {
        &self.completion
    }

    /// Whether the outcome is there.
    #[inline]
    pub(crate) fn is_done(&self) -> bool {
        self.completion.is_done()
    }

    /// Whether the outcome is there, and neither an error nor a cancellation.
    #[inline]
    pub(crate) fn has_succeeded(&self) -> bool {
        // Relaxed: see `finish`.
        self.is_done() && self.end.load(Ordering::Relaxed) == 0
    }

    /// Blocks until the outcome is there.
    #[inline]
    pub(crate) fn wait(&self) -> Status {
        if instrument::on() && !self.is_done() {
            instrument::blocking(Reason::Message, || self.completion.wait_biased());
        } else {
            self.completion.wait_biased();
        }
        self.status()
    }

    /// Clears the outcome, for the next operation.
    #[inline]
    pub(crate) fn reset(&self) {
        self.completion.reset();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_carries_a_status() {
        let status_cell = StatusCell::default();
        assert!(!status_cell.is_done());
        let status = Status {
            source: -3,
            tag: -2,
            error: ErrorCode::new(-7),
            bytes: 1 << 40,
            cancelled: true,
        };
        status_cell.finish(&status);
        assert!(status_cell.is_done() && !status_cell.has_succeeded());
        assert_eq!(status_cell.wait(), status);
        status_cell.reset();
        assert!(!status_cell.is_done() && !status_cell.has_succeeded());
        status_cell.finish(&Status::EMPTY);
        assert!(status_cell.has_succeeded());
    }
}
