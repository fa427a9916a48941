//! What a broken or hostile process of the node may do to a host, for tests.

use simurgh_core::sync::{AtomicU64, Ordering};

use super::Shm;
use super::ring::SenderCache;
use super::segment::Contents;
use super::slot::Envelope;
use crate::HostId;
use crate::transport::Header;

impl Shm {
    /// Puts a packet with arbitrary contents where others' packets for this host go; false if there is no room.
    pub fn inject_packet(&self, from: HostId, length: u32, words: &[u64; 9], header: &Header) -> bool {
        let cache = SenderCache::default();
        let Ok(claim) = self.ring().claim(&cache, Envelope { from, length }) else {
            return false;
        };
        claim.slot().write_data(words, words.len());
        claim.publish(header);
        true
    }

    /// Writes to the host's shared memory: a word, by its number.
    pub fn overwrite_word(&self, word: usize, value: u64) {
        let words = size_of::<Contents>() / size_of::<u64>();
        let start = std::ptr::from_ref::<Contents>(self.contents()).cast::<AtomicU64>();
        // SAFETY:
        // - it lies within the contents, which are atomics and cells, and aligned;
        // - buffers are looked at by nobody but this thread, which is not at it now.
        let place = unsafe { &*start.add(word % words) };
        place.store(value, Ordering::Relaxed);
    }
}
