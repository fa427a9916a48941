//! Segments: what lies at a position of the packed data.

/// Blocks at equal distances. A segment may begin inside its first block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Offset of its first byte.
    pub offset: isize,
    /// Bytes left in the first block.
    pub head: usize,
    /// Bytes of each other block.
    pub len: usize,
    /// Blocks, including the first.
    pub count: usize,
    /// Bytes from the start of one block to the start of the next.
    pub stride: isize,
}

impl Segment {
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

    /// The blocks of a vector from byte `position` of its packed data on.
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

    /// The same blocks, displaced by `by` bytes.
    #[inline]
    pub(crate) fn shifted(self, by: isize) -> Self {
        Self {
            offset: self.offset + by,
            ..self
        }
    }
}
