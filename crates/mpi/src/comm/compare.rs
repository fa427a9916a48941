//! Comparing communicators.

use super::Comm;
use crate::group::Comparison;
use simurgh_core::sync::Arc;

impl Comm {
    /// How two communicators relate (`MPI_Comm_compare`).
    #[must_use]
    pub fn compare(&self, other: &Self) -> Comparison {
        if Arc::ptr_eq(&self.shared, &other.shared) {
            return Comparison::Identical;
        }
        let local = self.group().compare(other.group());
        let groups = match (self.remote_group(), other.remote_group()) {
            (None, None) => local,
            (Some(mine), Some(theirs)) => farther(local, mine.compare(theirs)),
            _ => Comparison::Unequal,
        };
        match groups {
            Comparison::Identical => Comparison::Congruent,
            comparison => comparison,
        }
    }
}

/// The one that is farther from identity.
fn farther(a: Comparison, b: Comparison) -> Comparison {
    if (a as i32) > (b as i32) { a } else { b }
}
