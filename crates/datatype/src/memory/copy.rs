//! Copies of contiguous bytes and of strided blocks.

use super::vectors::{self, PAGE, TargetLines};
use simurgh_core::sync::{lines_of, prefetch_read};
use std::arch::x86_64::__m128i;
use std::ptr;

/// Copies of at most this length are a few inlined loads and stores.
const SHORT: usize = 32;

/// Copies from this length on are cut into pieces, which idle virtual processors copy too: one core alone does not use
/// the memory bandwidth of a node.
pub(super) const SHARED: usize = 128 << 10;

/// Least length of such a piece. Longer pieces use the memory better; pieces of a quarter of the whole leave something
/// for helpers that come late.
const PIECE_MIN: usize = 32 << 10;

/// So many pages ahead are prefetched, and so many bytes of each where they are read.
const PAGES_AHEAD: usize = 16;
const BYTES_AHEAD: usize = 256;

/// Copies bytes from one slice to another, which is as long, as the data of messages is copied.
///
/// # Panics
///
/// When the slices differ in length.
#[inline]
pub fn copy(from: &[u8], to: &mut [u8]) {
    assert_eq!(from.len(), to.len(), "all bytes of one are those of the other");
    // SAFETY:
    // - the slices have so many bytes.
    unsafe { copy_bytes(from.as_ptr(), to.as_mut_ptr(), from.len()) };
}

/// Copies `len` bytes.
///
/// # Safety
///
/// * `len` bytes at `src` are readable and `len` bytes at `dst` writable; they may overlap.
#[inline]
pub(super) unsafe fn copy_bytes(src: *const u8, dst: *mut u8, len: usize) {
    // SAFETY:
    // - as demanded of the caller.
    unsafe { copy_to_lines(src, (dst, TargetLines::Near), len) };
}

/// [`copy_bytes`] to a target whose lines are there.
///
/// # Safety
///
/// * As for [`copy_bytes`].
#[inline]
pub(super) unsafe fn copy_to_lines(src: *const u8, (dst, lines): (*mut u8, TargetLines), len: usize) {
    // SAFETY:
    // - as demanded of the caller.
    unsafe {
        if len <= SHORT {
            copy_short(src, dst, len);
        } else if len < vectors::LEAST {
            ptr::copy(src, dst, len);
        } else {
            copy_long(src, (dst, lines), len);
        }
    }
}

/// [`copy_bytes`] for at most [`SHORT`] bytes.
///
/// # Safety
///
/// * As for [`copy_bytes`].
#[inline]
unsafe fn copy_short(src: *const u8, dst: *mut u8, len: usize) {
    // SAFETY:
    // - as demanded of the caller; each width is used for lengths it fits into, and everything is read before it is
    //   written.
    unsafe {
        match len {
            16.. => copy_ends::<__m128i>(src, dst, len),
            8.. => copy_ends::<u64>(src, dst, len),
            4.. => copy_ends::<u32>(src, dst, len),
            2.. => copy_ends::<u16>(src, dst, len),
            1 => dst.write(src.read()),
            0 => {}
        }
    }
}

/// [`copy_bytes`], with a word of 8 bytes copied in place of the call.
///
/// # Safety
///
/// * As for [`copy_bytes`].
#[inline(always)]
pub(super) unsafe fn copy_word_or_bytes(src: *const u8, dst: *mut u8, len: usize) {
    // SAFETY:
    // - as demanded of the caller.
    unsafe {
        match len {
            8 => copy_ends::<u64>(src, dst, len),
            _ => copy_bytes(src, dst, len),
        }
    }
}

/// Whether so many bytes are copied by the caller alone.
#[inline(always)]
pub(super) fn is_copied_alone(len: usize) -> bool {
    len < SHARED
}

/// The length of the pieces that a shared copy of `len` bytes is cut into.
pub(super) fn piece_length(len: usize) -> usize {
    (len / 4).next_multiple_of(4 << 10).max(PIECE_MIN)
}

/// [`copy_bytes`] for copies of [`vectors::LEAST`] bytes and more. It is apart from short ones, which need no room on
/// the stack.
///
/// # Safety
///
/// * As for [`copy_bytes`].
#[inline(never)]
unsafe fn copy_long(src: *const u8, (dst, lines): (*mut u8, TargetLines), len: usize) {
    if is_copied_alone(len) || !simurgh_core::has_helpers() || !are_disjoint(src, dst, len) {
        // SAFETY:
        // - as demanded of the caller.
        unsafe { copy_alone(src, (dst, lines), len) };
        return;
    }
    let (src, dst) = (src.expose_provenance(), dst.expose_provenance());
    let length = piece_length(len);
    simurgh_core::parallel_for(len.div_ceil(length), &|piece| {
        let start = piece * length;
        let from = ptr::with_exposed_provenance::<u8>(src + start);
        let to = ptr::with_exposed_provenance_mut::<u8>(dst + start);
        // SAFETY:
        // - the piece lies within the memory demanded of the caller, which stays valid until `share` returns;
        // - pieces do not overlap each other, nor, as checked, source and target.
        unsafe { copy_alone(from, (to, TargetLines::Far), length.min(len - start)) };
    });
}

