//! Copies by non-temporal stores, which go past the caches.
//!
//! A store through the caches first fetches the line it writes to. When a collective writes more than the caches hold,
//! this fetch is half of the traffic to memory, and the data written evicts data that others have yet to
//! read. Non-temporal stores have neither effect. They slow down the next reader, if the data would still have been in
//! a cache.

use std::arch::is_x86_feature_detected;
use std::arch::x86_64::{
    __m128i, __m256i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128, _mm256_loadu_si256, _mm256_stream_si256,
};
use std::ptr;

use simurgh_core::sync::{AtomicUsize, Ordering};

use super::buffer::{Source, Target};
use super::copy::{are_disjoint, copy_alone};
use super::transfer::{Transfer, transfer, unpack_at};
use super::vectors::TargetLines;

/// Bytes of a cache line. Memory is written without being read where non-temporal stores fill whole lines.
const LINE: usize = 64;

/// The shortest copy for which non-temporal stores are used.
const SHORTEST: usize = 4 * LINE;

/// The assumed size of the last-level caches, until [`set_caches`] is called.
const COMMON: usize = 32 << 20;

static CACHES: AtomicUsize = AtomicUsize::new(COMMON);

/// Says how many bytes the last-level caches of this machine hold.
pub fn set_caches(bytes: usize) {
    // Relaxed: a hint.
    CACHES.store(bytes, Ordering::Relaxed);
}

/// Moves data as [`transfer()`] does, by ordinary or by non-temporal stores.
///
/// Dropping the writer orders its stores before those that follow. Others that synchronise with the thread after that
/// see the data.
pub struct Writer {
    nontemporal: bool,
    alone: bool,
}

impl Writer {
    /// A writer for work that reads and writes `touched` bytes altogether. Non-temporal stores are used if these bytes
    /// would fill three quarters of the caches.
    #[inline]
    pub fn new(touched: usize) -> Self {
        // Relaxed: a hint.
        Self {
            nontemporal: touched >= CACHES.load(Ordering::Relaxed) / 4 * 3,
            alone: false,
        }
    }

    /// The same writer, for work that all virtual processors share: none of them is asked to help with a long copy.
    #[inline]
    pub fn alone(self) -> Self {
        let nontemporal = self.nontemporal;
        Self {
            nontemporal,
            alone: true,
        }
    }

    /// Moves data from `src` to `dst`, as much as both have room for.
    #[inline]
    pub fn transfer(&self, src: &Source, dst: &Target) -> Transfer {
        if (self.nontemporal || self.alone)
            && src.datatype().is_contiguous()
            && dst.datatype().is_contiguous()
        {
            self.copy(src, dst)
        } else {
            transfer(src, dst)
        }
    }

    /// Moves bytes to `dst`, from byte `skip` of its data on, as much as it has room for.
    pub fn unpack_at(&self, from: &[u8], dst: &Target, skip: usize) {
        let bytes = from.len().min(dst.bytes().saturating_sub(skip));
        if self.nontemporal && dst.datatype().is_contiguous() && bytes >= SHORTEST {
            // SAFETY:
            // - contiguous elements cover `bytes()` bytes from the address on, valid by the promise of the target's
            //   maker; what lies there is nobody's slice meanwhile.
            unsafe { copy_nontemporal(from.as_ptr(), dst.address().add(skip), bytes) };
        } else {
            unpack_at(from, dst, skip);
        }
    }

    /// Moves contiguous data without help from other virtual processors.
    fn copy(&self, src: &Source, dst: &Target) -> Transfer {
        let bytes = src.bytes().min(dst.bytes());
        let apart = are_disjoint(src.address(), dst.address(), bytes);
        // SAFETY:
        // - contiguous elements cover `bytes()` bytes from the address on, valid by the promises of both makers, and do
        //   not overlap if lines are copied.
        unsafe {
            if self.nontemporal && apart && bytes >= SHORTEST {
                copy_nontemporal(src.address(), dst.address(), bytes);
            } else {
                copy_alone(src.address(), (dst.address(), TargetLines::Near), bytes);
            }
        }
        Transfer {
            bytes,
            truncated: src.bytes() > bytes,
        }
    }
}

impl Drop for Writer {
    #[inline]
    fn drop(&mut self) {
        if self.nontemporal {
            // Only a fence orders non-temporal stores.
            //
            // SAFETY:
            // - SSE is part of x86-64.
            unsafe { _mm_sfence() };
        }
    }
}

