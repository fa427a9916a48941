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
        match self.group().compare(other.group()) {
            Comparison::Identical => Comparison::Congruent,
            comparison => comparison,
        }
    }
}
