//! Faults that a broken or hostile process of the node can cause, for tests and fuzzing.

use simurgh_core::sync::{AtomicU64, Ordering};

use super::Shm;
use super::ring::SenderCache;
use super::segment::Contents;
use super::slot::Envelope;
use crate::HostId;
use crate::transport::Header;

impl Shm {
    /// Puts a packet with arbitrary contents into this host's ring. False if there is no room.
    pub fn inject_packet(&self, from: HostId, length: u32, word: u64, header: &Header) -> bool {
        let cache = SenderCache::default();
        let Ok(claim) = self.ring().claim(&cache, Envelope { from, length }) else {
            return false;
        };
        claim.slot().write_word(word);
        claim.publish(header);
        true
    }

    /// Writes a word of the host's segment, by its number.
    pub fn overwrite_word(&self, word: usize, value: u64) {
        let words = size_of::<Contents>() / size_of::<u64>();
        let start = std::ptr::from_ref::<Contents>(self.contents()).cast::<AtomicU64>();
        // SAFETY:
        // - it lies within the contents, which are atomics and cells, and aligned;
        // - no thread but this one reads buffers, and it does not do so now.
        let place = unsafe { &*start.add(word % words) };
        place.store(value, Ordering::Relaxed);
    }
}
