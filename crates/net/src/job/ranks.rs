//! A host's share of the ranks.

use std::fmt;

/// Consecutive ranks of `MPI_COMM_WORLD`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankRange {
    /// The first of them.
    pub first: u32,
    /// How many.
    pub count: u32,
}

impl RankRange {
    /// The ranks, in order.
    pub fn iter(self) -> std::ops::Range<u32> {
        self.first..self.first.saturating_add(self.count)
    }
}

impl fmt::Display for RankRange {
    /// As `rank 3` or `ranks 3-5`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count {
            0 | 1 => write!(f, "rank {}", self.first),
            count => write!(f, "ranks {}-{}", self.first, self.first.saturating_add(count - 1)),
        }
    }
}
