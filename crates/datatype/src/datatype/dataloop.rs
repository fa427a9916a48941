//! Dataloops: where the bytes of a datatype lie, in a normal form.
//!
//! Every constructor results in one of six kinds of dataloop, the simplest that fits, so that a few copy kernels serve
//! all datatypes. The name and the idea are those of MPICH's dataloops.
//!
//! A dataloop is looked up by position ("what lies at byte 1,000 of the packed data?"), not walked from the start. So
//! any part of a message can be moved by anybody, at any time, without state.
//!
//! `repeat.rs` repeats a dataloop, `builder.rs` joins several.

use std::borrow::Cow;

use super::segment::Segment;

/// A block of a [`Dataloop::Indexed`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) offset: isize,
    pub(crate) len: usize,
    /// Bytes of data in the blocks before this one.
    pub(crate) before: usize,
}

/// A part of a [`Dataloop::Struct`].
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Part {
    /// Bytes by which the dataloop is displaced.
    pub(crate) offset: isize,
    /// Bytes of data in the parts before this one.
    pub(crate) before: usize,
    pub(crate) dataloop: Dataloop,
}

/// The bytes of one element of a datatype, in the order of its type map, as offsets from the element's address.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Dataloop {
    /// No data.
    Empty,
    /// `len` contiguous bytes.
    Contiguous { offset: isize, len: usize },
    /// `count` blocks of `len` bytes, whose starts are `stride` bytes apart.
    Vector {
        offset: isize,
        len: usize,
        count: usize,
        stride: isize,
    },
    /// A list of blocks.
    Indexed(Cow<'static, [Block]>),
    /// Other dataloops, one after the other.
    Struct(Box<[Part]>),
    /// `count` repetitions of another dataloop, whose starts are `stride` bytes apart.
    Nested {
        count: usize,
        stride: isize,
        inner: Box<Dataloop>,
        inner_size: usize,
    },
}

impl Dataloop {
    /// Bytes of data.
    pub(crate) fn size(&self) -> usize {
        match self {
            Dataloop::Empty => 0,
            Dataloop::Contiguous { len, .. } => *len,
            Dataloop::Vector { len, count, .. } => len * count,
            Dataloop::Indexed(blocks) => blocks.last().map_or(0, |block| block.before + block.len),
            Dataloop::Struct(parts) => parts.last().map_or(0, |part| part.before + part.dataloop.size()),
            Dataloop::Nested {
                count, inner_size, ..
            } => count * inner_size,
        }
    }

    /// The offsets of the first byte of data and of the byte after the last; `None` without data.
    pub(crate) fn bounds(&self) -> Option<(isize, isize)> {
        match self {
            Dataloop::Empty => None,
            Dataloop::Contiguous { offset, len } => Some((*offset, offset + *len as isize)),
            Dataloop::Vector {
                offset,
                len,
                count,
                stride,
            } => Some(spread((*offset, offset + *len as isize), *count, *stride)),
            Dataloop::Indexed(blocks) => {
                let low = blocks.iter().map(|block| block.offset).min()?;
                let high = blocks
                    .iter()
                    .map(|block| block.offset + block.len as isize)
                    .max()?;
                Some((low, high))
            }
            Dataloop::Struct(parts) => parts
                .iter()
                .filter_map(|part| {
                    let (low, high) = part.dataloop.bounds()?;
                    Some((low.saturating_add(part.offset), high.saturating_add(part.offset)))
                })
                .reduce(|(low, high), (next_low, next_high)| (low.min(next_low), high.max(next_high))),
            Dataloop::Nested {
                count, stride, inner, ..
            } => Some(spread(inner.bounds()?, *count, *stride)),
        }
    }

    /// Whether no byte lies before, or on, one that precedes it in the type map.
    ///
    /// Takes time in proportion to the blocks that are listed, not to those that repetitions stand for.
    pub(crate) fn is_ordered(&self) -> bool {
        match self {
            Dataloop::Empty | Dataloop::Contiguous { .. } => true,
            Dataloop::Vector {
                len, count, stride, ..
            } => *count <= 1 || *stride >= *len as isize,
            Dataloop::Indexed(blocks) => blocks
                .windows(2)
                .all(|pair| pair[0].offset + pair[0].len as isize <= pair[1].offset),
            Dataloop::Struct(parts) => {
                let mut reached = isize::MIN;
                parts.iter().all(|part| {
                    let Some((low, high)) = part.dataloop.bounds() else {
                        return true;
                    };
                    let follows = low.saturating_add(part.offset) >= reached;
                    reached = high.saturating_add(part.offset);
                    follows && part.dataloop.is_ordered()
                })
            }
            Dataloop::Nested {
                count, stride, inner, ..
            } => {
                let apart = inner.bounds().is_none_or(|(low, high)| high - low <= *stride);
                inner.is_ordered() && (*count <= 1 || apart)
            }
        }
    }

