//! The pool of staging buffers: memory of long data that is kept for the next.
//!
//! The C library returns long blocks to the kernel at once, and the next block then costs a page fault for each of its
//! pages: several times the cost of moving the data. The pool is bounded; the oldest buffers are freed first.

use std::collections::VecDeque;

use super::staging::StagingBuffer;
use crate::limits::{SPARE_MEMORY, SPARE_MIN};
use simurgh_core::sync::SpinLock;

/// The buffers that are kept, the oldest first.
static POOL: SpinLock<VecDeque<StagingBuffer>> = SpinLock::new(VecDeque::new());

/// A buffer for `bytes` bytes that is at most twice as large, if one is kept.
pub(super) fn take(bytes: usize) -> Option<StagingBuffer> {
    if !is_kept(bytes) {
        return None;
    }
    let mut spare = POOL.lock();
    let fits = |store: &StagingBuffer| (bytes..=bytes.saturating_mul(2)).contains(&store.bytes());
    let place = spare.iter().rposition(fits)?;
    spare.remove(place)
}

/// Whether a buffer of this size is worth keeping.
pub(super) fn is_kept(bytes: usize) -> bool {
    (SPARE_MIN..=SPARE_MEMORY / 2).contains(&bytes)
}

/// Keeps a buffer that nobody uses any more; returns older ones that have to be freed for it.
pub(super) fn keep(store: StagingBuffer) -> Vec<StagingBuffer> {
    let mut spare = POOL.lock();
    spare.push_back(store);
    let mut total: usize = spare.iter().map(StagingBuffer::bytes).sum();
    let mut gone = Vec::new();
    while total > SPARE_MEMORY {
        let oldest = spare.pop_front().expect("more than nothing is kept");
        total -= oldest.bytes();
        gone.push(oldest);
    }
    gone
}

/// Bytes that are kept.
#[cfg(test)]
pub(super) fn kept() -> usize {
    POOL.lock().iter().map(StagingBuffer::bytes).sum()
}
