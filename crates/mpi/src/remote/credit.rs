//! How much a host may send to another before it is received.
//!
//! Each host grants each other one a window, in bytes of memory. Data that is sent without being asked for is paid for
//! from it, and what it cost comes back when the data has left the receiver's memory for its target: in the header of
//! whatever packet goes that way next, or in one of its own when much is owed. Who cannot pay asks before it sends.
//! So what lies unreceived at a host takes no more than a window for each other host, and who sends more all the same
//! is not believed: a receiver knows what has come, and what it has given back.
//!
//! Costs: one locked instruction on a line per host where data is sent, and one where it is received; another one
//! where it has to lie until then.

use crate::point2point::Parcel;
use crossbeam_utils::CachePadded;
use simurgh_core::sync::{AtomicI64, AtomicU64, Ordering};
use simurgh_net::transport::HostId;

/// What a message costs besides its buffer: its entry in the receiver's table.
const ENTRY: usize = 128;

/// The accounts of a host with all others.
pub(super) struct Accounts {
    window: i64,
    accounts: Box<[Account]>,
}

struct Account {
    /// What may be sent to the other host.
    left: CachePadded<AtomicI64>,
    /// What the other host has taken of its window here.
    taken: CachePadded<AtomicU64>,
}

/// What a host has taken of its window at another, in a word. Neither half overflows: both together are at most a
/// window, 2^30, and what passes by while much is owed.
struct Taken {
    /// What lies here.
    held: u32,
    /// What has been received, and the other host has not been told yet that it may send again.
    owed: u32,
}

/// One of what lies here.
const HELD: u64 = 1 << 32;

impl Taken {
    fn of(word: u64) -> Self {
        Self {
            held: (word >> 32) as u32,
            owed: word as u32,
        }
    }
}

/// What a message of so many bytes costs.
pub(super) fn cost(bytes: usize) -> u32 {
    u32::try_from(Parcel::capacity_for(bytes) + ENTRY).expect("a packet is short")
}

impl Accounts {
    /// The accounts with so many hosts, with a window of so many bytes each.
    pub(super) fn new(hosts: u32, window: u32) -> Self {
        let window = i64::from(window);
        let account = |_| Account {
            left: CachePadded::new(AtomicI64::new(window)),
            taken: CachePadded::new(AtomicU64::new(0)),
        };
        Self {
            window,
            accounts: (0..hosts).map(account).collect(),
        }
    }

    /// Pays for a message to a host; false if there is not enough left.
    #[inline]
    pub(super) fn spend(&self, host: HostId, cost: u32) -> bool {
        // Relaxed throughout: numbers that go with no data.
        let left = &self.accounts[host as usize].left;
        let cost = i64::from(cost);
        let enough = left.fetch_sub(cost, Ordering::Relaxed) >= cost;
        if !enough {
            left.fetch_add(cost, Ordering::Relaxed);
        }
        enough
    }

    /// Takes back what a host has told. It is not believed that there is more than there was at first.
    pub(super) fn regain(&self, host: HostId, credit: u32) {
        if credit == 0 {
            return;
        }
        let left = &self.accounts[host as usize].left;
        let credit = i64::from(credit);
        let excess = left.fetch_add(credit, Ordering::Relaxed) + credit - self.window;
        if excess > 0 {
            left.fetch_sub(excess, Ordering::Relaxed);
        }
    }

    /// Makes room for a message of a host that has to lie here; false if that is more than the host was granted.
    pub(super) fn hold(&self, host: HostId, cost: u32) -> bool {
        let taken = &self.accounts[host as usize].taken;
        let before = Taken::of(taken.fetch_add(u64::from(cost) * HELD, Ordering::Relaxed));
        let granted = i64::from(before.held) + i64::from(before.owed) + i64::from(cost) <= self.window;
        if !granted {
            taken.fetch_sub(u64::from(cost) * HELD, Ordering::Relaxed);
        }
        granted
    }

    /// Notes that a message of a host has been received that did not have to lie here. True if so much is owed that the
    /// host should be told now.
    #[inline]
    pub(super) fn owe(&self, host: HostId, cost: u32) -> bool {
        self.change(host, u64::from(cost), cost)
    }

    /// Notes that a message of a host for which there was room is here no more. True as with [`Accounts::owe`].
    #[inline]
    pub(super) fn let_go(&self, host: HostId, cost: u32) -> bool {
        let change = u64::from(cost).wrapping_sub(u64::from(cost) * HELD);
        self.change(host, change, cost)
    }

    #[inline]
    fn change(&self, host: HostId, change: u64, cost: u32) -> bool {
        let taken = &self.accounts[host as usize].taken;
        let before = Taken::of(taken.fetch_add(change, Ordering::Relaxed)).owed;
        let much = (self.window / 4) as u32;
        before < much && before + cost >= much
    }

    /// What is owed to a host, which is told now.
    #[inline]
    pub(super) fn settle(&self, host: HostId) -> u32 {
        let taken = &self.accounts[host as usize].taken;
        // The load keeps the line shared as long as nothing is owed.
        if Taken::of(taken.load(Ordering::Relaxed)).owed == 0 {
            return 0;
        }
        // Before the host can know of it, so that it never seems to have sent too much.
        let held = !(HELD - 1);
        Taken::of(taken.fetch_and(held, Ordering::Relaxed)).owed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_used_up_and_comes_back() {
        let accounts = Accounts::new(2, 10 * cost(1000));
        assert!((0..10).all(|_| accounts.spend(1, cost(1000))));
        assert!(!accounts.spend(1, cost(0)) && accounts.spend(0, cost(0)));
        let told = (0..10).filter(|_| accounts.owe(1, cost(1000))).count();
        assert_eq!(
            (told, accounts.settle(1), accounts.settle(1)),
            (1, 10 * cost(1000), 0)
        );
        accounts.regain(1, cost(1000));
        assert!(accounts.spend(1, cost(1000)) && !accounts.spend(1, 1));
        accounts.regain(1, u32::MAX);
        assert!(accounts.spend(1, 10 * cost(1000)) && !accounts.spend(1, 1));
    }

    #[test]
    fn a_host_is_granted_no_more_than_its_window() {
        let accounts = Accounts::new(2, 10 * cost(1000));
        assert!((0..10).all(|_| accounts.hold(1, cost(1000))));
        assert!(!accounts.hold(1, cost(0)) && accounts.hold(0, cost(0)));
        // What has been received counts until the host is told.
        for _ in 0..2 {
            accounts.let_go(1, cost(1000));
        }
        assert!(!accounts.hold(1, cost(0)));
        assert_eq!(accounts.settle(1), 2 * cost(1000));
        assert!((0..2).all(|_| accounts.hold(1, cost(1000))));
        assert!(!accounts.hold(1, cost(0)));
        // What passes by counts as well.
        for _ in 0..10 {
            accounts.let_go(1, cost(1000));
        }
        accounts.settle(1);
        assert!(!accounts.owe(1, cost(1000)) && (0..9).all(|_| accounts.hold(1, cost(1000))));
        assert!(!accounts.hold(1, cost(0)));
    }
}