    /// Whether no block begins before one that precedes it in the type map. Blocks may overlap.
    pub(crate) fn is_ascending(&self) -> bool {
        match self {
            Dataloop::Empty | Dataloop::Contiguous { .. } => true,
            Dataloop::Vector { count, stride, .. } => *count <= 1 || *stride >= 0,
            Dataloop::Indexed(blocks) => blocks.is_sorted_by_key(|block| block.offset),
            Dataloop::Struct(parts) => {
                let low = |part: &Part| Some(part.dataloop.bounds()?.0.saturating_add(part.offset));
                parts.iter().filter_map(low).is_sorted()
                    && parts.iter().all(|part| part.dataloop.is_ascending())
            }
            Dataloop::Nested {
                count, stride, inner, ..
            } => inner.is_ascending() && (*count <= 1 || *stride >= 0),
        }
    }

    /// The segment that begins at byte `position` of the packed data; `position` is less than [`Dataloop::size`].
    ///
    /// `hint` holds the index at which the previous search in a list of blocks ended. Any value is correct; a good one
    /// saves a binary search.
    pub(crate) fn at(&self, position: usize, hint: &mut usize) -> Segment {
        match self {
            Dataloop::Empty => Segment::run(0, 0),
            Dataloop::Contiguous { offset, len } => Segment::run(offset + position as isize, len - position),
            Dataloop::Vector {
                offset,
                len,
                count,
                stride,
            } => Segment::strided(*offset, *len, *count, *stride, position),
            Dataloop::Indexed(blocks) => {
                let block = find(blocks, position, hint);
                let within = position - block.before;
                Segment::run(block.offset + within as isize, block.len - within)
            }
            Dataloop::Struct(parts) => {
                let index = parts.partition_point(|part| part.before <= position) - 1;
                let part = &parts[index];
                // All lists of blocks share the hint, which may therefore be that of another list.
                part.dataloop
                    .at(position - part.before, hint)
                    .shifted(part.offset)
            }
            Dataloop::Nested {
                stride,
                inner,
                inner_size,
                ..
            } => {
                let shift = (position / inner_size) as isize * stride;
                inner.at(position % inner_size, hint).shifted(shift)
            }
        }
    }
}

/// The interval that `count` copies of `bounds` cover when they begin `stride` bytes apart.
fn spread((low, high): (isize, isize), count: usize, stride: isize) -> (isize, isize) {
    let far = (count as isize - 1).saturating_mul(stride);
    (low.saturating_add(far.min(0)), high.saturating_add(far.max(0)))
}

/// The block that holds byte `position`: the hinted one, its successor, or what a search finds.
fn find(blocks: &[Block], position: usize, hint: &mut usize) -> Block {
    let holds = |block: &Block| position.wrapping_sub(block.before) < block.len;
    let near = blocks
        .iter()
        .enumerate()
        .skip(*hint)
        .take(2)
        .find(|(_, block)| holds(block));
    let index = near.map_or_else(
        || {
            blocks
                .partition_point(|block| block.before <= position)
                .saturating_sub(1)
        },
        |(index, _)| index,
    );
    *hint = index;
    blocks[index]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(offset: isize, len: usize) -> Dataloop {
        Dataloop::Contiguous { offset, len }
    }

    #[test]
    fn bounds_follow_negative_strides() {
        assert_eq!(run(0, 4).repeat(3, -16).bounds(), Some((-32, 4)));
        assert_eq!(Dataloop::Empty.bounds(), None);
    }

    #[test]
    fn order_is_that_of_the_bytes_in_memory() {
        let repeat = |dataloop: &Dataloop, count, stride| dataloop.repeat(count, stride);
        let blocks = repeat(&run(0, 4), 3, 16);
        assert!(blocks.is_ordered() && repeat(&blocks, 2, 36).is_ordered());
        assert!(repeat(&run(0, 4), 3, 3).is_ascending() && !repeat(&run(0, 4), 3, -3).is_ascending());
        assert!(!repeat(&run(0, 4), 3, -16).is_ordered() && !repeat(&run(0, 4), 3, 3).is_ordered());
        assert!(!repeat(&blocks, 2, 20).is_ordered());
        let part = |offset, before| Part {
            offset,
            before,
            dataloop: blocks.clone(),
        };
        assert!(Dataloop::Struct([part(0, 0), part(36, 12)].into()).is_ordered());
        assert!(!Dataloop::Struct([part(0, 0), part(35, 12)].into()).is_ordered());
    }

    #[test]
    fn blocks_are_found_with_and_without_a_hint() {
        let lens = [3, 1, 5, 2];
        let mut before = 0;
        let blocks: Vec<Block> = lens
            .iter()
            .enumerate()
            .map(|(index, &len)| {
                let block = Block {
                    offset: 100 * index as isize,
                    len,
                    before,
                };
                before += len;
                block
            })
            .collect();
        let dataloop = Dataloop::Indexed(blocks.into());
        assert_eq!(dataloop.size(), 11);
        for start in 0..4 {
            for position in 0..11 {
                let mut hint = start;
                let segment = dataloop.at(position, &mut hint);
                let block = [0, 0, 0, 1, 2, 2, 2, 2, 2, 3, 3][position];
                assert_eq!(segment.offset / 100, block);
                assert_eq!(hint, block as usize);
            }
        }
    }
}
