//! The backlog of a rank: the memory of messages that were copied out for it and that it has not received.

use simurgh_core::sync::{Arc, AtomicBool, Ordering};

/// How much is in the backlog.
pub(super) struct Backlog {
    bytes: usize,
    limit: usize,
    is_full: Arc<AtomicBool>,
}

/// Whether a backlog is full, for those that have not locked the match table.
pub(super) struct BacklogState(Arc<AtomicBool>);

impl Backlog {
    /// An empty backlog that is full beyond `limit` bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            bytes: 0,
            limit,
            is_full: Arc::default(),
        }
    }

    /// Its state.
    pub(super) fn state(&self) -> BacklogState {
        BacklogState(Arc::clone(&self.is_full))
    }

    /// Bytes of memory.
    #[inline]
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Notes that so many bytes have come.
    #[inline]
    pub(super) fn add(&mut self, bytes: usize) {
        self.change(self.bytes + bytes);
    }

    /// Notes that so many bytes have been received.
    #[inline]
    pub(super) fn remove(&mut self, bytes: usize) {
        self.change(self.bytes - bytes);
    }

    #[inline]
    fn change(&mut self, bytes: usize) {
        let (was, is) = (self.bytes > self.limit, bytes > self.limit);
        self.bytes = bytes;
        if was != is {
            // Relaxed: who sees it too late sends one more.
            self.is_full.store(is, Ordering::Relaxed);
        }
    }
}

impl BacklogState {
    /// Whether more than the limit is there.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        // Relaxed: as above.
        self.0.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backlog_is_full_beyond_its_limit_only() {
        let mut backlog = Backlog::new(10);
        let state = backlog.state();
        backlog.add(10);
        assert!(!state.is_full());
        backlog.add(1);
        assert!(state.is_full() && backlog.bytes() == 11);
        backlog.remove(5);
        assert!(!state.is_full());
    }
}
