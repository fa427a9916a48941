//! From one layout to another, level by level: two layouts that are built alike, or one of which is a run, are walked
//! together without asking for positions.

use std::ops::Range;
use std::ptr;

use super::copy::{SHARED, copy_blocks, copy_bytes, piece_length};
use super::shape::{Array, Shape};
use crate::datatype::{Block, Form, Part};

/// Elements of a grid whose blocks are moved column by column are taken in chunks of so many bytes, so that a chunk
/// stays in the first-level cache.
const CHUNK: usize = 8 << 10;

/// Moves all data from one array to another with as many bytes; `other` moves between arrays that are built
/// differently.
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
    let pair = Pair::of(from, to, other);
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
struct Pair<'a> {
    from: (*mut u8, Shape<'a>),
    to: (*mut u8, Shape<'a>),
    other: unsafe fn(Array<'_>, Array<'_>, usize),
}

// SAFETY:
// - addresses and shared references; whoever moves data through them from several threads sees to it that the data is
//   valid and that targets do not overlap.
unsafe impl Sync for Pair<'_> {}

/// What two levels have in common: so many units, of at most so many bytes; none if both are runs.
struct Units {
    count: usize,
    longest: usize,
}

/// How far apart the units of a level are; a run has them without gaps.
fn step(shape: &Shape<'_>, len: usize) -> isize {
    match *shape {
        Shape::Blocks { stride, .. } | Shape::Grid { stride, .. } => stride,
        _ => len as isize,
    }
}

impl<'a> Pair<'a> {
    fn of(from: Array<'a>, to: Array<'a>, other: unsafe fn(Array<'_>, Array<'_>, usize)) -> Self {
        Self {
            from: from.shape(),
            to: to.shape(),
            other,
        }
    }

    /// The units of both levels, if they go together.
    fn units(&self) -> Option<Units> {
        match (self.from.1, self.to.1) {
            (Shape::Run, Shape::Run) => Some(Units { count: 0, longest: 0 }),
            (Shape::Blocks { len, count, .. }, Shape::Run)
            | (Shape::Run, Shape::Blocks { len, count, .. }) => Some(Units { count, longest: len }),
            (Shape::Blocks { len, count, .. }, Shape::Blocks { len: other, .. }) => {
                (len == other).then_some(Units { count, longest: len })
            }
            (Shape::Grid { count, size, .. }, Shape::Run) | (Shape::Run, Shape::Grid { count, size, .. }) => {
                Some(Units { count, longest: size })
            }
            (Shape::Grid { count, size, .. }, Shape::Grid { size: other, .. }) => {
                (size == other).then_some(Units { count, longest: size })
            }
            (Shape::List(list), Shape::Run) | (Shape::Run, Shape::List(list)) => Some(units_of(list)),
            (Shape::List(from), Shape::List(to)) => alike(from, to).then(|| units_of(from)),
            (Shape::Parts(parts), Shape::Run) | (Shape::Run, Shape::Parts(parts)) => {
                Some(units_of_parts(parts))
            }
            (Shape::Parts(from), Shape::Parts(to)) => {
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
            (Shape::Blocks { len, .. }, _) | (_, Shape::Blocks { len, .. }) => {
                let (near, far) = (step(&from, len), step(&to, len));
                let first = units.start as isize;
                let src = src.wrapping_offset(first * near);
                let dst = dst.wrapping_offset(first * far);
                // SAFETY:
                // - as demanded of the caller.
                unsafe { copy_blocks((src, near), (dst, far), len, units.len()) };
            }
            (Shape::List(list), _) | (_, Shape::List(list)) => {
                let place = |shape: Shape<'a>, index: usize| match shape {
                    Shape::List(list) => list[index].offset,
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
            (Shape::Grid { size, .. }, _) | (_, Shape::Grid { size, .. }) => {
                // SAFETY:
                // - as demanded of the caller.
                unsafe { self.copy_grid(size, units) };
            }
            (Shape::Parts(parts), _) | (_, Shape::Parts(parts)) => {
                for index in units {
                    let size = parts[index].form.size();
                    let run = Form::Run { offset: 0, len: size };
                    let (offset, form) = part(from, &parts[index], index);
                    let near = Array::one(src.wrapping_offset(offset), form.unwrap_or(&run));
                    let (offset, form) = part(to, &parts[index], index);
                    let far = Array::one(dst.wrapping_offset(offset), form.unwrap_or(&run));
                    // SAFETY:
                    // - as demanded of the caller.
                    unsafe { copy_arrays(near, far, size, self.other) };
                }
            }
            (Shape::Run, Shape::Run) => debug_assert!(units.is_empty(), "runs have no units"),
        }
    }

    /// Moves some elements of a grid, of `size` bytes each.
    ///
    /// # Safety
    ///
    /// * As for [`Pair::copy`].
    unsafe fn copy_grid(&self, size: usize, units: Range<usize>) {
        let ((src, from), (dst, to)) = (self.from, self.to);
        let (near, far) = (step(&from, size), step(&to, size));
        let run = Form::Run { offset: 0, len: size };
        let inner = |shape: Shape<'a>| match shape {
            Shape::Grid { inner, .. } => Some(inner),
            _ => None,
        };
        let (source, target) = (inner(from).unwrap_or(&run), inner(to).unwrap_or(&run));
        if let Some(list) = common_list(source, target) {
            // SAFETY:
            // - as demanded of the caller; both inner forms have the blocks of this list, or are runs.
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

/// Where part `index` of a level lies, and its form; in a run it lies where the other side's `model` says.
fn part<'a>(shape: Shape<'a>, model: &Part, index: usize) -> (isize, Option<&'a Form>) {
    match shape {
        Shape::Parts(parts) => (parts[index].offset, Some(&parts[index].form)),
        _ => (model.before as isize, None),
    }
}

/// The blocks of both forms, one of which may be a run.
fn common_list<'a>(from: &'a Form, to: &'a Form) -> Option<&'a [Block]> {
    match (from, to) {
        (Form::Blocks(list), Form::Run { .. }) | (Form::Run { .. }, Form::Blocks(list)) => Some(list),
        (Form::Blocks(from), Form::Blocks(to)) => alike(from, to).then_some(from),
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
        // Each part is shared out by itself.
        longest: usize::MAX,
    }
}

/// Moves elements that consist of a few blocks: the first block of many elements, then their second, and so on.
///
/// # Safety
///
/// * As for [`Pair::copy`], for elements of the given forms at the given distances.
unsafe fn copy_columns(
    list: &[Block],
    (src, near, source): (*mut u8, isize, &Form),
    (dst, far, target): (*mut u8, isize, &Form),
    size: usize,
    units: Range<usize>,
) {
    let place = |form: &Form, index: usize| match form {
        Form::Blocks(list) => list[index].offset,
        Form::Run { offset, .. } => offset + list[index].before as isize,
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
