//! How many switches a busy worker makes between two looks at the network.
//!
//! The rhythm is fixed, or it anticipates: it follows the communication that the worker has seen. It keeps a mean of
//! the switches from one arrival to the next, and has the worker look when about half of that has passed. A look that
//! finds nothing makes it expect the next arrival later. So a worker whose contexts only compute hardly ever looks, and
//! one to which much is sent looks between any two switches.

use crate::sync::{AtomicU64, Ordering};

/// Switches between two looks in the fixed rhythm, and in the other one before anything is known.
const USUAL: u64 = 8;
/// The most switches between two looks.
const MOST: u64 = 128;
/// The mean is kept in this part of a switch.
const FRACTION: u64 = 16;

/// The rhythm of a worker's looks. Only the worker's thread uses it.
pub(super) struct PollRhythm {
    anticipates: AtomicU64,
    /// The mean of the switches from one arrival to the next, times [`FRACTION`].
    mean: AtomicU64,
    /// The number of switches at the last arrival.
    arrival: AtomicU64,
}

// Relaxed throughout: one thread uses it.
impl PollRhythm {
    pub(super) fn new() -> Self {
        Self {
            anticipates: AtomicU64::new(0),
            mean: AtomicU64::new(2 * USUAL * FRACTION),
            arrival: AtomicU64::new(0),
        }
    }

    /// Makes it one that anticipates, or a fixed one.
    pub(super) fn set(&self, anticipates: bool) {
        self.anticipates.store(u64::from(anticipates), Ordering::Relaxed);
    }

    /// The number of switches until the next look, after one at this number of switches that has found something or
    /// not.
    pub(super) fn after(&self, switches: u64, found: bool) -> u64 {
        if self.anticipates.load(Ordering::Relaxed) == 0 {
            return USUAL;
        }
        let mean = self.mean.load(Ordering::Relaxed);
        let mean = match found {
            true => {
                let gap = switches - self.arrival.load(Ordering::Relaxed).min(switches);
                self.arrival.store(switches, Ordering::Relaxed);
                (3 * mean + gap.min(2 * MOST) * FRACTION) / 4
            }
            false => (mean + mean / 4).min(2 * MOST * FRACTION),
        };
        self.mean.store(mean, Ordering::Relaxed);
        (mean / (2 * FRACTION)).clamp(1, MOST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn anticipating() -> PollRhythm {
        let rhythm = PollRhythm::new();
        rhythm.set(true);
        rhythm
    }

    #[test]
    fn a_fixed_rhythm_does_not_change() {
        let rhythm = PollRhythm::new();
        assert!((1..100).all(|switches| rhythm.after(switches, switches % 2 == 0) == USUAL));
    }

    #[test]
    fn looks_are_rare_where_nothing_comes_and_frequent_where_much_comes() {
        let rhythm = anticipating();
        let mut switches = 0;
        let looks = (0..1000).take_while(|_| {
            switches += rhythm.after(switches, false);
            switches < 8000
        });
        assert!(looks.count() < 100);
        assert_eq!(rhythm.after(switches, false), MOST);
        for _ in 0..40 {
            switches += rhythm.after(switches, true);
        }
        assert_eq!(rhythm.after(switches, true), 1);
    }

    #[test]
    fn a_look_comes_before_the_next_arrival_is_due() {
        let rhythm = anticipating();
        let (mut switches, mut next, mut late) = (0, 20, 0);
        for _ in 0..200 {
            let found = switches >= next;
            if found {
                late = switches - next;
                next += 20;
            }
            switches += rhythm.after(switches, found);
        }
        assert!(late <= 10, "{late}");
    }
}
