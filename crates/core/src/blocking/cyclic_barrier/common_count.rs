//! The common count of the arrivals in a phase, and the promises of those that report them: see
//! [`watch`](super::watch).

use crate::sync::{AtomicU64, Ordering};

/// The number of slots that can be promised, each by a bit above the count.
pub(super) const PROMISED: usize = 32;

/// The count, in the lower half; above it, a bit for each slot that a party has promised to release.
#[derive(Default)]
pub(super) struct CommonCount(AtomicU64);

/// The bit of a slot.
const fn bit(slot: usize) -> u64 {
    1 << (PROMISED + slot)
}

// AcqRel throughout: the last party sees what all others contributed, and whoever releases a slot what others have done
// there.
impl CommonCount {
    /// Adds arrivals, with the promise to release a slot, which is made once in a phase. The sum of all arrivals so
    /// far.
    #[inline]
    pub(super) fn add(&self, arrivals: usize, promised: Option<usize>) -> usize {
        let added = arrivals as u64 + promised.map_or(0, bit);
        let sum = self.0.fetch_add(added, Ordering::AcqRel) + added;
        sum as u32 as usize
    }

    /// Withdraws a promise. False if the last party relies on it.
    #[inline]
    pub(super) fn withdraw(&self, slot: usize) -> bool {
        self.0.fetch_and(!bit(slot), Ordering::AcqRel) & bit(slot) != 0
    }

    /// Begins anew. For the last party, which gets the slots that others than itself have promised to release, as bits.
    #[inline]
    pub(super) fn take(&self, own: Option<usize>) -> u64 {
        (self.0.swap(0, Ordering::AcqRel) & !own.map_or(0, bit)) >> PROMISED
    }
}
