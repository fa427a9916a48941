//! What lies at a position of the packed data.

/// What lies at a position: blocks at equal distances, the first of which may be begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
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

    /// The blocks of a strided dataloop from byte `position` on.
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

    /// The same, `by` bytes further.
    #[inline]
    pub(crate) fn shifted(self, by: isize) -> Self {
        Self {
            offset: self.offset + by,
            ..self
        }
    }
}
