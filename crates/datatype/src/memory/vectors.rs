//! Copies of a few KiB by vectors of 64 bytes.
//!
//! From about 2 KiB on the C library copies by `rep movsb`, which nothing beats where source and target lie alike
//! within cache lines. Elsewhere vectors do, unless there are too few. Where the target lies less than a few lines
//! behind the source within a page, that instruction takes three times as long as they do: its loads take stores to the
//! same place of another page for stores to what they load, and wait. So do those of vectors, unless they go backwards.
//! Gets out of windows meet this: windows begin with a page or a line, and what `malloc` returns 16 bytes behind one.
//!
//! Costs: a get of 4 KiB takes 41 ns, 15 of them for the call; by `rep movsb` 130 (`benches/c/windows.c`).

use std::arch::is_x86_feature_detected;
use std::arch::x86_64::{__m512i, _mm512_loadu_si512, _mm512_storeu_si512};
use std::ops::RangeInclusive;

/// Bytes of a vector, and of a cache line.
const VECTOR: usize = 64;
/// Vectors that are loaded before any of them is stored.
const GROUP: usize = 4;
/// The lengths for which vectors are faster.
const LENGTHS: RangeInclusive<usize> = 3 << 10..=32 << 10;
/// Bytes of a page, by whose places the processor compares loads with earlier stores.
const PAGE: usize = 4 << 10;

/// Whether a copy by vectors is faster than one by the C library.
#[inline]
pub(super) fn are_faster(src: *const u8, dst: *mut u8, len: usize) -> bool {
    let lie_alike = dst.addr().wrapping_sub(src.addr()).is_multiple_of(VECTOR);
    LENGTHS.contains(&len) && !lie_alike && is_x86_feature_detected!("avx512f")
}

/// Copies `len` bytes, at least those of a vector.
///
/// # Safety
///
/// * `len` bytes at `src` are readable and `len` bytes at `dst` writable; they do not overlap.
/// * The machine has AVX-512.
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn copy(src: *const u8, dst: *mut u8, len: usize) {
    // SAFETY:
    // - as demanded of the caller: both vectors lie within the bytes.
    let (head, tail) = unsafe { (load(src), load(src.add(len - VECTOR))) };
    let behind = dst.addr().wrapping_sub(src.addr()) % PAGE;
    // SAFETY:
    // - as demanded of the caller.
    unsafe {
        if behind < GROUP * VECTOR {
            copy_backwards(src, dst, len);
        } else {
            copy_forwards(src, dst, len);
        }
        store(dst, head);
        store(dst.add(len - VECTOR), tail);
    }
}

/// Copies all but what the first and the last vector have, by stores to aligned addresses.
///
/// # Safety
///
/// * As for [`copy`].
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn copy_forwards(src: *const u8, dst: *mut u8, len: usize) {
    let mut at = VECTOR - dst.addr() % VECTOR;
    while at + GROUP * VECTOR <= len {
        // SAFETY:
        // - as demanded of the caller: the group lies within the bytes.
        unsafe { copy_group(src.add(at), dst.add(at)) };
        at += GROUP * VECTOR;
    }
    while at + VECTOR <= len {
        // SAFETY:
        // - as above.
        unsafe { store(dst.add(at), load(src.add(at))) };
        at += VECTOR;
    }
}

/// [`copy_forwards`] from the end on.
///
/// # Safety
///
/// * As for [`copy`].
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn copy_backwards(src: *const u8, dst: *mut u8, len: usize) {
    let mut end = len - dst.addr().wrapping_add(len) % VECTOR;
    while end >= GROUP * VECTOR {
        end -= GROUP * VECTOR;
        // SAFETY:
        // - as in `copy_forwards`.
        unsafe { copy_group(src.add(end), dst.add(end)) };
    }
    while end >= VECTOR {
        end -= VECTOR;
        // SAFETY:
        // - as above.
        unsafe { store(dst.add(end), load(src.add(end))) };
    }
}

/// # Safety
///
/// * The vectors of a group are readable at `src` and writable at `dst`.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn copy_group(src: *const u8, dst: *mut u8) {
    // SAFETY:
    // - as demanded of the caller.
    unsafe {
        let vectors: [__m512i; GROUP] = [
            load(src),
            load(src.add(VECTOR)),
            load(src.add(2 * VECTOR)),
            load(src.add(3 * VECTOR)),
        ];
        store(dst, vectors[0]);
        store(dst.add(VECTOR), vectors[1]);
        store(dst.add(2 * VECTOR), vectors[2]);
        store(dst.add(3 * VECTOR), vectors[3]);
    }
}

/// # Safety
///
/// * A vector is readable there.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn load(address: *const u8) -> __m512i {
    // SAFETY:
    // - as demanded of the caller; any address will do.
    unsafe { _mm512_loadu_si512(address.cast()) }
}

/// # Safety
///
/// * A vector is writable there.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn store(address: *mut u8, vector: __m512i) {
    // SAFETY:
    // - as demanded of the caller; any address will do.
    unsafe { _mm512_storeu_si512(address.cast(), vector) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_bytes_are_copied_and_no_others() {
        if !is_x86_feature_detected!("avx512f") {
            return;
        }
        let from: Vec<u8> = (0..3 * PAGE).map(|index| (index % 251) as u8).collect();
        let mut into = vec![0; 4 * PAGE];
        let starts = [0, 1, 15, 16, 63, 64, 100, 255, 256, 2048, PAGE - 1];
        for len in [64, 65, 127, 128, 129, 319, 320, 321, 1000, PAGE, 2 * PAGE - 3] {
            for (start, place) in starts
                .into_iter()
                .flat_map(|start| starts.map(|place| (start, place)))
            {
                into.fill(255);
                // SAFETY:
                // - both vectors have so many bytes behind these places; the machine has AVX-512.
                unsafe { copy(from[start..].as_ptr(), into[place + 1..].as_mut_ptr(), len) };
                let (before, rest) = into.split_at(place + 1);
                let (copied, behind) = rest.split_at(len);
                assert_eq!(
                    copied,
                    &from[start..start + len],
                    "{len} bytes from {start} to {place}"
                );
                assert!(before.iter().chain(behind).all(|byte| *byte == 255));
            }
        }
    }
}
