//! Memory for a block of bytes from each host.

use std::ops::Range;

use crate::memory::{StagingBuffer, Target};

/// The blocks of all hosts, one behind the other.
pub(super) struct Blocks {
    store: StagingBuffer,
    /// The offset of each block; then the end of the last one.
    bounds: Vec<usize>,
}

impl Blocks {
    /// Memory for blocks of these lengths.
    pub(super) fn new(lengths: impl IntoIterator<Item = usize>) -> Self {
        let ends = lengths.into_iter().scan(0, |end, length| {
            *end += length;
            Some(*end)
        });
        let bounds: Vec<usize> = std::iter::once(0).chain(ends).collect();
        let bytes = bounds.last().copied().unwrap_or(0);
        let store = StagingBuffer::new(bytes);
        Self { store, bounds }
    }

    /// The blocks of a range of hosts.
    pub(super) fn of(&self, hosts: Range<usize>) -> Target {
        let (start, end) = (self.bounds[hosts.start], self.bounds[hosts.end]);
        self.store.target(start, end - start)
    }

    /// Part of the block of a host.
    pub(super) fn within(&self, host: usize, start: usize, bytes: usize) -> Target {
        self.of(host..host + 1).slice(start, bytes)
    }
}
