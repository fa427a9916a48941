//! A slot of a ring, which holds one packet: two cache lines, of which a short packet needs the first only.

use std::mem::size_of;

use simurgh_core::sync::{AtomicU64, Ordering, prefetch_read, prefetch_write, store_fenced};

use crate::HostId;
use crate::transport::{HEADER, Header};

/// Words of a header.
const HEADER_WORDS: usize = HEADER / size_of::<u64>();
/// Words of data that a slot holds.
const DATA_WORDS: usize = 9;
/// Most data that lies in the first line, in bytes.
pub(super) const WORD: usize = size_of::<u64>();
/// Most data that lies in the slot itself, in bytes.
pub(super) const INLINE: usize = DATA_WORDS * size_of::<u64>();

/// The data of a slot.
pub(super) type Words = [u64; DATA_WORDS];

/// A slot. All words are atomics, since another process may write them at any time.
#[derive(Default)]
#[repr(C, align(128))]
pub(super) struct Slot {
    /// The number of the packet that it holds, plus one.
    sequence: AtomicU64,
    /// Sender and length, as [`Envelope`] packs them.
    envelope: AtomicU64,
    header: [AtomicU64; HEADER_WORDS],
    data: [AtomicU64; DATA_WORDS],
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

    /// Prefetches, for writing, the cache lines that a packet with so many bytes of data needs.
    #[inline]
    pub(super) fn prepare(&self, length: usize) {
        prefetch_write(&self.sequence);
        if length > WORD && length <= INLINE {
            prefetch_write(&self.data[1]);
        }
    }

    /// Prefetches the first cache line, for reading.
    #[inline]
    pub(super) fn fetch(&self) {
        prefetch_read(&self.sequence);
    }

    /// Prefetches the second cache line, for reading.
    #[inline]
    pub(super) fn fetch_second(&self) {
        prefetch_read(&self.data[DATA_WORDS - 1]);
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

    /// Writes the first word of data.
    #[inline]
    pub(super) fn write_word(&self, word: u64) {
        self.data[0].store(word, Ordering::Relaxed);
    }

    /// Writes the first `count` words of data.
    #[inline]
    pub(super) fn write_data(&self, words: &Words, count: usize) {
        for (place, word) in self.data.iter().zip(words).take(count) {
            place.store(*word, Ordering::Relaxed);
        }
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

    /// The first word of data.
    #[inline]
    pub(super) fn word(&self) -> u64 {
        self.data[0].load(Ordering::Relaxed)
    }

    /// The first `count` words of data, then zeros.
    #[inline]
    pub(super) fn data(&self, count: usize) -> Words {
        let mut words = [0; DATA_WORDS];
        for (word, place) in words.iter_mut().zip(&self.data).take(count) {
            *word = place.load(Ordering::Relaxed);
        }
        words
    }
}

/// The bytes of words.
#[inline]
pub(super) fn bytes(words: &Words) -> [u8; INLINE] {
    let mut bytes = [0; INLINE];
    let (chunks, _) = bytes.as_chunks_mut();
    for (chunk, word) in chunks.iter_mut().zip(words) {
        *chunk = word.to_ne_bytes();
    }
    bytes
}

/// The words of bytes.
#[inline]
pub(super) fn words(bytes: &[u8; INLINE]) -> Words {
    let (chunks, _) = bytes.as_chunks();
    let mut words = [0; DATA_WORDS];
    for (word, chunk) in words.iter_mut().zip(chunks) {
        *word = u64::from_ne_bytes(*chunk);
    }
    words
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_short_packet_needs_one_line() {
        assert_eq!(size_of::<Slot>(), 128);
        assert_eq!(std::mem::offset_of!(Slot, data) + 8, 64);
    }

    #[test]
    fn what_is_written_is_read() {
        let slot = Slot::default();
        let mut header = [0; HEADER];
        header.iter_mut().zip(1..).for_each(|(byte, value)| *byte = value);
        let envelope = Envelope { from: 7, length: 16 };
        slot.write(envelope, &header);
        let data: [u8; INLINE] = std::array::from_fn(|index| index as u8);
        slot.write_data(&words(&data), 2);
        assert!(!slot.holds(0));
        slot.publish(0);
        assert!(slot.holds(0) && !slot.holds(1));
        assert_eq!((slot.envelope(), slot.header()), (envelope, header));
        assert_eq!(bytes(&slot.data(2))[..16], data[..16]);
    }
}
