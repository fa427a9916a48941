//! The part of a rank in an access, and what became of it.

use std::io;
use std::ops::Range;

use simurgh_core::sync::Arc;

use crate::view::View;

/// A rank's part in an access: a buffer, and where its data is in the file. The buffer of data in a representation of
/// the program holds the content of the file, which the caller converts.
#[derive(Clone, Debug)]
pub struct Part<M> {
    /// The rank's view.
    pub view: Arc<View>,
    /// The position of the first byte.
    pub position: usize,
    /// The number of positions.
    pub bytes: usize,
    /// The buffer.
    pub memory: M,
}

/// The result of an access.
#[derive(Debug)]
pub struct Moved {
    /// The positions whose data was moved.
    pub bytes: usize,
    /// Why no more was moved, if that is not the end of the file.
    pub outcome: io::Result<()>,
}

impl<M> Part<M> {
    /// The bytes of the file from the first to the last one, if the view is plain and there are any.
    pub(crate) fn span(&self) -> Range<u64> {
        let first = self.view.offset_of(self.position);
        match self.bytes {
            0 => first..first,
            bytes => first..self.view.offset_of(self.position + bytes - 1) + 1,
        }
    }

    /// The lowest and the highest byte of the file, whatever the view. A superset may be returned.
    #[must_use]
    pub fn reach(&self) -> Range<u64> {
        if self.view.is_plain() || self.bytes == 0 {
            return self.span();
        }
        let pieces = self.view.pieces(self.position, self.bytes);
        let ends = pieces.map(|piece| (piece.offset, piece.offset + piece.len as u64));
        let all = ends.reduce(|(low, high), (first, end)| (low.min(first), high.max(end)));
        all.map_or(0..0, |(low, high)| low..high)
    }
}
