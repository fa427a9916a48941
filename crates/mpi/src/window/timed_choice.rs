//! The choice between two ways of doing the same by what they take.
//!
//! From time to time each way is taken several times in a row, and the one whose quickest time is shorter is taken
//! until the next such trial. The first times in a row do not count: the data lies where the other way has left it. The
//! quickest time counts since others may be late because of something else.

use std::time::{Duration, Instant};

/// So often each way is taken in a trial, of which the first ones do not count.
const ROW: u32 = 8;
const WARM_UP: u32 = 3;

/// From the end of a trial to the next one.
const REST: Duration = Duration::from_millis(50);

/// One of two ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    First,
    Second,
}

/// What is known of both ways. The first one is taken first.
#[derive(Debug)]
pub(super) struct TimedChoice {
    /// The way that is taken between trials.
    preferred: Choice,
    /// How often a way has been taken in the trial under way.
    taken: u32,
    /// The quickest time of each in this trial.
    quickest: [u64; 2],
    /// When the next trial begins; none if one is under way.
    rests_until: Option<Instant>,
}

impl Default for TimedChoice {
    fn default() -> Self {
        Self {
            preferred: Choice::First,
            taken: 0,
            quickest: [u64::MAX; 2],
            rests_until: None,
        }
    }
}

impl TimedChoice {
    /// The way to take now.
    pub(super) fn choose(&self) -> Choice {
        if self.rests_until.is_some_and(|until| Instant::now() < until) {
            return self.preferred;
        }
        match self.taken < ROW {
            true => Choice::First,
            false => Choice::Second,
        }
    }

    /// A way that has been chosen has taken so long, by any measure.
    pub(super) fn note(&mut self, choice: Choice, time: u64, now: Instant) {
        if self.rests_until.is_some_and(|until| now < until) {
            return;
        }
        let (row, number) = (self.taken / ROW, self.taken % ROW);
        if row != choice as u32 {
            return;
        }
        self.rests_until = None;
        if number >= WARM_UP {
            let quickest = &mut self.quickest[choice as usize];
            *quickest = time.min(*quickest);
        }
        self.taken += 1;
        if self.taken == 2 * ROW {
            let [first, second] = self.quickest;
            *self = Self {
                preferred: if first <= second {
                    Choice::First
                } else {
                    Choice::Second
                },
                rests_until: Some(now + REST),
                ..Self::default()
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes a way so often, each time as long as `times` says; how often it was the second one.
    fn take(choice: &mut TimedChoice, count: u32, now: Instant, times: [u64; 2]) -> u32 {
        let mut second = 0;
        for _ in 0..count {
            let way = choice.choose();
            choice.note(way, times[way as usize], now);
            second += u32::from(way == Choice::Second);
        }
        second
    }

    #[test]
    fn the_quicker_way_is_taken_until_the_next_trial() {
        let (mut choice, now) = (TimedChoice::default(), Instant::now());
        assert_eq!(take(&mut choice, 2 * ROW, now, [20, 10]), ROW);
        assert_eq!(take(&mut choice, 100, now, [10, 20]), 100);
        // The rest is over.
        choice.rests_until = Some(now);
        assert_eq!(take(&mut choice, 2 * ROW, now, [10, 20]), ROW);
        assert_eq!(take(&mut choice, 100, now, [20, 10]), 0);
    }

    #[test]
    fn neither_the_first_times_in_a_row_count_nor_late_ones() {
        let (mut choice, now) = (TimedChoice::default(), Instant::now());
        for number in 0..ROW {
            let time = if number == WARM_UP { 20 } else { 1000 };
            choice.note(Choice::First, time, now);
        }
        for number in 0..ROW {
            let time = if number < WARM_UP { 1 } else { 30 };
            choice.note(Choice::Second, time, now);
        }
        assert_eq!(choice.preferred, Choice::First);
    }

    #[test]
    fn a_way_that_has_not_been_chosen_counts_for_nothing() {
        let (mut choice, now) = (TimedChoice::default(), Instant::now());
        choice.note(Choice::Second, 1, now);
        assert_eq!(choice.taken, 0);
    }
}
