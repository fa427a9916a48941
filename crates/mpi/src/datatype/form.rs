//! Where the bytes of a datatype lie, in a normal form.
//!
//! Every constructor ends in one of five shapes, the simplest that fits, so that moving data knows a few kernels only.
//! A form is asked by position ("what lies at byte 1,000 of the packed data?"), not walked from the start: a part of a
//! message can be moved by anybody, at any time, without state.

use std::borrow::Cow;

/// A block of a [`Form::Blocks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) offset: isize,
    pub(crate) len: usize,
    /// Bytes of data in the blocks before this one.
    pub(crate) before: usize,
}

/// The bytes of one element of a datatype, in the order of its type map, as offsets from the element's address.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Form {
    /// No data.
    Empty,
    /// One contiguous run.
    Run { offset: isize, len: usize },
    /// `count` blocks of `len` bytes, the starts `stride` bytes apart.
    Strided {
        offset: isize,
        len: usize,
        count: usize,
        stride: isize,
    },
    /// Blocks anywhere.
    Blocks(Cow<'static, [Block]>),
    /// `count` times another form, `stride` bytes apart.
    Nest {
        count: usize,
        stride: isize,
        inner: Box<Form>,
        inner_size: usize,
    },
}

/// What lies at a position: blocks at equal distances, the first of which may be begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stretch {
    /// Where the data goes on.
    pub(crate) offset: isize,
    /// Bytes left in the first block.
    pub(crate) head: usize,
    /// Bytes of the other blocks.
    pub(crate) len: usize,
    /// Blocks, including the first.
    pub(crate) count: usize,
    /// From one block's start to the next's.
    pub(crate) stride: isize,
}

impl Stretch {
    /// One contiguous run.
    #[inline]
    pub(crate) fn run(offset: isize, len: usize) -> Self {
        Self {
            offset,
            head: len,
            len,
            count: 1,
            stride: 0,
        }
    }

    /// The blocks of a strided form from byte `position` on.
    #[inline]
    pub(crate) fn strided(offset: isize, len: usize, count: usize, stride: isize, position: usize) -> Self {
        let (block, within) = (position / len, position % len);
        let offset = offset + block as isize * stride + within as isize;
        Self {
            offset,
            head: len - within,
            len,
            count: count - block,
            stride,
        }
    }

    #[inline]
    fn shifted(self, by: isize) -> Self {
        Self {
            offset: self.offset + by,
            ..self
        }
    }
}

impl Form {
    /// Bytes of data.
    pub(crate) fn size(&self) -> usize {
        match self {
            Form::Empty => 0,
            Form::Run { len, .. } => *len,
            Form::Strided { len, count, .. } => len * count,
            Form::Blocks(blocks) => blocks.last().map_or(0, |block| block.before + block.len),
            Form::Nest {
                count, inner_size, ..
            } => count * inner_size,
        }
    }

    /// This form `count` times, `stride` bytes apart.
    pub(crate) fn repeat(&self, count: usize, stride: isize) -> Form {
        if count == 0 || self.size() == 0 {
            return Form::Empty;
        }
        if count == 1 {
            return self.clone();
        }
        match *self {
            Form::Run { offset, len } if stride == len as isize => Form::Run {
                offset,
                len: len * count,
            },
            Form::Run { offset, len } => Form::Strided {
                offset,
                len,
                count,
                stride,
            },
            Form::Strided {
                offset,
                len,
                count: blocks,
                stride: step,
            } if stride == step.wrapping_mul(blocks as isize) => Form::Strided {
                offset,
                len,
                count: blocks * count,
                stride: step,
            },
            Form::Nest {
                count: times,
                stride: step,
                ref inner,
                inner_size,
            } if stride == step.wrapping_mul(times as isize) => Form::Nest {
                count: times * count,
                stride: step,
                inner: inner.clone(),
                inner_size,
            },
            _ => Form::Nest {
                count,
                stride,
                inner: Box::new(self.clone()),
                inner_size: self.size(),
            },
        }
    }

    /// First and last byte of the data, the last exclusive; `None` without data.
    pub(crate) fn bounds(&self) -> Option<(isize, isize)> {
        match self {
            Form::Empty => None,
            Form::Run { offset, len } => Some((*offset, offset + *len as isize)),
            Form::Strided {
                offset,
                len,
                count,
                stride,
            } => Some(spread((*offset, offset + *len as isize), *count, *stride)),
            Form::Blocks(blocks) => {
                let low = blocks.iter().map(|block| block.offset).min()?;
                let high = blocks
                    .iter()
                    .map(|block| block.offset + block.len as isize)
                    .max()?;
                Some((low, high))
            }
            Form::Nest {
                count, stride, inner, ..
            } => Some(spread(inner.bounds()?, *count, *stride)),
        }
    }

    /// What lies at byte `position` of the packed data, which is less than [`Form::size`].
    ///
    /// `hint` is where the last search ended.
    pub(crate) fn at(&self, position: usize, hint: &mut usize) -> Stretch {
        match self {
            Form::Empty => Stretch::run(0, 0),
            Form::Run { offset, len } => Stretch::run(offset + position as isize, len - position),
            Form::Strided {
                offset,
                len,
                count,
                stride,
            } => Stretch::strided(*offset, *len, *count, *stride, position),
            Form::Blocks(blocks) => {
                let block = find(blocks, position, hint);
                let within = position - block.before;
                Stretch::run(block.offset + within as isize, block.len - within)
            }
            Form::Nest {
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
    let far = (count as isize - 1) * stride;
    (low + far.min(0), high + far.max(0))
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

    fn run(offset: isize, len: usize) -> Form {
        Form::Run { offset, len }
    }

    #[test]
    fn repeating_takes_the_simplest_form() {
        assert_eq!(run(0, 8).repeat(4, 8), run(0, 32));
        assert_eq!(run(0, 8).repeat(0, 8), Form::Empty);
        assert_eq!(run(3, 8).repeat(1, 99), run(3, 8));
        let strided = run(0, 4).repeat(3, 16);
        assert_eq!(
            strided,
            Form::Strided {
                offset: 0,
                len: 4,
                count: 3,
                stride: 16
            }
        );
        assert_eq!(
            strided.repeat(2, 48),
            Form::Strided {
                offset: 0,
                len: 4,
                count: 6,
                stride: 16
            }
        );
        assert!(matches!(strided.repeat(2, 40), Form::Nest { count: 2, .. }));
        assert!(matches!(
            strided.repeat(2, 40).repeat(3, 80),
            Form::Nest { count: 6, .. }
        ));
    }

    #[test]
    fn bounds_follow_negative_strides() {
        assert_eq!(run(0, 4).repeat(3, -16).bounds(), Some((-32, 4)));
        assert_eq!(Form::Empty.bounds(), None);
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
        let form = Form::Blocks(blocks.into());
        assert_eq!(form.size(), 11);
        for start in 0..4 {
            for position in 0..11 {
                let mut hint = start;
                let stretch = form.at(position, &mut hint);
                let block = [0, 0, 0, 1, 2, 2, 2, 2, 2, 3, 3][position];
                assert_eq!(stretch.offset / 100, block);
                assert_eq!(hint, block as usize);
            }
        }
    }
}
