//! A whole buffer as segments of bytes.

use super::shape::Array;
use crate::datatype::{Dataloop, Datatype, Segment};

/// `count` elements of a datatype, looked up by position in the packed data.
pub(super) struct View<'a> {
    dataloop: &'a Dataloop,
    size: usize,
    extent: isize,
    count: usize,
}

impl<'a> View<'a> {
    #[inline]
    pub(super) fn new(datatype: &'a Datatype, count: usize) -> Self {
        Self {
            dataloop: datatype.dataloop(),
            size: datatype.size(),
            extent: datatype.extent(),
            count,
        }
    }

    /// The elements of an array, whatever its address.
    pub(super) fn of(array: &Array<'a>) -> Self {
        Self {
            dataloop: array.dataloop,
            size: array.dataloop.size(),
            extent: array.stride,
            count: array.count,
        }
    }

    /// As many elements as addresses can tell apart: a tiling, which has no end.
    pub(super) fn endless(datatype: &'a Datatype) -> Self {
        let longest = datatype.size().max(datatype.extent().unsigned_abs()).max(1);
        Self::new(datatype, isize::MAX as usize / longest)
    }

    /// The segment that begins at byte `position`, which is less than the size of the data.
    #[inline]
    pub(super) fn at(&self, position: usize, hint: &mut usize) -> Segment {
        match *self.dataloop {
            Dataloop::Contiguous { offset, len } if len as isize == self.extent => {
                Segment::run(offset + position as isize, len * self.count - position)
            }
            Dataloop::Contiguous { offset, len } => {
                Segment::strided(offset, len, self.count, self.extent, position)
            }
            Dataloop::Vector {
                offset,
                len,
                count,
                stride,
            } if self.extent == stride.wrapping_mul(count as isize) => {
                Segment::strided(offset, len, count * self.count, stride, position)
            }
            _ => {
                let shift = (position / self.size) as isize * self.extent;
                let segment = self.dataloop.at(position % self.size, hint);
                Segment {
                    offset: segment.offset + shift,
                    ..segment
                }
            }
        }
    }
}
