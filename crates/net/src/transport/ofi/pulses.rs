//! When hosts have last been heard of, and what follows from that.
//!
//! A host is asked for a sign of life four times in the time after which it is lost, so that some may go astray. Who
//! has been kept from asking for long (stopped, or starved of its core) asks anew before it says that others are lost.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::transport::HostId;

/// Signs of life that are asked for within the time.
const ASKED: u32 = 4;

/// When hosts have last been heard of.
pub(super) struct Pulses {
    timeout: Duration,
    /// When to ask next.
    next: Instant,
    /// Of each host, from when it is first asked on.
    heard: BTreeMap<HostId, Instant>,
}

/// What to do about a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Ask it for a sign of life.
    Ask(HostId),
    /// It has not been heard of for too long.
    Lose(HostId),
}

impl Pulses {
    /// Nobody heard of yet.
    pub(super) fn new(timeout: Duration, now: Instant) -> Self {
        Self {
            timeout,
            next: now,
            heard: BTreeMap::new(),
        }
    }

    /// A host has been heard of.
    pub(super) fn hear(&mut self, host: HostId, now: Instant) {
        if let Some(heard) = self.heard.get_mut(&host) {
            *heard = now;
        }
    }

    /// How long there is nothing to do.
    pub(super) fn rest(&self, now: Instant) -> Duration {
        self.next.saturating_duration_since(now)
    }

    /// What to do now about the hosts that are watched.
    pub(super) fn steps(&mut self, now: Instant, watched: impl IntoIterator<Item = HostId>) -> Vec<Step> {
        let interval = self.timeout / ASKED;
        let Some(late) = now.checked_duration_since(self.next) else {
            return Vec::new();
        };
        self.next = now + interval;
        if late > interval {
            self.heard.values_mut().for_each(|heard| *heard = now);
        }
        let step = |host| {
            let heard = self.heard.entry(host).or_insert(now);
            match now.saturating_duration_since(*heard) > self.timeout {
                true => Step::Lose(host),
                false => Step::Ask(host),
            }
        };
        watched.into_iter().map(step).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMEOUT: Duration = Duration::from_secs(8);
    const INTERVAL: Duration = Duration::from_secs(2);

    #[test]
    fn the_silent_are_lost_after_the_time_and_the_others_are_not() {
        let start = Instant::now();
        let mut pulses = Pulses::new(TIMEOUT, start);
        let mut now = start;
        for _ in 0..5 {
            let steps = pulses.steps(now, [1, 2]);
            assert_eq!(steps, [Step::Ask(1), Step::Ask(2)]);
            assert_eq!(pulses.steps(now, [0, 1, 2]), []);
            assert_eq!(pulses.rest(now), INTERVAL);
            pulses.hear(1, now);
            now += INTERVAL;
        }
        assert!(now - start <= TIMEOUT + INTERVAL);
        assert_eq!(pulses.steps(now, [1, 2]), [Step::Ask(1), Step::Lose(2)]);
    }

    #[test]
    fn who_has_slept_itself_asks_before_it_accuses() {
        let start = Instant::now();
        let mut pulses = Pulses::new(TIMEOUT, start);
        assert_eq!(pulses.steps(start, [0]), [Step::Ask(0)]);
        let mut now = start + 100 * TIMEOUT;
        for _ in 0..5 {
            assert_eq!(pulses.steps(now, [0]), [Step::Ask(0)]);
            now += INTERVAL;
        }
        assert_eq!(pulses.steps(now, [0]), [Step::Lose(0)]);
    }

    #[test]
    fn strangers_are_not_noted() {
        let now = Instant::now();
        let mut pulses = Pulses::new(TIMEOUT, now);
        pulses.hear(7, now);
        assert!(pulses.heard.is_empty());
    }
}
