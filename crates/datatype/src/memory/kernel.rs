//! Copies between two dataloops, level by level. Dataloops of the same structure, or of which one is contiguous, are
//! walked together, without looking up positions.

use std::ops::Range;
use std::ptr;

use super::copy::{SHARED, copy_blocks, copy_bytes, piece_length};
use super::shape::{Array, Shape};
use crate::datatype::{Block, Dataloop, Part};

/// Bytes of the elements that are moved together, block by block (`copy_columns`), so that they stay in the first-level
/// cache.
const CHUNK: usize = 8 << 10;

/// Moves all data from one array to another of the same size. `other` moves data between arrays of different
/// structure.
///
/// # Safety
///
/// * `from` has `bytes` bytes that are readable and `to` as many that are writable.
pub(super) unsafe fn copy_arrays(
    from: Array<'_>,
    to: Array<'_>,
    bytes: usize,
    other: unsafe fn(Array<'_>, Array<'_>, usize),
) {
    let pair = ArrayPair::of(from, to, other);
    match pair.units() {
        // SAFETY:
        // - as demanded of the caller.
        Some(Units { count: 0, .. }) => unsafe { copy_bytes(pair.from.0, pair.to.0, bytes) },
        Some(units) if bytes >= SHARED && units.longest < SHARED => {
            let step = (units.count * piece_length(bytes)).div_ceil(bytes).max(1);
            simurgh_core::parallel_for(units.count.div_ceil(step), &|piece| {
                let start = piece * step;
                // SAFETY:
                // - the units lie within the memory demanded of the caller, which stays valid until `share` returns;
                // - those of different pieces do not overlap at the target, or the program has erred.
                unsafe { pair.copy(start..units.count.min(start + step)) };
            });
        }
        // SAFETY:
        // - as demanded of the caller.
        Some(units) => unsafe { pair.copy(0..units.count) },
        // SAFETY:
        // - as demanded of the caller.
        None => unsafe { other(from, to, bytes) },
    }
}

/// The outermost levels of two arrays.
#[derive(Clone, Copy)]
struct ArrayPair<'a> {
    from: (*mut u8, Shape<'a>),
    to: (*mut u8, Shape<'a>),
    other: unsafe fn(Array<'_>, Array<'_>, usize),
}

// SAFETY:
// - addresses and shared references; the callers that move data through them from several threads see to it that the
//   data is valid and that targets do not overlap.
unsafe impl Sync for ArrayPair<'_> {}

/// The units that two levels have in common: their number, and the size of the longest. Two contiguous levels have
/// none.
struct Units {
    count: usize,
    longest: usize,
}

/// Bytes from one unit of a level to the next. In a contiguous level there are no gaps between them.
fn step(shape: &Shape<'_>, len: usize) -> isize {
    match *shape {
        Shape::Vector { stride, .. } | Shape::Nested { stride, .. } => stride,
        _ => len as isize,
    }
}

impl<'a> ArrayPair<'a> {
    fn of(from: Array<'a>, to: Array<'a>, other: unsafe fn(Array<'_>, Array<'_>, usize)) -> Self {
        Self {
            from: from.shape(),
            to: to.shape(),
            other,
        }
    }

    /// The units of both levels, if these have the same structure.
    fn units(&self) -> Option<Units> {
        match (self.from.1, self.to.1) {
            (Shape::Contiguous, Shape::Contiguous) => Some(Units { count: 0, longest: 0 }),
            (Shape::Vector { len, count, .. }, Shape::Contiguous)
            | (Shape::Contiguous, Shape::Vector { len, count, .. }) => Some(Units { count, longest: len }),
            (Shape::Vector { len, count, .. }, Shape::Vector { len: other, .. }) => {
                (len == other).then_some(Units { count, longest: len })
            }
            (Shape::Nested { count, size, .. }, Shape::Contiguous)
            | (Shape::Contiguous, Shape::Nested { count, size, .. }) => Some(Units { count, longest: size }),
            (Shape::Nested { count, size, .. }, Shape::Nested { size: other, .. }) => {
                (size == other).then_some(Units { count, longest: size })
            }
            (Shape::Indexed(list), Shape::Contiguous) | (Shape::Contiguous, Shape::Indexed(list)) => {
                Some(units_of(list))
            }
            (Shape::Indexed(from), Shape::Indexed(to)) => alike(from, to).then(|| units_of(from)),
            (Shape::Struct(parts), Shape::Contiguous) | (Shape::Contiguous, Shape::Struct(parts)) => {
                Some(units_of_parts(parts))
            }
            (Shape::Struct(from), Shape::Struct(to)) => {
                let before = |parts: &'a [Part]| parts.iter().map(|part| part.before);
                before(from).eq(before(to)).then(|| units_of_parts(from))
            }
            _ => None,
        }
    }

    /// Moves some of the units.
    ///
    /// # Safety
    ///
    /// * The units are readable at the source and writable at the target.
    unsafe fn copy(&self, units: Range<usize>) {
        let ((src, from), (dst, to)) = (self.from, self.to);
        match (from, to) {
            (Shape::Vector { len, .. }, _) | (_, Shape::Vector { len, .. }) => {
                let (near, far) = (step(&from, len), step(&to, len));
                let first = units.start as isize;
                let src = src.wrapping_offset(first * near);
                let dst = dst.wrapping_offset(first * far);
                // SAFETY:
                // - as demanded of the caller.
                unsafe { copy_blocks((src, near), (dst, far), len, units.len()) };
            }
            (Shape::Indexed(list), _) | (_, Shape::Indexed(list)) => {
                let place = |shape: Shape<'a>, index: usize| match shape {
                    Shape::Indexed(list) => list[index].offset,
                    _ => list[index].before as isize,
                };
                for index in units {
                    let src = src.wrapping_offset(place(from, index));
                    let dst = dst.wrapping_offset(place(to, index));
                    // SAFETY:
                    // - as demanded of the caller.
                    unsafe { copy_bytes(src, dst, list[index].len) };
                }
            }
            (Shape::Nested { size, .. }, _) | (_, Shape::Nested { size, .. }) => {
                // SAFETY:
                // - as demanded of the caller.
                unsafe { self.copy_grid(size, units) };
            }
            (Shape::Struct(parts), _) | (_, Shape::Struct(parts)) => {
                for index in units {
                    let size = parts[index].dataloop.size();
                    let run = Dataloop::Contiguous { offset: 0, len: size };
                    let (offset, dataloop) = part(from, &parts[index], index);
                    let near = Array::one(src.wrapping_offset(offset), dataloop.unwrap_or(&run));
                    let (offset, dataloop) = part(to, &parts[index], index);
                    let far = Array::one(dst.wrapping_offset(offset), dataloop.unwrap_or(&run));
                    // SAFETY:
                    // - as demanded of the caller.
                    unsafe { copy_arrays(near, far, size, self.other) };
                }
            }
            (Shape::Contiguous, Shape::Contiguous) => debug_assert!(units.is_empty(), "runs have no units"),
        }
    }

    /// Moves some elements of a nested level, of `size` bytes each.
    ///
    /// # Safety
    ///
    /// * As for [`ArrayPair::copy`].
    unsafe fn copy_grid(&self, size: usize, units: Range<usize>) {
        let ((src, from), (dst, to)) = (self.from, self.to);
        let (near, far) = (step(&from, size), step(&to, size));
        let run = Dataloop::Contiguous { offset: 0, len: size };
        let inner = |shape: Shape<'a>| match shape {
            Shape::Nested { inner, .. } => Some(inner),
            _ => None,
        };
        let (source, target) = (inner(from).unwrap_or(&run), inner(to).unwrap_or(&run));
        if let Some(list) = common_list(source, target) {
            // SAFETY:
            // - as demanded of the caller; both inner dataloops have the blocks of this list, or are runs.
            unsafe { copy_columns(list, (src, near, source), (dst, far, target), size, units) };
            return;
        }
        for index in units {
            let src = src.wrapping_offset(index as isize * near);
            let dst = dst.wrapping_offset(index as isize * far);
            // SAFETY:
            // - as demanded of the caller.
            unsafe { copy_arrays(Array::one(src, source), Array::one(dst, target), size, self.other) };
        }
    }
}

