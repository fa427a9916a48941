//! Eager buffers: for messages that are copied out of the memory of their senders.

use crate::limits::{POOLED_BUFFERS, POOLED_SIZE};

/// A buffer with a message that was copied out of its sender's memory.
#[derive(Debug)]
pub(crate) struct EagerBuffer {
    buffer: Box<[u8]>,
    len: usize,
}

/// The smallest buffer.
const SMALLEST: usize = 128;

/// Sizes double from [`SMALLEST`] to [`POOLED_SIZE`].
const CLASSES: usize = (POOLED_SIZE / SMALLEST).ilog2() as usize + 1;

/// Buffers of each size that are kept for the next message.
#[derive(Debug, Default)]
pub(crate) struct EagerPool([Vec<Box<[u8]>>; CLASSES]);

/// The class of buffers for `len` bytes; none beyond [`POOLED_SIZE`].
fn class_of(len: usize) -> Option<usize> {
    let class = len.max(SMALLEST).next_power_of_two().ilog2() - SMALLEST.ilog2();
    Some(class as usize).filter(|&class| class < CLASSES)
}

impl EagerBuffer {
    /// Memory that a buffer for `len` bytes takes.
    #[inline]
    pub(crate) fn capacity_for(len: usize) -> usize {
        if len <= SMALLEST {
            return SMALLEST;
        }
        class_of(len).map_or(len, |class| SMALLEST << class)
    }

    /// A new buffer, for `len` bytes.
    pub(crate) fn allocate(len: usize) -> Self {
        Self {
            buffer: vec![0; Self::capacity_for(len)].into_boxed_slice(),
            len,
        }
    }

    /// The contents.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer[..self.len]
    }

    /// The contents, for filling.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.buffer[..self.len]
    }

    /// Memory the buffer takes.
    pub(crate) fn capacity(&self) -> usize {
        self.buffer.len()
    }
}

impl EagerPool {
    /// A buffer for `len` bytes, if the pool has one.
    #[inline]
    pub(crate) fn take(&mut self, len: usize) -> Option<EagerBuffer> {
        let buffer = self.0[class_of(len)?].pop()?;
        Some(EagerBuffer { buffer, len })
    }

    /// Keeps the memory of a buffer, if it has a pooled size and the pool is not full.
    pub(crate) fn give_back(&mut self, buffer: EagerBuffer) {
        let class = class_of(buffer.capacity()).filter(|&class| buffer.capacity() == SMALLEST << class);
        if let Some(buffers) = class.map(|class| &mut self.0[class])
            && buffers.len() < POOLED_BUFFERS
        {
            buffers.push(buffer.buffer);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_classes() {
        assert_eq!(
            [0, 1, 128, 129, POOLED_SIZE].map(class_of),
            [Some(0), Some(0), Some(0), Some(1), Some(CLASSES - 1)]
        );
        assert_eq!(class_of(POOLED_SIZE + 1), None);
    }

    #[test]
    fn buffers_are_reused_within_their_class() {
        let mut pool = EagerPool::default();
        let buffer = EagerBuffer::allocate(300);
        assert_eq!((buffer.capacity(), buffer.bytes().len()), (512, 300));
        let address = buffer.bytes().as_ptr();
        pool.give_back(buffer);
        assert!(pool.take(200).is_none());
        let again = pool.take(512).expect("the buffer was given back");
        assert_eq!((again.bytes().as_ptr(), again.bytes().len()), (address, 512));
        pool.give_back(EagerBuffer::allocate(POOLED_SIZE + 1));
        assert!(pool.0.iter().all(Vec::is_empty));
    }
}
