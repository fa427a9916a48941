//! Copies of a few KiB and more by vectors.
//!
//! From 2 to 4 KiB on the C library copies by `rep movsb`, if the processor says that it is fast. Vectors are faster:
//!
//! * Where the target lies less than a few lines behind the source within a page. That instruction takes three times as
//!   long there on Intel's processors, and thirty times on AMD's Zen 3 (less than 32 bytes behind): its loads take
//!   stores to the same place of another page for stores to what they load, and wait. So do those of vectors, unless
//!   they go backwards. Such places are common: windows and buffers of transports begin with a page or a line, and what
//!   `malloc` returns 16 bytes behind one.
//! * For a few KiB where source and target lie differently within cache lines; on AMD's processors wherever they lie.
//!   But only where the target may be in the core's own caches ([`TargetLines`]), or on older processors of AMD.
//!
//! `rep movsb` writes whole lines, and so need not fetch them first. Another core that has read them only has to forget
//! them. On Zen 5, a message of 16 KiB through memory that two cores share takes 1.4 instead of 3.1 us where they have
//! no cache in common, and 430 instead of 630 ns where they have one. A message of 4 KiB from memory takes 0.37 instead
//! of 0.48 us, and 2 % more in the caches. On Zen 3, which has no vectors of 64 bytes, such messages take less time by
//! vectors: 8 KiB 643 instead of 721 ns, 16 KiB 944 instead of 986, 128 KiB in segments 4.9 instead of 5.3 us.
//!
//! Costs: a get of 4 KiB takes 41 ns by vectors of 64 bytes, 15 of them for the call; by `rep movsb` 130
//! (`benches/c/windows.c`). On Zen 3 a copy of 8 KiB takes 90 ns either way, and 2700 by `rep movsb` where it waits.

use std::arch::is_x86_feature_detected;
use std::arch::x86_64::__cpuid;
use std::ops::RangeInclusive;
use std::sync::LazyLock;

/// Bytes of a cache line.
const LINE: usize = 64;
/// The lengths for which vectors are faster, where they do not lie as badly as in [`BEHIND`]. The cache of the first
/// level holds source and target of the longest one.
const LENGTHS: RangeInclusive<usize> = 3 << 10..=16 << 10;
/// Distances within a page from the source to the target at which the C library waits.
const BEHIND: RangeInclusive<usize> = 1..=4 * LINE - 1;
/// The lengths for which it does. Longer copies are not done by `rep movsb`, as they would evict what caches hold.
const WAITING: RangeInclusive<usize> = LEAST..=1 << 20;
/// Shorter copies had better be left to the C library.
pub(super) const LEAST: usize = 2 << 10;
/// Bytes of a page, by whose places the processor compares loads with earlier stores.
pub const PAGE: usize = 4 << 10;

/// Where the lines of a target are before it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TargetLines {
    /// Perhaps in the caches of this core.
    Near,
    /// In those of another core, or in none.
    Far,
}

/// A copy by vectors, of at least [`LINE`] bytes.
type VectorCopy = unsafe fn(*const u8, *mut u8, usize);

/// What vectors do on this machine.
struct Machine {
    copy: VectorCopy,
    /// Whether AMD made it. Vectors are faster then also where source and target lie alike within lines; and the
    /// processor foresees what comes in the next pages.
    is_of_amd: bool,
    /// Whether they are faster also where the target's lines are elsewhere.
    are_faster_far: bool,
}

/// None without AVX.
static MACHINE: LazyLock<Option<Machine>> = LazyLock::new(|| {
    let has_wide = is_x86_feature_detected!("avx512f");
    let copy: VectorCopy = if has_wide {
        wide::copy
    } else if is_x86_feature_detected!("avx") {
        narrow::copy
    } else {
        return None;
    };
    let is_of_amd = is_of_amd();
    Some(Machine {
        copy,
        is_of_amd,
        are_faster_far: is_of_amd && !has_wide,
    })
});

/// Whether the processor foresees what comes within a page only: who copies has to say where the next ones begin.
#[inline]
pub(super) fn foresees_page_only() -> bool {
    MACHINE.as_ref().is_none_or(|machine| !machine.is_of_amd)
}

/// Whether long copies to lines of other cores are left to `rep movsb`, which writes whole lines without fetching them.
#[must_use]
pub fn writes_whole_lines() -> bool {
    MACHINE.as_ref().is_none_or(|machine| !machine.are_faster_far)
}

/// Whether AMD made the processor.
fn is_of_amd() -> bool {
    let vendor = __cpuid(0);
    let name = [vendor.ebx, vendor.edx, vendor.ecx].map(u32::to_le_bytes);
    name.as_flattened() == b"AuthenticAMD"
}

