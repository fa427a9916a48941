//! [`FirstMessage`]: a message that its receiver reads in the ring.

#[cfg(not(loom))]
use super::LINE_WORDS;
use super::MessageRing;
use crate::sync::Ordering;

/// The oldest message of a ring.
pub struct FirstMessage<'a> {
    pub(super) ring: &'a MessageRing,
    pub(super) position: u32,
    pub(super) note: u32,
}

impl FirstMessage<'_> {
    /// The position of the message.
    #[inline]
    #[must_use]
    pub fn position(&self) -> u32 {
        self.position
    }

    /// The sender's note.
    #[inline]
    #[must_use]
    pub fn note(&self) -> u32 {
        self.note
    }

    /// A word of its line: one that its sender has written, or anything.
    ///
    /// # Panics
    ///
    /// When a line has not so many words.
    #[inline(always)]
    #[must_use]
    pub fn word(&self, index: usize) -> u64 {
        // Relaxed: `holds` has seen the word of the line.
        self.ring.line(self.position).data[index].load(Ordering::Relaxed)
    }

    /// Bytes of its line from this word on: those that its sender has written, or anything.
    ///
    /// # Panics
    ///
    /// When a line has not so many bytes.
    #[cfg(not(loom))]
    #[inline(always)]
    #[must_use]
    pub fn line_bytes(&self, word: usize, length: usize) -> &[u8] {
        let words = &self.ring.line(self.position).data[word..];
        assert!(length <= size_of_val(words), "a line has {LINE_WORDS} words");
        // SAFETY:
        // - an atomic number lies in memory as the number does, and there are so many bytes;
        // - the sender has published the message, and none writes the line again before it is finished, for which it
        //   must not be borrowed.
        unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), length) }
    }

    /// The first bytes of its cell: those that its sender has written, or anything.
    ///
    /// # Panics
    ///
    /// When a cell has not so many bytes.
    #[inline]
    #[must_use]
    pub fn cell(&self, length: usize) -> &[u8] {
        let cell = self.ring.cell(self.position);
        cell.fetch(length);
        self.ring.note_cell(length);
        // SAFETY:
        // - the sender has published the message, and none writes the cell again before it is finished, for which it
        //   must not be borrowed.
        unsafe { cell.bytes(length) }
    }

    /// Gives line and cell back to the senders.
    #[inline]
    pub fn finish(self) {
        // Release pairs with the Acquire in `has_come`.
        self.ring
            .receiver
            .head
            .store(self.position.wrapping_add(1), Ordering::Release);
    }
}
