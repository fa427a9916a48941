//! The stall detector: whether packets and transfers between hosts arrive, although nothing fails.
//!
//! Somebody who takes over a connection can hold back what goes over it, while the connection for heartbeats still
//! works. So hosts tell each other with their heartbeats how many packets they have sent and received, and how often
//! they have polled.
//!
//! A packet may be under way as long as its sender and its receiver have not both polled: a host that computes does
//! nothing wrong. If both have polled again and again for the timeout after which a silent host is lost, and nothing of
//! what is due has come, it will not come. Transfers have twice that time, since many hosts may read long data from
//! one.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::HostId;
use crate::transport::ofi::peer::Traffic;

/// Polls of each of the two hosts after which a packet has arrived, or will not arrive. To connect takes some.
const POLLS: u64 = 8;

/// The counts that this host and another one have of their traffic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counters {
    /// The counts of this host: its traffic with the other one.
    pub(super) ours: Traffic,
    /// Packets that the other one has sent to this one, and received from it.
    pub(super) theirs: (u64, u64),
    /// How often each has polled: this one, the other one.
    pub(super) polls: [u64; 2],
}

/// The progress of what is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// It arrives, or nothing is due.
    Moving,
    /// Something that was due at the last look is still due, so both hosts should poll.
    Delayed,
    /// It will not arrive.
    Stalled,
}

/// Something that is due: packets from the other host, packets to it, or transfers.
#[derive(Clone, Copy)]
struct Due {
    since: Instant,
    /// How many had arrived then.
    progress: u64,
    polls: [u64; 2],
}

/// Detects packets and transfers that will not arrive, from what is due for each host.
pub(super) struct StallDetector {
    timeout: Duration,
    due: BTreeMap<HostId, [Option<Due>; 3]>,
}

impl StallDetector {
    /// Nothing is due.
    pub(super) fn new(timeout: Duration) -> Self {
        Self {
            timeout,
            due: BTreeMap::new(),
        }
    }

    /// Compares the counts with another host. Gives the worst progress of the three.
    pub(super) fn check(&mut self, host: HostId, counters: &Counters, now: Instant) -> Progress {
        let Counters {
            ours,
            theirs: (sent, received),
            polls,
        } = *counters;
        let timeout = self.timeout;
        let ways = [
            (sent > ours.received, ours.received, timeout),
            (ours.sent > received, received, timeout),
            (ours.begun > ours.over, ours.over, 2 * timeout),
        ];
        let dues = self.due.entry(host).or_default();
        let results = dues.iter_mut().zip(ways).map(|(due, (is_due, progress, limit))| {
            let before = due.filter(|before| is_due && before.progress == progress);
            let Some(before) = before else {
                *due = is_due.then_some(Due {
                    since: now,
                    progress,
                    polls,
                });
                return Progress::Moving;
            };
            let polled = polls
                .iter()
                .zip(before.polls)
                .all(|(now, then)| now.saturating_sub(then) >= POLLS);
            match polled && now.saturating_duration_since(before.since) >= limit {
                true => Progress::Stalled,
                false => Progress::Delayed,
            }
        });
        results
            .max_by_key(|progress| *progress as u8)
            .unwrap_or(Progress::Moving)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMEOUT: Duration = Duration::from_secs(4);

    /// The counts when this host has received so many packets of so many, and both have polled so often.
    fn counters(received: u64, sent: u64, polls: [u64; 2]) -> Counters {
        let ours = Traffic {
            received,
            ..Traffic::default()
        };
        Counters {
            ours,
            theirs: (sent, 0),
            polls,
        }
    }

    #[test]
    fn what_does_not_come_though_both_look_will_not_come() {
        let start = Instant::now();
        let mut stall_detector = StallDetector::new(TIMEOUT);
        let mut look =
            |counters, seconds| stall_detector.check(1, &counters, start + Duration::from_secs(seconds));
        assert_eq!(look(counters(5, 5, [0, 0]), 0), Progress::Moving);
        assert_eq!(look(counters(5, 6, [0, 0]), 1), Progress::Moving);
        assert_eq!(look(counters(5, 7, [POLLS, POLLS]), 2), Progress::Delayed);
        assert_eq!(look(counters(5, 7, [POLLS, POLLS]), 5), Progress::Stalled);
    }

    #[test]
    fn who_computes_is_not_to_blame() {
        let start = Instant::now();
        let mut stall_detector = StallDetector::new(TIMEOUT);
        for (seconds, polls) in [(0, [0, 0]), (100, [POLLS - 1, 1000]), (200, [1000, POLLS - 1])] {
            let progress =
                stall_detector.check(1, &counters(5, 6, polls), start + Duration::from_secs(seconds));
            assert_ne!(progress, Progress::Stalled);
        }
    }

    #[test]
    fn what_comes_slowly_comes() {
        let start = Instant::now();
        let mut stall_detector = StallDetector::new(TIMEOUT);
        for action in 0..10 {
            let now = start + TIMEOUT * action as u32;
            let progress = stall_detector.check(1, &counters(action, 20, [action * 100; 2]), now);
            assert_eq!(progress, Progress::Moving);
        }
    }

    #[test]
    fn packets_to_there_and_transfers_are_due_as_well() {
        let start = Instant::now();
        let to_there = |polls| Counters {
            ours: Traffic {
                sent: 3,
                ..Traffic::default()
            },
            theirs: (0, 2),
            polls,
        };
        let transfer = |polls| Counters {
            ours: Traffic {
                begun: 3,
                over: 1,
                ..Traffic::default()
            },
            polls,
            ..Counters::default()
        };
        let accounts: [&dyn Fn([u64; 2]) -> Counters; 2] = [&to_there, &transfer];
        for (counters, times) in accounts.into_iter().zip(1..) {
            let mut stall_detector = StallDetector::new(TIMEOUT);
            assert_eq!(
                stall_detector.check(1, &counters([0; 2]), start),
                Progress::Moving
            );
            let end = start + times * TIMEOUT;
            assert_eq!(
                stall_detector.check(2, &counters([POLLS; 2]), end),
                Progress::Moving
            );
            let before = end - Duration::from_millis(1);
            assert_eq!(
                stall_detector.check(1, &counters([POLLS; 2]), before),
                Progress::Delayed
            );
            assert_eq!(
                stall_detector.check(1, &counters([POLLS; 2]), end),
                Progress::Stalled
            );
        }
    }
}
