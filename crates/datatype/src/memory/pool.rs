//! Memory that has been used for long data, kept for the next.
//!
//! The C library gives long blocks back to the kernel at once, so that the next one costs a page fault for each of its
//! pages: several times what it costs to move the data. What is kept is bounded; the oldest goes first.

use std::collections::VecDeque;

use super::staging::StagingBuffer;
use crate::limits::{SPARE_MEMORY, SPARE_MIN};
use simurgh_core::sync::SpinLock;

/// What is kept, the oldest first.
static POOL: SpinLock<VecDeque<StagingBuffer>> = SpinLock::new(VecDeque::new());

/// Memory with room for so many bytes and not much more, if some is kept.
pub(super) fn take(bytes: usize) -> Option<StagingBuffer> {
    if !is_kept(bytes) {
        return None;
    }
    let mut spare = POOL.lock();
    let fits = |store: &StagingBuffer| (bytes..=bytes.saturating_mul(2)).contains(&store.bytes());
    let place = spare.iter().rposition(fits)?;
    spare.remove(place)
}

/// Whether memory with room for so many bytes is worth keeping.
pub(super) fn is_kept(bytes: usize) -> bool {
    (SPARE_MIN..=SPARE_MEMORY / 2).contains(&bytes)
}

/// Keeps memory that nobody uses; gives older that is kept no more.
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
