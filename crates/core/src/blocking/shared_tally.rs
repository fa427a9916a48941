//! A number that one process tells another in memory that they share.

use crate::sync::{AtomicU64, Ordering};

/// Set while a number has been told and not been forgotten; the number is in the lower half.
const TOLD: u64 = 1 << 32;

/// A number, of requests for example, that one process tells another, which acts on it and then forgets it. A later
/// number takes the place of an earlier one: a sum that only grows, modulo 2^32. Zeroed it tells nothing.
///
/// Another process may write anything into the memory. Then the other number is told, and nothing worse happens here.
#[repr(transparent)]
#[derive(Debug, Default)]
pub struct SharedTally(AtomicU64);

impl SharedTally {
    /// Tells a number.
    #[inline]
    pub fn tell(&self, number: u32) {
        // Release: who is told sees what the caller did before.
        self.0.store(TOLD | u64::from(number), Ordering::Release);
    }

    /// The number that has been told and not been forgotten; what was done before is visible.
    #[inline]
    #[must_use]
    pub fn told(&self) -> Option<u32> {
        // Acquire pairs with the store in `tell`.
        let word = self.0.load(Ordering::Acquire);
        (word & TOLD != 0).then_some(word as u32)
    }

    /// Forgets a number, unless another one has been told meanwhile.
    #[inline]
    pub fn forget(&self, number: u32) {
        // Relaxed: it tells nobody anything. If it fails, the other number is found by the next look.
        let _other =
            self.0
                .compare_exchange(TOLD | u64::from(number), 0, Ordering::Relaxed, Ordering::Relaxed);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_told_until_it_is_forgotten_and_a_later_one_is_not_forgotten_with_it() {
        let tally = SharedTally::default();
        assert_eq!(tally.told(), None);
        for number in [0, u32::MAX] {
            tally.tell(number);
            assert_eq!(tally.told(), Some(number));
            tally.forget(number);
            assert_eq!(tally.told(), None);
        }
        tally.tell(1);
        tally.tell(2);
        tally.forget(1);
        assert_eq!(tally.told(), Some(2));
    }
}
