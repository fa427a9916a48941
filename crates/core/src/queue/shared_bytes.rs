//! Bytes that belong to one message at a time.

use std::cell::UnsafeCell;
use std::slice;

use crate::sync::{demote, lines_of, prefetch_read, prefetch_write};

/// So many bytes, from the start of a pair of cache lines on. Whoever owns the message that they belong to may access
/// them; the queue that they are a part of says when that is.
#[repr(C, align(128))]
pub struct SharedBytes<const N: usize>(UnsafeCell<[u8; N]>);

// SAFETY:
// - without a promise only a pointer is given away.
unsafe impl<const N: usize> Sync for SharedBytes<N> {}

impl<const N: usize> Default for SharedBytes<N> {
    fn default() -> Self {
        Self(UnsafeCell::new([0; N]))
    }
}

impl<const N: usize> SharedBytes<N> {
    /// So many of them, zeros. Their pages cost memory only from their first use on.
    #[must_use]
    pub fn boxed<const COUNT: usize>() -> Box<[Self; COUNT]> {
        // SAFETY:
        // - zeros are bytes.
        unsafe { Box::new_zeroed().assume_init() }
    }

    /// Where they begin.
    #[inline]
    #[must_use]
    pub const fn start(&self) -> *mut u8 {
        self.0.get().cast()
    }

    /// Prefetches the lines of the first bytes, so many, for reading.
    #[inline]
    pub fn fetch(&self, length: usize) {
        lines_of(self.start(), length).for_each(prefetch_read);
    }

    /// Prefetches the lines of the first bytes, so many, for writing.
    #[inline]
    pub fn prepare(&self, length: usize) {
        lines_of(self.start(), length).for_each(prefetch_write);
    }

    /// Demotes the lines of the first bytes, so many, which have been written for another core.
    #[inline]
    pub fn demote(&self, length: usize) {
        lines_of(self.start(), length).for_each(demote);
    }

    /// The first bytes, so many, to be read.
    ///
    /// # Safety
    ///
    /// * Nobody writes them as long as the result lives.
    ///
    /// # Panics
    ///
    /// When there are not so many.
    #[inline]
    #[must_use]
    pub unsafe fn bytes(&self, length: usize) -> &[u8] {
        assert!(length <= N, "there are {N} bytes");
        // SAFETY:
        // - there are so many, and the caller's promise.
        unsafe { slice::from_raw_parts(self.start(), length) }
    }

    /// The first bytes, so many, to be written.
    ///
    /// # Safety
    ///
    /// * Nobody else accesses them as long as the result lives.
    ///
    /// # Panics
    ///
    /// When there are not so many.
    #[inline]
    #[must_use]
    #[expect(
        clippy::mut_from_ref,
        reason = "the caller promises that nobody else has them"
    )]
    pub unsafe fn bytes_mut(&self, length: usize) -> &mut [u8] {
        assert!(length <= N, "there are {N} bytes");
        // SAFETY:
        // - there are so many, and the caller's promise.
        unsafe { slice::from_raw_parts_mut(self.start(), length) }
    }
}