/// Copies bytes by non-temporal stores.
///
/// # Safety
///
/// * `len` bytes, more than two lines, are readable at `src` and writable at `dst`; they do not overlap.
unsafe fn copy_nontemporal(src: *const u8, dst: *mut u8, len: usize) {
    let ahead = dst.align_offset(LINE);
    let lines = (len - ahead) / LINE;
    let done = ahead + lines * LINE;
    // SAFETY:
    // - the first line begins aligned, less than a line behind the start, and `done` is at most `len`.
    unsafe {
        ptr::copy_nonoverlapping(src, dst, ahead);
        copy_lines(src.add(ahead), dst.add(ahead), lines);
        ptr::copy_nonoverlapping(src.add(done), dst.add(done), len - done);
    }
}

/// Copies lines by non-temporal stores.
///
/// # Safety
///
/// * The lines are readable at `src` and writable at `dst`, which is aligned to them; they do not overlap.
unsafe fn copy_lines(src: *const u8, dst: *mut u8, lines: usize) {
    if is_x86_feature_detected!("avx") {
        // SAFETY:
        // - as demanded of the caller; the machine has AVX.
        unsafe { copy_lines_avx(src.cast(), dst.cast(), lines) };
    } else {
        // SAFETY:
        // - as demanded of the caller.
        unsafe { copy_lines_sse(src.cast(), dst.cast(), lines) };
    }
}

/// [`copy_lines`] by vectors of 32 bytes: nearly twice as fast as by those of 16, and no slower than by those of 64.
///
/// # Safety
///
/// * As for [`copy_lines`].
#[target_feature(enable = "avx")]
unsafe fn copy_lines_avx(src: *const __m256i, dst: *mut __m256i, lines: usize) {
    for index in 0..lines * (LINE / size_of::<__m256i>()) {
        // SAFETY:
        // - the vector is a part of the lines, aligned where it is written.
        unsafe { _mm256_stream_si256(dst.add(index), _mm256_loadu_si256(src.add(index))) };
    }
}

/// [`copy_lines`] by vectors of 16 bytes.
///
/// # Safety
///
/// * As for [`copy_lines`].
unsafe fn copy_lines_sse(src: *const __m128i, dst: *mut __m128i, lines: usize) {
    for index in 0..lines * (LINE / size_of::<__m128i>()) {
        // SAFETY:
        // - the vector is a part of the lines, aligned where it is written.
        unsafe { _mm_stream_si128(dst.add(index), _mm_loadu_si128(src.add(index))) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datatype::{Basic, Datatype};

    #[test]
    #[cfg_attr(miri, ignore = "inline assembly")]
    fn what_goes_past_the_caches_arrives() {
        let bytes: Vec<u8> = (0..20_000).map(|index| (index % 251) as u8).collect();
        let byte = Datatype::Basic(Basic::Byte);
        for (start, len) in [(0, 20_000), (1, 4096), (17, 300), (63, 257), (64, 255), (5, 0)] {
            for (shift, nontemporal) in [(0, true), (1, true), (64, true), (77, true), (3, false)] {
                let mut into = vec![0; 20_200];
                // SAFETY:
                // - both segments lie in the vectors, which outlive the buffers.
                let (src, dst) = unsafe {
                    (
                        Source::new(bytes[start..].as_ptr(), len, byte.clone()),
                        Target::new(into[shift..].as_mut_ptr(), len + 9, byte.clone()),
                    )
                };
                let moved = Writer {
                    nontemporal,
                    alone: true,
                }
                .transfer(&src, &dst);
                assert_eq!((moved.bytes, moved.truncated), (len, false));
                assert_eq!(&into[shift..shift + len], &bytes[start..start + len]);
                assert!(
                    into[..shift]
                        .iter()
                        .chain(&into[shift + len..])
                        .all(|byte| *byte == 0)
                );
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "inline assembly")]
    fn both_widths_copy_alike() {
        let lines: Vec<u8> = (0..LINE as u8 * 3).collect();
        let mut into = [vec![0; LINE * 4], vec![0; LINE * 4]];
        let starts = into.each_ref().map(|memory| memory.as_ptr().align_offset(LINE));
        // SAFETY:
        // - three lines are readable, and, from the aligned address on, writable.
        unsafe {
            copy_lines(lines.as_ptr(), into[0].as_mut_ptr().add(starts[0]), 3);
            copy_lines_sse(
                lines.as_ptr().cast(),
                into[1].as_mut_ptr().add(starts[1]).cast(),
                3,
            );
        }
        for (memory, start) in into.iter().zip(starts) {
            assert_eq!(memory[start..start + LINE * 3], lines);
        }
    }
}
