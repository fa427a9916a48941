//! The events of a rank that have not been delivered.

use super::event::KINDS;
use super::watch::Watch;
use simurgh_core::sync::{AtomicBool, AtomicU32, AtomicU64, Ordering, SpinLock};
use std::collections::VecDeque;

/// The greatest number of events of a rank that wait for its callbacks. Further ones are dropped and counted.
pub const MAX_TOOL_EVENTS: usize = 1024;

/// The greatest number of elements of an event.
const ELEMENTS: usize = 4;

/// An event that has happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// The index of its type.
    pub kind: usize,
    /// The time at which it happened, by the clock of its rank.
    pub time: u64,
    /// The elements, as many as its type has.
    pub elements: [u64; ELEMENTS],
}

/// The events of one rank, in the order in which they happened.
#[derive(Debug, Default)]
pub struct Queue {
    records: SpinLock<VecDeque<Record>>,
    /// Whether there may be records to deliver, or dropped events to report.
    pending: AtomicBool,
    /// The number of callbacks that want events of each kind.
    wanted: [AtomicU32; KINDS],
    /// The number of events of each kind that did not fit into the queue.
    dropped: [AtomicU64; KINDS],
}

/// A callback's registration for one kind of event. It ends when it is passed to [`Queue::forgo`].
#[derive(Debug)]
pub struct Wish {
    kind: usize,
    _watch: Watch,
}

impl Queue {
    /// Registers a callback for events of this kind.
    #[must_use]
    pub fn want(&self, kind: usize) -> Wish {
        // Space for all records is reserved now, since events are added while the rank's match table is locked.
        self.records.lock().reserve(MAX_TOOL_EVENTS);
        self.wanted[kind].fetch_add(1, Ordering::Relaxed);
        Wish {
            kind,
            _watch: Watch::begin(),
        }
    }

    /// Ends the registration of a callback.
    pub fn forgo(&self, wish: Wish) {
        self.wanted[wish.kind].fetch_sub(1, Ordering::Relaxed);
    }

    /// Adds an event if somebody wants its kind. `now` is called under the lock, so that times follow the order of the
    /// queue.
    pub(super) fn add(&self, kind: usize, elements: [u64; ELEMENTS], now: impl FnOnce() -> u64) {
        // Relaxed: an event that happens during a registration may be seen or missed.
        if self.wanted[kind].load(Ordering::Relaxed) == 0 {
            return;
        }
        let mut records = self.records.lock();
        if records.len() < MAX_TOOL_EVENTS {
            let time = now();
            records.push_back(Record { kind, time, elements });
        } else {
            self.dropped[kind].fetch_add(1, Ordering::Relaxed);
        }
        drop(records);
        // Release pairs with the Acquire in `is_pending`.
        self.pending.store(true, Ordering::Release);
    }

    /// Whether events of any kind are wanted.
    #[must_use]
    pub fn is_watched(&self) -> bool {
        // Relaxed: a rank registers its callbacks itself.
        let mut wanted = self.wanted.iter();
        wanted.any(|callbacks| callbacks.load(Ordering::Relaxed) > 0)
    }

    /// Whether there may be something to deliver.
    #[must_use]
    pub fn is_pending(&self) -> bool {
        // Acquire pairs with the Release in `add`.
        self.pending.load(Ordering::Acquire)
    }

    /// Takes the oldest event.
    pub fn take(&self) -> Option<Record> {
        let mut records = self.records.lock();
        let record = records.pop_front();
        if record.is_none() {
            self.pending.store(false, Ordering::Relaxed);
        }
        record
    }

    /// Takes the number of events of a kind that were dropped since the last call.
    pub fn take_dropped(&self, kind: usize) -> u64 {
        self.dropped[kind].swap(0, Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_wanted_is_kept_and_what_does_not_fit_is_counted() {
        let queue = Queue::default();
        queue.add(0, [1; ELEMENTS], || 0);
        assert!(!queue.is_pending() && queue.take().is_none());
        let wish = queue.want(0);
        assert!(super::super::on());
        queue.add(1, [1; ELEMENTS], || 0);
        for number in 0..MAX_TOOL_EVENTS as u64 + 3 {
            queue.add(0, [number; ELEMENTS], || number);
        }
        assert!(queue.is_pending());
        assert_eq!((queue.take_dropped(0), queue.take_dropped(0)), (3, 0));
        let taken: Vec<_> = std::iter::from_fn(|| queue.take()).collect();
        assert!(
            taken
                .iter()
                .map(|record| record.time)
                .eq(0..MAX_TOOL_EVENTS as u64)
        );
        assert!(!queue.is_pending());
        queue.forgo(wish);
        queue.add(0, [1; ELEMENTS], || 0);
        assert!(queue.take().is_none());
    }
}
