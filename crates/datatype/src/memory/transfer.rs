//! Moves data from one layout to another in one pass.

use super::buffer::{Source, Target};
use super::copy::{copy_blocks, copy_bytes, copy_to_lines, copy_word_or_bytes};
use super::kernel::copy_arrays;
use super::shape::Array;
use super::vectors::TargetLines;
use super::view::View;
use crate::datatype::{Basic, Datatype, Segment};

/// The result of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Bytes moved.
    pub bytes: usize,
    /// Whether the source had more than the target could take.
    pub truncated: bool,
}

/// Moves data from `src` to `dst`, layout to layout, as much as both have room for.
#[inline(always)]
pub fn transfer(src: &Source, dst: &Target) -> Transfer {
    match (src.dense_bytes(), dst.dense_bytes()) {
        (Some(offered), Some(room)) => {
            let bytes = offered.min(room);
            // SAFETY:
            // - so many bytes lie at both addresses, by the promises of both makers.
            unsafe { copy_word_or_bytes(src.address(), dst.address(), bytes) };
            Transfer {
                bytes,
                truncated: offered > room,
            }
        }
        _ => transfer_layouts(src, dst),
    }
}

/// [`transfer`] where one of the datatypes is derived or has gaps.
#[inline(never)]
fn transfer_layouts(src: &Source, dst: &Target) -> Transfer {
    let (offered, room) = (src.bytes(), dst.bytes());
    let bytes = offered.min(room);
    if src.datatype().is_contiguous() && dst.datatype().is_contiguous() {
        // SAFETY:
        // - contiguous elements cover `bytes()` bytes from the address on, valid by the promises of both makers.
        unsafe { copy_bytes(src.address(), dst.address(), bytes) };
    } else {
        let from = Array {
            base: src.address().cast_mut(),
            dataloop: src.datatype().dataloop(),
            count: src.count(),
            stride: src.datatype().extent(),
        };
        let to = Array {
            base: dst.address(),
            dataloop: dst.datatype().dataloop(),
            count: dst.count(),
            stride: dst.datatype().extent(),
        };
        // SAFETY:
        // - `bytes` is within both, whose memory is valid by the promises of their makers.
        unsafe { move_arrays(from, to, (offered, room)) };
    }
    Transfer {
        bytes,
        truncated: offered > room,
    }
}

/// Moves as many bytes as both arrays have.
///
/// # Safety
///
/// * `from` has as many readable bytes as are offered, and `to` as many writable ones as there is room for.
unsafe fn move_arrays(from: Array<'_>, to: Array<'_>, (offered, room): (usize, usize)) {
    if offered == 0 || room == 0 {
        return;
    }
    // The longer side is cut to the length of the other, if that is a number of whole elements.
    let from = from.first(room.min(offered));
    let to = to.first(offered.min(room));
    match (from, to) {
        // SAFETY:
        // - both have so many bytes, as demanded of the caller.
        (Ok(from), Ok(to)) => unsafe { copy_arrays(from, to, offered.min(room), walk) },
        // SAFETY:
        // - as demanded of the caller.
        (Ok(from) | Err(from), Ok(to) | Err(to)) => unsafe { walk(from, to, offered.min(room)) },
    }
}

/// Moves the first `bytes` bytes between arrays of different structure, segment by segment.
///
/// # Safety
///
/// * `from` has `bytes` bytes that are readable and `to` as many that are writable.
unsafe fn walk(from: Array<'_>, to: Array<'_>, bytes: usize) {
    let from = Side {
        base: from.base,
        view: View::of(&from),
        skip: 0,
    };
    let to = Side {
        base: to.base,
        view: View::of(&to),
        skip: 0,
    };
    // SAFETY:
    // - as demanded of the caller.
    unsafe { move_segments(&from, &to, bytes) };
}

/// Moves the data of `src` into `dst` from byte `skip` of its data on, as much as there is room for.
pub fn transfer_at(src: &Source, dst: &Target, skip: usize) {
    let bytes = src.bytes().min(dst.bytes().saturating_sub(skip));
    let from = Side {
        base: src.address().cast_mut(),
        view: View::new(src.datatype(), src.count()),
        skip: 0,
    };
    let to = Side {
        base: dst.address(),
        view: View::new(dst.datatype(), dst.count()),
        skip,
    };
    // SAFETY:
    // - `bytes` is within the source and, behind `skip`, within the target, valid by the promises of their makers.
    unsafe { move_segments(&from, &to, bytes) };
}

/// Copies the data of `src` to the front of `into`, which others have read or are going to read, as much as there is
/// room for; returns the bytes copied.
#[inline]
pub fn pack(src: &Source, into: &mut [u8]) -> usize {
    pack_from(src, 0, into)
}

/// Copies the data of `src` from byte `skip` on to the front of `into`, which others have read or are going to read;
/// returns the bytes copied.
#[inline]
pub fn pack_from(src: &Source, skip: usize, into: &mut [u8]) -> usize {
    let bytes = src.bytes().saturating_sub(skip).min(into.len());
    if src.datatype().is_contiguous() {
        // SAFETY:
        // - contiguous elements cover their bytes, of which `skip` and `bytes` are some, from the address on, valid by
        //   the promise of the maker; `bytes` is within the slice.
        unsafe {
            let target = (into.as_mut_ptr(), TargetLines::Far);
            copy_to_lines(src.address().wrapping_add(skip), target, bytes);
        }
    } else {
        // SAFETY:
        // - the source has so many bytes behind `skip`.
        unsafe { pack_segments(src, skip, &mut into[..bytes]) };
    }
    bytes
}