/// [`copy_bytes`] for copies that are not short, by the caller alone.
///
/// # Safety
///
/// * As for [`copy_bytes`].
#[inline]
pub(super) unsafe fn copy_alone(src: *const u8, (dst, lines): (*mut u8, TargetLines), len: usize) {
    if lines == TargetLines::Far && vectors::foresees_page_only() {
        prefetch_pages(src, dst, len);
    }
    match vectors::faster_copy(src, (dst, lines), len) {
        // SAFETY:
        // - as demanded of the caller; they do not overlap, and the machine has what vectors need.
        Some(copy) if are_disjoint(src, dst, len) => unsafe { copy(src, dst, len) },
        // SAFETY:
        // - as demanded of the caller.
        _ => unsafe { ptr::copy(src, dst, len) },
    }
}

/// Begins to fetch the first lines of all pages but the first one, at both ends of a copy of so many bytes, for
/// processors that foresee what comes next within a page only. Messages of 8 to 64 KiB from memory to memory take 4 to
/// 7 % less on an Intel Xeon, and as long where all is in caches. On Zen 5 messages of 64 to 256 KiB from memory would
/// take a quarter longer.
#[inline]
fn prefetch_pages(src: *const u8, dst: *mut u8, len: usize) {
    for page in page_starts(src, len) {
        lines_of(page, BYTES_AHEAD).for_each(prefetch_read);
    }
    page_starts(dst, len).for_each(prefetch_read);
}

/// Where the next pages begin within so many bytes.
#[inline]
fn page_starts(first: *const u8, len: usize) -> impl Iterator<Item = *const u8> {
    let next = PAGE - first.addr() % PAGE;
    (next..len)
        .step_by(PAGE)
        .take(PAGES_AHEAD)
        .map(move |at| first.wrapping_add(at))
}

/// Whether so many bytes at both places do not overlap.
pub(super) fn are_disjoint(src: *const u8, dst: *mut u8, len: usize) -> bool {
    src.addr().abs_diff(dst.addr()) >= len
}

/// Copies as many bytes as one or two words have, as two words that may overlap. The words are numbers or vectors,
/// which stay in registers.
///
/// # Safety
///
/// * As for [`copy_bytes`], and `len` is at least the size of a word and at most twice that. Any bytes are a word.
#[inline(always)]
unsafe fn copy_ends<W: Copy>(src: *const u8, dst: *mut u8, len: usize) {
    let last = len - size_of::<W>();
    // SAFETY:
    // - both words lie inside the `len` bytes; any bytes are a word.
    unsafe {
        let head = src.cast::<W>().read_unaligned();
        let tail = src.add(last).cast::<W>().read_unaligned();
        dst.cast::<W>().write_unaligned(head);
        dst.add(last).cast::<W>().write_unaligned(tail);
    }
}

/// Copies `count` blocks of `len` bytes, whose starts are `from` and `to` bytes apart.
///
/// # Safety
///
/// * Each block is readable at its source and writable at its target; blocks may overlap.
#[inline]
pub(super) unsafe fn copy_blocks(src: (*const u8, isize), dst: (*mut u8, isize), len: usize, count: usize) {
    // SAFETY:
    // - as demanded of the caller; the width is the length of the blocks.
    unsafe {
        match len {
            1 => copy_words::<1>(src, dst, count),
            2 => copy_words::<2>(src, dst, count),
            4 => copy_words::<4>(src, dst, count),
            8 => copy_words::<8>(src, dst, count),
            12 => copy_words::<12>(src, dst, count),
            16 => copy_words::<16>(src, dst, count),
            24 => copy_words::<24>(src, dst, count),
            32 => copy_words::<32>(src, dst, count),
            48 => copy_words::<48>(src, dst, count),
            64 => copy_words::<64>(src, dst, count),
            _ => {
                for index in 0..count as isize {
                    copy_bytes(
                        src.0.wrapping_offset(index * src.1),
                        dst.0.wrapping_offset(index * dst.1),
                        len,
                    );
                }
            }
        }
    }
}

/// [`copy_blocks`] for blocks of `W` bytes.
///
/// # Safety
///
/// * As for [`copy_blocks`].
#[inline(always)]
unsafe fn copy_words<const W: usize>(src: (*const u8, isize), dst: (*mut u8, isize), count: usize) {
    let (mut from, mut to) = (src.0, dst.0);
    for _ in 0..count {
        // SAFETY:
        // - `from` and `to` are a block of the caller's; arrays of bytes need no alignment.
        unsafe { to.cast::<[u8; W]>().write(from.cast::<[u8; W]>().read()) };
        from = from.wrapping_offset(src.1);
        to = to.wrapping_offset(dst.1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_begin_within_the_bytes() {
        let starts = |from: usize, len| -> Vec<usize> {
            page_starts(ptr::without_provenance(from), len)
                .map(|start| start.addr())
                .collect()
        };
        assert_eq!(starts(4096, 4096), []);
        assert_eq!(starts(4096, 4097), [8192]);
        assert_eq!(starts(4000, 5000), [4096, 8192]);
        assert_eq!(starts(100, 1 << 20).len(), PAGES_AHEAD);
    }
}
