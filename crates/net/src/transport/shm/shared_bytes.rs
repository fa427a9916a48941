//! Bytes in shared memory, which belong to one packet at a time.

use std::cell::UnsafeCell;
use std::ptr::NonNull;

use simurgh_core::sync::{demote, prefetch_read, prefetch_write};

/// Bytes of a cache line.
const LINE: usize = 64;

/// So many bytes. Whoever owns the packet that they belong to decides who may access them when.
#[repr(C, align(128))]
pub(super) struct SharedBytes<const N: usize>(UnsafeCell<[u8; N]>);

// SAFETY:
// - only a pointer is given away.
unsafe impl<const N: usize> Sync for SharedBytes<N> {}

impl<const N: usize> SharedBytes<N> {
    /// Where they begin.
    #[inline]
    pub(super) fn start(&self) -> NonNull<u8> {
        // SAFETY:
        // - a place in a value is not null.
        unsafe { NonNull::new_unchecked(self.0.get().cast()) }
    }
}

#[cfg(test)]
impl<const N: usize> Default for SharedBytes<N> {
    fn default() -> Self {
        Self(UnsafeCell::new([0; N]))
    }
}

/// Prefetches, for writing, the cache lines of so many bytes.
#[inline]
pub(super) fn prepare_lines(start: NonNull<u8>, length: usize) {
    lines(start, length).for_each(prefetch_write);
}

/// Prefetches, for reading, the cache lines of so many bytes.
#[inline]
pub(super) fn fetch_lines(start: NonNull<u8>, length: usize) {
    lines(start, length).for_each(prefetch_read);
}

/// Moves the cache lines of so many bytes, which have been written, to where the receiver gets them sooner.
#[inline]
pub(super) fn demote_lines(start: NonNull<u8>, length: usize) {
    lines(start, length).for_each(demote);
}

/// The cache lines of so many bytes, which begin with a line.
#[inline]
fn lines(start: NonNull<u8>, length: usize) -> impl Iterator<Item = *const u8> {
    let start = start.as_ptr().cast_const();
    (0..length)
        .step_by(LINE)
        .map(move |offset| start.wrapping_add(offset))
}
