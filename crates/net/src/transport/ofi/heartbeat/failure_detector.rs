//! The failure detector: when hosts were last heard from, and which of them are lost.
//!
//! A host is asked for a sign of life four times within the timeout after which it is lost, so that single heartbeats
//! may be delayed. A host that could not ask for long itself, as it was stopped or starved of its core, asks anew
//! before it declares others lost.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::HostId;

/// How often a host is asked within the timeout.
const ASKED: u32 = 4;

/// When hosts were last heard from.
pub(super) struct FailureDetector {
    timeout: Duration,
    /// When to ask next.
    next: Instant,
    /// For each host, when it was last heard from, or first asked.
    heard: BTreeMap<HostId, Instant>,
}

/// An action that is due for a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Ask it for a sign of life.
    Ping(HostId),
    /// Declare it lost: it has been silent for too long.
    Lose(HostId),
}

impl FailureDetector {
    /// No host has been asked yet.
    pub(super) fn new(timeout: Duration, now: Instant) -> Self {
        Self {
            timeout,
            next: now,
            heard: BTreeMap::new(),
        }
    }

    /// Notes a sign of life of a host.
    pub(super) fn heard_from(&mut self, host: HostId, now: Instant) {
        if let Some(heard) = self.heard.get_mut(&host) {
            *heard = now;
        }
    }

    /// How long there is nothing to do.
    pub(super) fn rest(&self, now: Instant) -> Duration {
        self.next.saturating_duration_since(now)
    }

    /// The actions that are due now for the hosts that are monitored.
    pub(super) fn actions(
        &mut self,
        now: Instant,
        monitored: impl IntoIterator<Item = HostId>,
    ) -> Vec<Action> {
        let interval = self.timeout / ASKED;
        let Some(late) = now.checked_duration_since(self.next) else {
            return Vec::new();
        };
        self.next = now + interval;
        if late > interval {
            self.heard.values_mut().for_each(|heard| *heard = now);
        }
        let action = |host| {
            let heard = self.heard.entry(host).or_insert(now);
            match now.saturating_duration_since(*heard) > self.timeout {
                true => Action::Lose(host),
                false => Action::Ping(host),
            }
        };
        monitored.into_iter().map(action).collect()
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
        let mut failure_detector = FailureDetector::new(TIMEOUT, start);
        let mut now = start;
        for _ in 0..5 {
            let actions = failure_detector.actions(now, [1, 2]);
            assert_eq!(actions, [Action::Ping(1), Action::Ping(2)]);
            assert_eq!(failure_detector.actions(now, [0, 1, 2]), []);
            assert_eq!(failure_detector.rest(now), INTERVAL);
            failure_detector.heard_from(1, now);
            now += INTERVAL;
        }
        assert!(now - start <= TIMEOUT + INTERVAL);
        assert_eq!(
            failure_detector.actions(now, [1, 2]),
            [Action::Ping(1), Action::Lose(2)]
        );
    }

    #[test]
    fn who_has_slept_itself_asks_before_it_accuses() {
        let start = Instant::now();
        let mut failure_detector = FailureDetector::new(TIMEOUT, start);
        assert_eq!(failure_detector.actions(start, [0]), [Action::Ping(0)]);
        let mut now = start + 100 * TIMEOUT;
        for _ in 0..5 {
            assert_eq!(failure_detector.actions(now, [0]), [Action::Ping(0)]);
            now += INTERVAL;
        }
        assert_eq!(failure_detector.actions(now, [0]), [Action::Lose(0)]);
    }

    #[test]
    fn strangers_are_not_noted() {
        let now = Instant::now();
        let mut failure_detector = FailureDetector::new(TIMEOUT, now);
        failure_detector.heard_from(7, now);
        assert!(failure_detector.heard.is_empty());
    }
}