/// Where part `index` of a level lies, and its dataloop. In a contiguous level it lies where its data begins, which
/// `model`, the same part of the other side, knows.
fn part<'a>(shape: Shape<'a>, model: &Part, index: usize) -> (isize, Option<&'a Dataloop>) {
    match shape {
        Shape::Struct(parts) => (parts[index].offset, Some(&parts[index].dataloop)),
        _ => (model.before as isize, None),
    }
}

/// The blocks of both dataloops, one of which may be contiguous.
fn common_list<'a>(from: &'a Dataloop, to: &'a Dataloop) -> Option<&'a [Block]> {
    match (from, to) {
        (Dataloop::Indexed(list), Dataloop::Contiguous { .. })
        | (Dataloop::Contiguous { .. }, Dataloop::Indexed(list)) => Some(list),
        (Dataloop::Indexed(from), Dataloop::Indexed(to)) => alike(from, to).then_some(from),
        _ => None,
    }
}

/// Whether two lists have blocks of the same lengths.
fn alike(from: &[Block], to: &[Block]) -> bool {
    ptr::eq(from, to) || (from.len() == to.len() && from.iter().zip(to).all(|(from, to)| from.len == to.len))
}

fn units_of(list: &[Block]) -> Units {
    Units {
        count: list.len(),
        longest: list.iter().map(|block| block.len).max().unwrap_or(0),
    }
}

fn units_of_parts(parts: &[Part]) -> Units {
    Units {
        count: parts.len(),
        // Each part is cut into pieces by itself.
        longest: usize::MAX,
    }
}

/// Moves elements that consist of a few blocks: the first blocks of many elements, then their second blocks, and so on.
///
/// # Safety
///
/// * As for [`ArrayPair::copy`], for elements of the given dataloops at the given distances.
unsafe fn copy_columns(
    list: &[Block],
    (src, near, source): (*mut u8, isize, &Dataloop),
    (dst, far, target): (*mut u8, isize, &Dataloop),
    size: usize,
    units: Range<usize>,
) {
    let place = |dataloop: &Dataloop, index: usize| match dataloop {
        Dataloop::Indexed(list) => list[index].offset,
        Dataloop::Contiguous { offset, .. } => offset + list[index].before as isize,
        _ => 0,
    };
    let chunk = (CHUNK / size).max(1);
    for start in units.clone().step_by(chunk) {
        let count = chunk.min(units.end - start);
        let (src, dst) = (
            src.wrapping_offset(start as isize * near),
            dst.wrapping_offset(start as isize * far),
        );
        for (index, block) in list.iter().enumerate() {
            let src = src.wrapping_offset(place(source, index));
            let dst = dst.wrapping_offset(place(target, index));
            // SAFETY:
            // - block `index` of `count` elements, as demanded of the caller.
            unsafe { copy_blocks((src, near), (dst, far), block.len, count) };
        }
    }
}
