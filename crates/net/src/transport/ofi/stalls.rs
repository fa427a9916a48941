//! Whether what hosts send to each other arrives, where nothing fails.
//!
//! Who takes over a connection can keep what goes over it, and the connection on which signs of life go may still be
//! there. So hosts tell each other with these signs how many packets they have sent and received, and how often they
//! have looked at their endpoint. What has been sent is under way as long as its sender and its receiver have not both
//! looked: one that computes is not to blame. If both have looked again and again for the time after which a silent
//! host is lost, and nothing of what is due has come, it will not come. Transfers have twice that time: many hosts may
//! read long data from one.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::peer::Exchanged;
use crate::transport::HostId;

/// Looks of each of the two after which what has been sent is there, or will not come. A connection takes some.
const LOOKS: u64 = 8;

/// What is known of the way between this host and another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Account {
    /// What this one has exchanged with the other one.
    pub(super) ours: Exchanged,
    /// Packets that the other one has sent here, and those that it has received from here.
    pub(super) theirs: (u64, u64),
    /// How often each has looked: this one, the other one.
    pub(super) looks: [u64; 2],
}

/// What becomes of what is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    /// It comes, or nothing is due.
    Free,
    /// Something is due that has been due before: both should look.
    Slow,
    /// It will not come.
    Stuck,
}

/// One of the three that can be due: packets from there, packets to there, transfers.
#[derive(Clone, Copy)]
struct Due {
    since: Instant,
    /// How far it had come.
    progress: u64,
    looks: [u64; 2],
}

/// What is due of each host.
pub(super) struct Stalls {
    timeout: Duration,
    due: BTreeMap<HostId, [Option<Due>; 3]>,
}

impl Stalls {
    /// Nothing due.
    pub(super) fn new(timeout: Duration) -> Self {
        Self {
            timeout,
            due: BTreeMap::new(),
        }
    }

    /// Looks at the account with a host.
    pub(super) fn look(&mut self, host: HostId, account: &Account, now: Instant) -> Flow {
        let Account {
            ours,
            theirs: (sent, received),
            looks,
        } = *account;
        let timeout = self.timeout;
        let ways = [
            (sent > ours.received, ours.received, timeout),
            (ours.sent > received, received, timeout),
            (ours.begun > ours.over, ours.over, 2 * timeout),
        ];
        let dues = self.due.entry(host).or_default();
        let flows = dues.iter_mut().zip(ways).map(|(due, (is_due, progress, limit))| {
            let before = due.filter(|before| is_due && before.progress == progress);
            let Some(before) = before else {
                *due = is_due.then_some(Due {
                    since: now,
                    progress,
                    looks,
                });
                return Flow::Free;
            };
            let looked = looks
                .iter()
                .zip(before.looks)
                .all(|(now, then)| now.saturating_sub(then) >= LOOKS);
            match looked && now.saturating_duration_since(before.since) >= limit {
                true => Flow::Stuck,
                false => Flow::Slow,
            }
        });
        flows.max_by_key(|flow| *flow as u8).unwrap_or(Flow::Free)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMEOUT: Duration = Duration::from_secs(4);

    /// The account when this host has received so many packets of so many, and both have looked so often.
    fn account(received: u64, sent: u64, looks: [u64; 2]) -> Account {
        let ours = Exchanged {
            received,
            ..Exchanged::default()
        };
        Account {
            ours,
            theirs: (sent, 0),
            looks,
        }
    }

    #[test]
    fn what_does_not_come_though_both_look_will_not_come() {
        let start = Instant::now();
        let mut stalls = Stalls::new(TIMEOUT);
        let mut look = |account, seconds| stalls.look(1, &account, start + Duration::from_secs(seconds));
        assert_eq!(look(account(5, 5, [0, 0]), 0), Flow::Free);
        assert_eq!(look(account(5, 6, [0, 0]), 1), Flow::Free);
        assert_eq!(look(account(5, 7, [LOOKS, LOOKS]), 2), Flow::Slow);
        assert_eq!(look(account(5, 7, [LOOKS, LOOKS]), 5), Flow::Stuck);
    }

    #[test]
    fn who_computes_is_not_to_blame() {
        let start = Instant::now();
        let mut stalls = Stalls::new(TIMEOUT);
        for (seconds, looks) in [(0, [0, 0]), (100, [LOOKS - 1, 1000]), (200, [1000, LOOKS - 1])] {
            let flow = stalls.look(1, &account(5, 6, looks), start + Duration::from_secs(seconds));
            assert_ne!(flow, Flow::Stuck);
        }
    }

    #[test]
    fn what_comes_slowly_comes() {
        let start = Instant::now();
        let mut stalls = Stalls::new(TIMEOUT);
        for step in 0..10 {
            let now = start + TIMEOUT * step as u32;
            let flow = stalls.look(1, &account(step, 20, [step * 100; 2]), now);
            assert_eq!(flow, Flow::Free);
        }
    }

    #[test]
    fn packets_to_there_and_transfers_are_due_as_well() {
        let start = Instant::now();
        let to_there = |looks| Account {
            ours: Exchanged {
                sent: 3,
                ..Exchanged::default()
            },
            theirs: (0, 2),
            looks,
        };
        let transfer = |looks| Account {
            ours: Exchanged {
                begun: 3,
                over: 1,
                ..Exchanged::default()
            },
            looks,
            ..Account::default()
        };
        let accounts: [&dyn Fn([u64; 2]) -> Account; 2] = [&to_there, &transfer];
        for (account, times) in accounts.into_iter().zip(1..) {
            let mut stalls = Stalls::new(TIMEOUT);
            assert_eq!(stalls.look(1, &account([0; 2]), start), Flow::Free);
            let end = start + times * TIMEOUT;
            assert_eq!(stalls.look(2, &account([LOOKS; 2]), end), Flow::Free);
            let before = end - Duration::from_millis(1);
            assert_eq!(stalls.look(1, &account([LOOKS; 2]), before), Flow::Slow);
            assert_eq!(stalls.look(1, &account([LOOKS; 2]), end), Flow::Stuck);
        }
    }
}