/// Fills `into` with the data of `src` from byte `skip` on.
///
/// # Safety
///
/// * There is so much.
unsafe fn pack_segments(src: &Source, skip: usize, into: &mut [u8]) {
    let raw = Datatype::Basic(Basic::Byte);
    let from = Side {
        base: src.address().cast_mut(),
        view: View::new(src.datatype(), src.count()),
        skip,
    };
    let to = Side {
        base: into.as_mut_ptr(),
        view: View::new(&raw, into.len()),
        skip: 0,
    };
    // SAFETY:
    // - the slice's length behind `skip` is within the source, as demanded, valid by the promise of its maker.
    unsafe { move_segments(&from, &to, into.len()) };
}

/// Copies `from` to the layout of `dst`, as much as there is room for.
#[inline(always)]
pub fn unpack(from: &[u8], dst: &Target) -> Transfer {
    let Some(room) = dst.dense_bytes() else {
        return unpack_at(from, dst, 0);
    };
    let bytes = from.len().min(room);
    // SAFETY:
    // - so many bytes lie at both addresses, at the second one by the promise of its maker.
    unsafe { copy_word_or_bytes(from.as_ptr(), dst.address(), bytes) };
    Transfer {
        bytes,
        truncated: from.len() > bytes,
    }
}

/// Copies `from` to the layout of `dst` from byte `skip` of its data on, as much as there is room for.
#[inline]
pub fn unpack_at(from: &[u8], dst: &Target, skip: usize) -> Transfer {
    let bytes = from.len().min(dst.bytes().saturating_sub(skip));
    if dst.datatype().is_contiguous() {
        // SAFETY:
        // - as in `pack_from`.
        unsafe {
            let target = (dst.address().wrapping_add(skip), TargetLines::Far);
            copy_to_lines(from.as_ptr(), target, bytes);
        }
    } else {
        // SAFETY:
        // - the target has room for so many bytes behind `skip`.
        unsafe { unpack_segments(&from[..bytes], dst, skip) };
    }
    Transfer {
        bytes,
        truncated: from.len() > bytes,
    }
}

/// Moves all of `from` to the data of `dst` from byte `skip` on.
///
/// # Safety
///
/// * There is room for it.
unsafe fn unpack_segments(from: &[u8], dst: &Target, skip: usize) {
    let raw = Datatype::Basic(Basic::Byte);
    let src = Side {
        base: from.as_ptr().cast_mut(),
        view: View::new(&raw, from.len()),
        skip: 0,
    };
    let to = Side {
        base: dst.address(),
        view: View::new(dst.datatype(), dst.count()),
        skip,
    };
    // SAFETY:
    // - the slice's length behind `skip` is within the target, as demanded, valid by the promise of its maker.
    unsafe { move_segments(&src, &to, from.len()) };
}

/// One end of a transfer, from byte `skip` of its data on. Sources are only read through `base`.
pub(super) struct Side<'a> {
    pub(super) base: *mut u8,
    pub(super) view: View<'a>,
    pub(super) skip: usize,
}

/// Moves `bytes` bytes.
///
/// # Safety
///
/// * From `skip` on, `from` has `bytes` bytes that are readable and `to` as many that are writable.
pub(super) unsafe fn move_segments(from: &Side<'_>, to: &Side<'_>, bytes: usize) {
    let (mut from_hint, mut to_hint) = (0, 0);
    let mut done = 0;
    while done < bytes {
        let source = from.view.at(from.skip + done, &mut from_hint);
        let target = to.view.at(to.skip + done, &mut to_hint);
        // SAFETY:
        // - both segments lie at `done`, and no more than the rest is moved.
        done += unsafe { move_segment((from.base, source), (to.base, target), bytes - done) };
    }
}

/// Moves data until a segment ends or `limit` bytes are moved; returns the bytes moved, at least one.
///
/// # Safety
///
/// * The first `limit` bytes of both segments, as far as they go, are readable and writable.
unsafe fn move_segment(from: (*mut u8, Segment), to: (*mut u8, Segment), limit: usize) -> usize {
    let (source, target) = (from.1, to.1);
    let (src, dst) = (
        from.0.wrapping_offset(source.offset),
        to.0.wrapping_offset(target.offset),
    );
    let (len, count) = common_blocks(&source, &target, limit);
    if count > 1 {
        let step = |segment: &Segment| {
            if segment.count > 1 {
                segment.stride
            } else {
                len as isize
            }
        };
        // SAFETY:
        // - both segments have `count` blocks of `len` bytes at these distances, within `limit`.
        unsafe { copy_blocks((src, step(&source)), (dst, step(&target)), len, count) };
        return len * count;
    }
    let len = source.head.min(target.head).min(limit);
    // SAFETY:
    // - the first blocks of both segments have `len` bytes, within `limit`.
    unsafe { copy_bytes(src, dst, len) };
    len
}

/// Length and number of the blocks that both segments have. Contiguous data counts as blocks without gaps.
fn common_blocks(source: &Segment, target: &Segment, limit: usize) -> (usize, usize) {
    let whole = |segment: &Segment| segment.count > 1 && segment.head == segment.len;
    let (len, count) = match (whole(source), whole(target)) {
        (true, true) if source.len == target.len => (source.len, source.count.min(target.count)),
        (true, _) if target.count == 1 => (source.len, source.count.min(target.head / source.len)),
        (_, true) if source.count == 1 => (target.len, target.count.min(source.head / target.len)),
        _ => return (0, 0),
    };
    (len, count.min(limit / len))
}
