//! Buffers for data on its way between files and memory that does not lie in one piece. A few are kept.
//!
//! A buffer begins at the same place of a page as the bytes of the file for which it is made. The system copies from
//! and to pages of the file by `rep movsb`, which waits where the target lies less than a few lines behind the source
//! within a page: on AMD's Zen 3 a read to a place up to 31 bytes behind takes five to nine times as long, and 16 bytes
//! behind the begin of a page is where the C library puts long blocks.

use std::ops::{Deref, DerefMut, Range};

use simurgh_core::sync::SpinLock;
use simurgh_datatype::memory::PAGE;

use crate::limits::{STAGING, THREADS};

static KEPT: SpinLock<Vec<Vec<u8>>> = SpinLock::new(Vec::new());

/// A buffer, which may hold old data.
pub(crate) struct Buffer {
    memory: Vec<u8>,
    /// Its bytes in the memory.
    place: Range<usize>,
}

impl Buffer {
    /// A buffer of `len` bytes for those of a file from `offset` on.
    pub(crate) fn new(offset: u64, len: usize) -> Self {
        let kept = if len <= STAGING { KEPT.lock().pop() } else { None };
        let mut memory = kept.unwrap_or_default();
        if memory.len() < len + PAGE {
            memory = vec![0; len + PAGE];
        }
        let start = (offset as usize).wrapping_sub(memory.as_ptr().addr()) % PAGE;
        let place = start..start + len;
        Self { memory, place }
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.memory[self.place.clone()]
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.memory[self.place.clone()]
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if self.memory.len() <= STAGING + PAGE {
            let memory = std::mem::take(&mut self.memory);
            let mut kept = KEPT.lock();
            if kept.len() < THREADS {
                kept.push(memory);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_lie_in_their_page_as_the_bytes_of_the_file() {
        for len in [1, PAGE, STAGING, STAGING + 1] {
            for offset in [0, 1, 16, PAGE as u64 - 1, 5 * PAGE as u64 + 512, u64::MAX] {
                let buffer = Buffer::new(offset, len);
                assert_eq!(buffer.len(), len);
                assert_eq!(
                    buffer.as_ptr().addr() % PAGE,
                    offset as usize % PAGE,
                    "{len} bytes from {offset}"
                );
            }
        }
    }
}
