//! Measuring for how long each execution context runs.
//!
//! The processor time of a virtual processor between two samples belongs to the context that runs there at the second
//! one. A window lasts until a virtual processor has run for so long. What a window has measured counts only if the
//! next one finds the same: a program may work in turns that are longer than a window. If the two differ, the next
//! window is as long as both together.

use std::collections::HashMap;
use std::time::Duration;

/// How far the shares of contexts in two windows may differ in all.
const TOLERANCE: f64 = 0.25;
/// The longest window.
const WINDOW_MAX: Duration = Duration::from_secs(30);

/// The times of execution contexts, by their marks, in seconds.
pub(super) type Times = HashMap<u64, f64>;

/// Measures for how long each execution context runs.
pub(super) struct Meter {
    /// The shortest window, and the one under way.
    shortest: Duration,
    window: Duration,
    /// The processor time of each virtual processor: at the last sample, and what has come since the window began.
    vps: Vec<(Option<Duration>, Duration)>,
    current: Times,
    previous: Option<Times>,
}

impl Meter {
    pub(super) fn new(vps: usize, shortest: Duration) -> Self {
        Self {
            shortest,
            window: shortest,
            vps: vec![(None, Duration::ZERO); vps],
            current: Times::new(),
            previous: None,
        }
    }

    /// Notes the processor time of a virtual processor, and the mark of what runs there now. Returns the time since the
    /// last sample.
    pub(super) fn sample(&mut self, vp: usize, time: Duration, mark: u64) -> Duration {
        let (last, in_window) = &mut self.vps[vp];
        let more = time.saturating_sub(last.replace(time).unwrap_or(time));
        *in_window += more;
        *self.current.entry(mark).or_default() += more.as_secs_f64();
        more
    }

    /// Forgets what has been measured, but not how long windows have to be.
    pub(super) fn restart(&mut self) {
        self.vps.fill((None, Duration::ZERO));
        self.current.clear();
        self.previous = None;
    }

    /// The times of both windows, if the one under way is over and finds what the one before has found.
    pub(super) fn settled(&mut self) -> Option<Times> {
        if self.vps.iter().all(|(_, in_window)| *in_window < self.window) {
            return None;
        }
        self.vps
            .iter_mut()
            .for_each(|(_, in_window)| *in_window = Duration::ZERO);
        let current = std::mem::take(&mut self.current);
        let Some(previous) = self.previous.take() else {
            self.previous = Some(current);
            return None;
        };
        let is_same = difference(&previous, &current) <= TOLERANCE;
        let mut both = previous;
        for (mark, time) in current {
            *both.entry(mark).or_default() += time;
        }
        if is_same {
            self.window = (self.window / 2).max(self.shortest);
            return Some(both);
        }
        self.window = (self.window * 2).min(WINDOW_MAX);
        self.previous = Some(both);
        None
    }
}

/// How far the shares of contexts in two measurements differ in all: from 0 to 2.
fn difference(one: &Times, other: &Times) -> f64 {
    let sum = |times: &Times| times.values().sum::<f64>().max(f64::MIN_POSITIVE);
    let (whole, other_whole) = (sum(one), sum(other));
    let share = |times: &Times, mark: &u64, whole: f64| times.get(mark).copied().unwrap_or(0.0) / whole;
    let of_one = one
        .keys()
        .map(|mark| (share(one, mark, whole) - share(other, mark, other_whole)).abs());
    let others = other.keys().filter(|mark| !one.contains_key(mark));
    of_one
        .chain(others.map(|mark| share(other, mark, other_whole)))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP: Duration = Duration::from_millis(1);

    /// Has a virtual processor run these marks for a millisecond each, in turn, until the meter settles. Returns what
    /// it says, and after how many milliseconds.
    fn run(marks: &[u64], most: usize) -> (Option<Times>, usize) {
        let mut meter = Meter::new(1, 100 * STEP);
        meter.sample(0, Duration::ZERO, 0);
        for (count, mark) in marks.iter().cycle().take(most).enumerate() {
            meter.sample(0, STEP * (count as u32 + 1), *mark);
            if let Some(times) = meter.settled() {
                return (Some(times), count + 1);
            }
        }
        (None, most)
    }

    #[test]
    fn two_windows_that_agree_are_believed() {
        let (times, after) = run(&[1, 2, 2, 2], 1000);
        let times = times.expect("they agree");
        assert_eq!(after, 200);
        assert!((times[&2] / times[&1] - 3.0).abs() < 1e-9);
    }

    #[test]
    fn turns_that_are_longer_than_a_window_make_it_longer() {
        let turns: Vec<u64> = [[1; 150], [2; 150]].concat();
        let (times, after) = run(&turns, 10_000);
        let times = times.expect("a long window sees both");
        assert!(after >= 600, "{after}");
        assert!((times[&1] / times[&2] - 1.0).abs() < 0.4, "{times:?}");
    }

    #[test]
    fn idle_time_is_nobodys() {
        let mut meter = Meter::new(2, STEP);
        for round in 0..10 {
            meter.sample(0, STEP * round, 7);
            meter.sample(1, Duration::ZERO, 8);
        }
        assert!(meter.settled().is_none());
        meter.sample(0, STEP * 20, 7);
        let times = meter.settled().expect("only one runs");
        assert!(times[&7] > 0.018 && times[&8] == 0.0, "{times:?}");
    }
}
