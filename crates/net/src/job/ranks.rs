//! A host's share of the ranks.

use super::JobError;
use serde::{Deserialize, Serialize};

/// Consecutive ranks of `MPI_COMM_WORLD`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RankRange {
    /// The first of them.
    pub first: u32,
    /// How many.
    pub count: u32,
}

impl RankRange {
    pub(super) fn validate(self, total: u32) -> Result<(), JobError> {
        match self.first.checked_add(self.count) {
            Some(end) if self.count > 0 && end <= total => Ok(()),
            _ => Err(JobError::RankRange {
                first: self.first,
                count: self.count,
                total,
            }),
        }
    }

    /// The ranks, in order.
    pub fn iter(self) -> std::ops::Range<u32> {
        self.first..self.first.saturating_add(self.count)
    }
}
