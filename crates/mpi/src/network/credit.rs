//! How much a host may send to another before it is received.
//!
//! Each host grants each other one a window, in bytes of memory. Data that is sent without being asked for is paid for
//! from it, and what it cost comes back when the data has left the receiver's memory for its target: in the header of
//! whatever packet goes that way next, or in one of its own when much is owed. Who cannot pay asks before it sends.
//! So what lies unreceived at a host takes no more than a window for each other host, and who sends more all the same
//! is not believed: a receiver knows what lies here.
//!
//! A header does not say what has been received since the last one, but what has been received at all: so nobody has to
//! claim what he tells, and what is told twice, late or never does no harm.
//!
//! Costs: one locked instruction on a line per host where data is sent; where it is received, none, or one if it has
//! lain there first.

use crate::endpoint::EagerBuffer;
use crate::matching::NUMBER_BITS;
use crossbeam_utils::CachePadded;
use simurgh_core::HostTable;
use simurgh_core::sync::{AtomicU32, AtomicU64, Ordering, if_biased};
use simurgh_net::HostId;
use std::ops::Range;

/// What a message costs besides its buffer: its entry in the receiver's table.
const ENTRY: usize = 128;

/// The accounts of a host with all others.
pub(super) struct Accounts {
    window: u32,
    accounts: HostTable<Sums>,
}

/// The account with one host.
#[derive(Clone, Copy)]
pub(super) struct Account<'a> {
    window: u32,
    sums: &'a Sums,
}

/// All sums are modulo 2^32, of which a window, at most 2^30, is a small part.
#[derive(Default)]
struct Sums {
    /// How many messages have been numbered, and, in the lower half, what those cost that have been sent.
    sent: CachePadded<AtomicU64>,
    /// How much of that has been received, as far as the other host has told. Written by whoever polls.
    confirmed: CachePadded<AtomicU32>,
    received: CachePadded<Received>,
}

/// What a host has received of another.
#[derive(Default)]
struct Received {
    /// What has gone straight to its target. Written by whoever polls.
    passed: AtomicU32,
    /// What has had to lie here. Written by whoever polls.
    held: AtomicU32,
    /// What has lain here, and does so no more.
    let_go: AtomicU32,
    /// What the other host has been told, about: of two who tell at a time the later one may write first.
    told: AtomicU32,
}

/// One message, in [`Sums::sent`].
const NUMBERED: u64 = 1 << 32;

/// What a message of so many bytes costs.
#[inline]
pub(super) fn cost(bytes: usize) -> u32 {
    u32::try_from(EagerBuffer::capacity_for(bytes) + ENTRY).expect("a packet is short")
}

/// The number of the next message, as far as a receipt keeps it.
fn number(sent: u64) -> u32 {
    (sent >> 32) as u32 & ((1 << NUMBER_BITS) - 1)
}

impl Received {
    fn total(&self) -> u32 {
        let passed = self.passed.load(Ordering::Relaxed);
        passed.wrapping_add(self.let_go.load(Ordering::Relaxed))
    }
}

// Relaxed throughout: numbers that go with no data.
impl Accounts {
    /// The accounts with these hosts, with a window of so many bytes each.
    pub(super) fn new(hosts: Range<HostId>, window: u32) -> Self {
        Self {
            window,
            accounts: HostTable::new(hosts, |_| Sums::default()),
        }
    }

    /// Opens an account with another host.
    pub(super) fn admit(&self, host: HostId) {
        self.accounts.add(host, Sums::default());
    }

    /// The account with a host.
    #[inline]
    pub(super) fn with(&self, host: HostId) -> Account<'_> {
        Account {
            window: self.window,
            sums: &self.accounts[host],
        }
    }
}

