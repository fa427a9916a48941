//! The sleep of another host, as one that accesses its memory sees it, and whether to end it.
//!
//! A host that sleeps answers a packet only when it has been woken, which takes some ten microseconds. If its memory is
//! accessed again and again, it is woken all the same: then it looks for packets for a while, and answers each at once.
//! The more often that has been in vain, since the accesses were too far apart, the more of them it takes.

use simurgh_core::sync::{AtomicU32, Ordering};

/// So many accesses are worth waking a host for, at least and at most.
const LEAST: u32 = 32;
const MOST: u32 = 4096;

/// The sleep of a host.
#[derive(Default)]
pub(super) struct ObservedSleep {
    /// Accesses since it was last seen awake, or was woken.
    accesses: AtomicU32,
    /// How many more than [`LEAST`] it takes to wake it.
    patience: AtomicU32,
}

// Relaxed throughout: hints, of which a part may be lost.
impl ObservedSleep {
    /// Notes an access while the host looks for packets.
    #[inline]
    pub(super) fn is_over(&self) {
        if self.accesses.load(Ordering::Relaxed) > 0 {
            self.accesses.store(0, Ordering::Relaxed);
        }
        let patience = self.patience.load(Ordering::Relaxed);
        if patience > 0 {
            self.patience.store(patience - 1, Ordering::Relaxed);
        }
    }

    /// Notes an access while the host sleeps; whether it had better be woken now.
    pub(super) fn is_worth_ending(&self) -> bool {
        let accesses = self.accesses.load(Ordering::Relaxed) + 1;
        let patience = self.patience.load(Ordering::Relaxed);
        let is_worth = accesses >= LEAST + patience;
        self.accesses
            .store(if is_worth { 0 } else { accesses }, Ordering::Relaxed);
        if is_worth {
            let longer = (2 * (LEAST + patience)).min(MOST) - LEAST;
            self.patience.store(longer, Ordering::Relaxed);
        }
        is_worth
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Accesses until the host is woken.
    fn accesses(sleep: &ObservedSleep) -> u32 {
        (1..)
            .find(|_| sleep.is_worth_ending())
            .expect("it is woken in the end")
    }

    #[test]
    fn a_host_that_goes_on_sleeping_is_woken_less_and_less_often() {
        let sleep = ObservedSleep::default();
        let all: Vec<_> = (0..9).map(|_| accesses(&sleep)).collect();
        assert_eq!(all[..3], [LEAST, 2 * LEAST, 4 * LEAST]);
        assert_eq!(all[7..], [MOST, MOST]);
    }

    #[test]
    fn a_host_that_stays_awake_is_woken_soon_the_next_time() {
        let sleep = ObservedSleep::default();
        assert_eq!(accesses(&sleep), LEAST);
        assert!(!sleep.is_worth_ending());
        (0..MOST).for_each(|_| sleep.is_over());
        assert_eq!(accesses(&sleep), LEAST);
    }
}
