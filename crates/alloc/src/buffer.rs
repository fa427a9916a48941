//! Message buffers.

use std::ptr::NonNull;

/// An owned, uninitialised-on-creation run of bytes for a message in transit.
///
/// Allocated from mimalloc's heap of the current thread pointer; may be freed by anyone. Cost: about 10 ns each way,
/// no lock, no system call once the heap is warm.
#[derive(Debug)]
pub struct Buffer {
    start: NonNull<u8>,
    len: usize,
}

// SAFETY:
// - a buffer is plain bytes owned by the value; mimalloc frees blocks of other threads' heaps correctly.
unsafe impl Send for Buffer {}
// SAFETY:
// - shared access only reads.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// A buffer of `len` zero bytes.
    ///
    /// # Panics
    ///
    /// When memory is exhausted.
    #[must_use]
    pub fn zeroed(len: usize) -> Self {
        // SAFETY:
        // - mimalloc accepts any size; a null result is checked below.
        let start = unsafe { libmimalloc_sys::mi_zalloc(len.max(1)) };
        Self::from_raw(start.cast(), len)
    }

    /// A buffer that holds what `fill` writes into it.
    ///
    /// `fill` gets the address of `len` writable, uninitialised bytes and must initialise all of them.
    ///
    /// # Safety
    ///
    /// `fill` initialises every byte from its argument up to `len` bytes further.
    ///
    /// # Panics
    ///
    /// When memory is exhausted.
    #[must_use]
    pub unsafe fn filled_by(len: usize, fill: impl FnOnce(*mut u8)) -> Self {
        // SAFETY:
        // - mimalloc accepts any size; a null result is checked below.
        let start = unsafe { libmimalloc_sys::mi_malloc(len.max(1)) };
        let buffer = Self::from_raw(start.cast(), len);
        fill(buffer.start.as_ptr());
        buffer
    }

    fn from_raw(start: *mut u8, len: usize) -> Self {
        let start =
            NonNull::new(start).unwrap_or_else(|| panic!("out of memory: a message buffer of {len} bytes"));
        Self { start, len }
    }
}

impl std::ops::Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY:
        // - `start` points to `len` bytes, initialised by the constructors, owned by `self`.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl std::ops::DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY:
        // - as in `deref`, and `self` is borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY:
        // - `start` came from mimalloc and is freed once.
        unsafe { libmimalloc_sys::mi_free(self.start.as_ptr().cast()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_keeps_its_bytes_across_threads() {
        let mut buffer = Buffer::zeroed(100);
        assert!(buffer.iter().all(|&byte| byte == 0));
        buffer.copy_from_slice(&[9; 100]);
        let sum = std::thread::spawn(move || buffer.iter().map(|&byte| u32::from(byte)).sum::<u32>());
        assert_eq!(sum.join().expect("the thread only adds"), 900);
    }

    #[test]
    fn an_empty_buffer_is_legal() {
        assert!(Buffer::zeroed(0).is_empty());
    }
}
