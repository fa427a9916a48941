//! Buffers for data on its way between files and memory that does not lie in one piece. A few are kept.

use std::ops::{Deref, DerefMut};

use simurgh_core::sync::SpinLock;

use crate::limits::{STAGING, THREADS};

static KEPT: SpinLock<Vec<Vec<u8>>> = SpinLock::new(Vec::new());

/// A buffer, which may hold old data.
pub(crate) struct Buffer {
    memory: Vec<u8>,
    len: usize,
}

impl Buffer {
    /// A buffer of `len` bytes.
    pub(crate) fn new(len: usize) -> Self {
        let kept = if len <= STAGING { KEPT.lock().pop() } else { None };
        let mut memory = kept.unwrap_or_default();
        if memory.len() < len {
            memory = vec![0; len];
        }
        Self { memory, len }
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.memory[..self.len]
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.memory[..self.len]
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if self.memory.len() <= STAGING {
            let memory = std::mem::take(&mut self.memory);
            let mut kept = KEPT.lock();
            if kept.len() < THREADS {
                kept.push(memory);
            }
        }
    }
}

/// Calls `user` with a buffer of `bytes` bytes, which may hold old data.
pub(crate) fn with_buffer<R>(bytes: usize, user: impl FnOnce(&mut [u8]) -> R) -> R {
    user(&mut Buffer::new(bytes))
}
