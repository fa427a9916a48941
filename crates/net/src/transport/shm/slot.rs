//! A slot of a ring, which holds one packet: a cache line, and a cell for what has no room there.

use std::mem::size_of;

use simurgh_core::sync::{AtomicU64, Ordering, prefetch_read, prefetch_write, store_fenced};

use crate::HostId;
use crate::transport::{HEADER, Header};

/// Words of a header.
const HEADER_WORDS: usize = HEADER / size_of::<u64>();
/// Most data that lies in the slot's own line, in bytes.
pub(super) const WORD: usize = size_of::<u64>();

/// A slot. All words are atomics, since another process may write them at any time.
#[derive(Default)]
#[repr(C, align(64))]
pub(super) struct Slot {
    /// The number of the packet that it holds, plus one.
    sequence: AtomicU64,
    /// Sender and length, as [`Envelope`] packs them.
    envelope: AtomicU64,
    header: [AtomicU64; HEADER_WORDS],
    /// Up to eight bytes of data, or the [place](super::buffer_place::BufferPlace) in a buffer that holds it.
    word: AtomicU64,
}

/// Sender and length of a packet, as the sender claims. They have to be checked before use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Envelope {
    /// The sender.
    pub(super) from: HostId,
    /// Bytes of data; [`Envelope::VOID`] if the sender gave the packet up.
    pub(super) length: u32,
}

impl Envelope {
    /// The length of a packet that its sender gave up.
    pub(super) const VOID: u32 = u32::MAX;

    fn pack(self) -> u64 {
        u64::from(self.from) << 32 | u64::from(self.length)
    }

    fn unpack(word: u64) -> Self {
        Self {
            from: (word >> 32) as u32,
            length: word as u32,
        }
    }
}

impl Slot {
    /// Whether it holds packet `number`.
    #[inline]
    pub(super) fn holds(&self, number: u64) -> bool {
        // Acquire pairs with the Release in `publish`.
        self.sequence.load(Ordering::Acquire) == number.wrapping_add(1)
    }

    /// Shows packet `number` to the receiver, with a fence behind it.
    #[inline]
    pub(super) fn publish(&self, number: u64) {
        // Pairs with the Acquire in `holds`.
        store_fenced(&self.sequence, number.wrapping_add(1));
    }

    /// Prefetches it for writing.
    #[inline]
    pub(super) fn prepare(&self) {
        prefetch_write(&self.sequence);
    }

    /// Prefetches it for reading.
    #[inline]
    pub(super) fn fetch(&self) {
        prefetch_read(&self.sequence);
    }

    /// Writes envelope and header.
    #[inline]
    pub(super) fn write(&self, envelope: Envelope, header: &Header) {
        // Relaxed, here and below: `publish` and `holds` order all accesses to the packet.
        self.envelope.store(envelope.pack(), Ordering::Relaxed);
        let (words, _) = header.as_chunks();
        for (place, word) in self.header.iter().zip(words) {
            place.store(u64::from_ne_bytes(*word), Ordering::Relaxed);
        }
    }

    /// Writes the word of data.
    #[inline]
    pub(super) fn write_word(&self, word: u64) {
        self.word.store(word, Ordering::Relaxed);
    }

    /// Sender and length.
    #[inline]
    pub(super) fn envelope(&self) -> Envelope {
        Envelope::unpack(self.envelope.load(Ordering::Relaxed))
    }

    /// The header.
    #[inline]
    pub(super) fn header(&self) -> Header {
        let mut header = [0; HEADER];
        let (words, _) = header.as_chunks_mut();
        for (word, place) in words.iter_mut().zip(&self.header) {
            *word = place.load(Ordering::Relaxed).to_ne_bytes();
        }
        header
    }

    /// The word of data.
    #[inline]
    pub(super) fn word(&self) -> u64 {
        self.word.load(Ordering::Relaxed)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn it_is_one_line() {
        assert_eq!(size_of::<Slot>(), 64);
    }

    #[test]
    fn what_is_written_is_read() {
        let slot = Slot::default();
        let mut header = [0; HEADER];
        header.iter_mut().zip(1..).for_each(|(byte, value)| *byte = value);
        let envelope = Envelope { from: 7, length: 8 };
        slot.write(envelope, &header);
        slot.write_word(0x0123_4567_89ab_cdef);
        assert!(!slot.holds(0));
        slot.publish(0);
        assert!(slot.holds(0) && !slot.holds(1));
        assert_eq!((slot.envelope(), slot.header()), (envelope, header));
        assert_eq!(slot.word(), 0x0123_4567_89ab_cdef);
    }
}
