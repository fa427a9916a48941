//! [`Line`]: the cache line of a message.

use super::LINE_WORDS;
use crate::sync::{AtomicU64, Ordering};

/// A line of a ring.
#[derive(Default)]
#[repr(align(64))]
pub(super) struct Line {
    /// The position for which it was written, plus one, in the upper half; what the sender says of it in the lower.
    word: AtomicU64,
    pub(super) data: [AtomicU64; LINE_WORDS],
}

impl Line {
    /// Publishes the line, and the cell, as those of the message at this position.
    #[inline]
    pub(super) fn publish(&self, position: u32, note: u32) {
        let word = u64::from(position.wrapping_add(1)) << 32 | u64::from(note);
        // Release pairs with the Acquire in `holds`.
        self.word.store(word, Ordering::Release);
    }

    /// Its note, if it has been written for this position; then its data and the cell are visible.
    #[inline]
    pub(super) fn holds(&self, position: u32) -> Option<u32> {
        // Acquire pairs with the Release in `publish`.
        let word = self.word.load(Ordering::Acquire);
        ((word >> 32) as u32 == position.wrapping_add(1)).then_some(word as u32)
    }
}