/// The copy by vectors, if it is faster than that of the C library.
#[inline]
pub(super) fn faster_copy(
    src: *const u8,
    (dst, lines): (*mut u8, TargetLines),
    len: usize,
) -> Option<VectorCopy> {
    if len < LEAST {
        return None;
    }
    let machine = MACHINE.as_ref()?;
    let distance = dst.addr().wrapping_sub(src.addr());
    let is_faster = if BEHIND.contains(&(distance % PAGE)) {
        WAITING.contains(&len)
    } else {
        let lie_well = machine.is_of_amd || !distance.is_multiple_of(LINE);
        let are_near = lines == TargetLines::Near || machine.are_faster_far;
        are_near && LENGTHS.contains(&len) && lie_well
    };
    is_faster.then_some(machine.copy)
}

/// Copies by vectors of one kind, which need a feature of the processor.
macro_rules! copies {
    ($name:ident, $feature:literal, $vector:ident, $load:ident, $store:ident) => {
        mod $name {
            use super::{LINE, PAGE};
            use std::arch::x86_64::{$load, $store, $vector};

            /// Bytes of a vector.
            const VECTOR: usize = size_of::<$vector>();
            /// Vectors that are loaded before any of them is stored.
            const GROUP: usize = 4;
            const _: () = assert!(VECTOR <= LINE);

            /// Copies `len` bytes, at least those of a vector.
            ///
            /// # Safety
            ///
            /// * `len` bytes at `src` are readable and `len` bytes at `dst` writable; they do not overlap.
            /// * The machine has the feature.
            #[target_feature(enable = $feature)]
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
            #[target_feature(enable = $feature)]
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
            #[target_feature(enable = $feature)]
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
            #[target_feature(enable = $feature)]
            unsafe fn copy_group(src: *const u8, dst: *mut u8) {
                // SAFETY:
                // - as demanded of the caller.
                unsafe {
                    let vectors: [$vector; GROUP] = [
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
            #[target_feature(enable = $feature)]
            unsafe fn load(address: *const u8) -> $vector {
                // SAFETY:
                // - as demanded of the caller; any address will do.
                unsafe { $load(address.cast()) }
            }

            /// # Safety
            ///
            /// * A vector is writable there.
            #[inline]
            #[target_feature(enable = $feature)]
            unsafe fn store(address: *mut u8, vector: $vector) {
                // SAFETY:
                // - as demanded of the caller; any address will do.
                unsafe { $store(address.cast(), vector) };
            }
        }
    };
}

copies!(wide, "avx512f", __m512i, _mm512_loadu_si512, _mm512_storeu_si512);
copies!(narrow, "avx", __m256i, _mm256_loadu_si256, _mm256_storeu_si256);

#[cfg(test)]
mod tests {
    use super::*;

    fn copies_all_bytes_and_no_others(copy: VectorCopy) {
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
                // - both vectors have so many bytes behind these places; the machine has the feature.
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

    #[test]
    fn vectors_of_both_widths_copy_all_bytes_and_no_others() {
        if is_x86_feature_detected!("avx512f") {
            copies_all_bytes_and_no_others(wide::copy);
        }
        if is_x86_feature_detected!("avx") {
            copies_all_bytes_and_no_others(narrow::copy);
        }
    }

    #[test]
    fn lines_that_are_elsewhere_are_written_by_vectors_only_where_that_is_faster() {
        let memory = vec![0_u8; 64 << 10];
        let from = memory.as_ptr();
        // Half a page and some bytes apart: they lie differently in lines, and well.
        let to = from.wrapping_add((32 << 10) + 2048 + 8).cast_mut();
        let is_taken = |lines, len| faster_copy(from, (to, lines), len).is_some();
        let are_faster_far = MACHINE.as_ref().is_some_and(|machine| machine.are_faster_far);
        for len in [4 << 10, 16 << 10] {
            assert_eq!(is_taken(TargetLines::Near, len), MACHINE.is_some());
            assert_eq!(is_taken(TargetLines::Far, len), are_faster_far);
        }
    }

    #[test]
    fn vectors_copy_where_the_c_library_waits() {
        if !is_x86_feature_detected!("avx") {
            return;
        }
        let memory = vec![0_u8; 4 << 20];
        let page = memory.as_ptr().align_offset(PAGE);
        let is_taken = |from: usize, to: usize, len| {
            let at = |offset: usize| memory.as_ptr().wrapping_add(page + offset);
            faster_copy(at(from), (at((2 << 20) + to).cast_mut(), TargetLines::Far), len).is_some()
        };
        for len in [4 << 10, 8 << 10, 100 << 10, 512 << 10] {
            assert!(is_taken(0, 16, len) && is_taken(100, 101, len), "{len}");
        }
        assert!(!is_taken(0, 16, 1 << 10) && !is_taken(0, 16, 2 << 20) && !is_taken(0, 512, 512 << 10));
    }
}