// Relaxed throughout, as above.
impl Account<'_> {
    /// Pays for a message to a host, if there is enough left; then its number among those to that host, as far as
    /// a receipt keeps it.
    #[inline]
    pub(super) fn spend(self, cost: u32) -> Option<u32> {
        let Sums { sent, confirmed, .. } = self.sums;
        let mut before = sent.load(Ordering::Relaxed);
        loop {
            // Less than nothing, if what has been confirmed was sent after we looked.
            let under_way = (before as u32)
                .wrapping_sub(confirmed.load(Ordering::Relaxed))
                .cast_signed();
            if i64::from(under_way.max(0)) + i64::from(cost) > i64::from(self.window) {
                return None;
            }
            // A carry from the lower half skips a number.
            let after = before.wrapping_add(NUMBERED + u64::from(cost));
            let plain = || {
                // Nothing has come between.
                sent.store(after, Ordering::Relaxed);
                Ok(before)
            };
            let locked = || sent.compare_exchange_weak(before, after, Ordering::Relaxed, Ordering::Relaxed);
            match if_biased(plain, locked) {
                Ok(_) => return Some(number(before)),
                Err(now) => before = now,
            }
        }
    }

    /// The number of a message to a host that is not paid for.
    pub(super) fn next_number(self) -> u32 {
        number(self.sums.sent.fetch_add(NUMBERED, Ordering::Relaxed))
    }

    /// Notes what a host has told. It is not believed to have received more than it was sent, nor less than before.
    /// Called by whoever polls.
    #[inline]
    pub(super) fn regain(self, told: u32) {
        let Sums { sent, confirmed, .. } = self.sums;
        let known = confirmed.load(Ordering::Relaxed);
        if told == known {
            return;
        }
        let under_way = (sent.load(Ordering::Relaxed) as u32).wrapping_sub(known);
        if told.wrapping_sub(known) <= under_way {
            confirmed.store(told, Ordering::Relaxed);
        }
    }

    /// Makes room for a message of a host that has to lie here; false if that is more than the host was granted. Called
    /// by whoever polls.
    pub(super) fn hold(self, cost: u32) -> bool {
        let Received { held, let_go, .. } = &*self.sums.received;
        let before = held.load(Ordering::Relaxed);
        let lies = before.wrapping_sub(let_go.load(Ordering::Relaxed));
        let granted = u64::from(lies) + u64::from(cost) <= u64::from(self.window);
        if granted {
            held.store(before.wrapping_add(cost), Ordering::Relaxed);
        }
        granted
    }

    /// Notes that a message of a host has gone straight to its target. True if so much is owed that the host should be
    /// told now. Called by whoever polls.
    #[inline]
    pub(super) fn pass(self, cost: u32) -> bool {
        let received = &self.sums.received;
        let before = received.passed.load(Ordering::Relaxed);
        received
            .passed
            .store(before.wrapping_add(cost), Ordering::Relaxed);
        self.owes_much(received)
    }

    /// Notes that a message of a host that has lain here is here no more. True as with [`Account::pass`].
    #[inline]
    pub(super) fn let_go(self, cost: u32) -> bool {
        let received = &self.sums.received;
        received.let_go.fetch_add(cost, Ordering::Relaxed);
        self.owes_much(received)
    }

    #[inline]
    fn owes_much(self, received: &Received) -> bool {
        let owed = received
            .total()
            .wrapping_sub(received.told.load(Ordering::Relaxed));
        owed >= (self.window / 4).max(1)
    }

    /// What has been received of a host, which is told now.
    #[inline]
    pub(super) fn settle(self) -> u32 {
        let received = &self.sums.received;
        let total = received.total();
        // The load keeps the line shared as long as nothing is owed.
        if received.told.load(Ordering::Relaxed) != total {
            received.told.store(total, Ordering::Relaxed);
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_used_up_and_comes_back() {
        let accounts = Accounts::new(0..2, 10 * cost(1000));
        let numbers: Vec<_> = (0..10).map(|_| accounts.with(1).spend(cost(1000))).collect();
        assert!(numbers.iter().copied().eq((0..10).map(Some)));
        assert!(accounts.with(1).spend(cost(0)).is_none() && accounts.with(0).spend(cost(0)).is_some());
        assert_eq!(accounts.with(1).next_number(), 10);
        accounts.with(1).regain(cost(1000));
        assert_eq!(accounts.with(1).spend(cost(1000)), Some(11));
        assert_eq!(accounts.with(1).spend(1), None);
    }

    #[test]
    fn a_host_is_told_when_much_is_owed() {
        let accounts = Accounts::new(0..2, 10 * cost(1000));
        assert!(!accounts.with(1).pass(cost(1000)) && !accounts.with(1).let_go(cost(1000)));
        assert!(accounts.with(1).pass(cost(1000)));
        assert_eq!(
            (accounts.with(1).settle(), accounts.with(0).settle()),
            (3 * cost(1000), 0)
        );
        assert!(!accounts.with(1).let_go(cost(1000)));
        assert_eq!(accounts.with(1).settle(), 4 * cost(1000));
    }

    #[test]
    fn neither_old_news_nor_nonsense_is_believed() {
        let accounts = Accounts::new(0..1, 10 * cost(1000));
        // Often enough that the sums go round.
        let rounds = (1_u64 << 33) / u64::from(10 * cost(1000));
        let mut told = 0_u32;
        for _ in 0..rounds {
            assert!(accounts.with(0).spend(10 * cost(1000)).is_some());
            let before = told;
            told = told.wrapping_add(5 * cost(1000));
            accounts.with(0).regain(told);
            accounts.with(0).regain(before);
            accounts.with(0).regain(told.wrapping_add(5 * cost(1000) + 1));
            assert!(accounts.with(0).spend(5 * cost(1000) + 1).is_none());
            told = told.wrapping_add(5 * cost(1000));
            accounts.with(0).regain(told);
        }
    }

    #[test]
    fn a_host_is_granted_no_more_than_its_window() {
        let accounts = Accounts::new(0..2, 10 * cost(1000));
        // Often enough that the sums go round.
        for _ in 0..(1_u64 << 33) / u64::from(12 * cost(1000)) {
            assert!((0..10).all(|_| accounts.with(1).hold(cost(1000))));
            assert!(!accounts.with(1).hold(cost(0)));
            for _ in 0..2 {
                accounts.with(1).let_go(cost(1000));
            }
            assert!((0..2).all(|_| accounts.with(1).hold(cost(1000))));
            assert!(!accounts.with(1).hold(cost(0)));
            // What passes by does not lie here.
            accounts.with(1).pass(cost(1000));
            assert!(!accounts.with(1).hold(cost(0)));
            for _ in 0..10 {
                accounts.with(1).let_go(cost(1000));
            }
        }
        assert!(accounts.with(0).hold(cost(0)));
    }
}
