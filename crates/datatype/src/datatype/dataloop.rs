//! Where the bytes of a datatype lie, in a normal form.
//!
//! Every constructor ends in one of six shapes, the simplest that fits, so that moving data knows a few kernels only.
//! A dataloop is asked by position ("what lies at byte 1,000 of the packed data?"), not walked from the start: a part of a
//! message can be moved by anybody, at any time, without state.
//!
//! `repeat.rs` and `builder.rs` make dataloops of dataloops.

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
    /// One contiguous run.
    Contiguous { offset: isize, len: usize },
    /// `count` blocks of `len` bytes, the starts `stride` bytes apart.
    Vector {
        offset: isize,
        len: usize,
        count: usize,
        stride: isize,
    },
    /// Blocks anywhere.
    Indexed(Cow<'static, [Block]>),
    /// Other dataloops, one after the other.
    Struct(Box<[Part]>),
    /// `count` times another dataloop, `stride` bytes apart.
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

    /// First and last byte of the data, the last exclusive; `None` without data.
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

    /// What lies at byte `position` of the packed data, which is less than [`Dataloop::size`].
    ///
    /// `hint` is where the last search ended.
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
                // The hint belongs to one list of blocks; which one, nobody remembers.
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

/// The interval that `count` copies of `bounds` at distances of `stride` cover.
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
