//! Flow control of eager messages between hosts, by credits.
//!
//! Each host grants a window to each other host, in bytes of memory. An eager message takes credits of its cost from
//! the window. They come back when the data has left the receiver's memory for its target: in the header of the next
//! packet that goes to the sender, or in a packet of its own when many are owed. A sender without credits for a message
//! uses the rendezvous protocol. So what lies unreceived at a host takes no more than one window for each other host.
//! The receiver checks this: it knows what is queued here, and refuses more than it has granted.
//!
//! A header does not tell the credits since the last header, but the sum of all so far. So no thread has to claim the
//! credits that it tells, and headers that come twice, late or never do no harm.
//!
//! Costs: one locked instruction on a line per host where data is sent. Where it is received, none, or one if the
//! message had to be queued.

use super::request_window::RequestWindow;
use crate::endpoint::EagerBuffer;
use crate::matching::NUMBER_BITS;
use crossbeam_utils::CachePadded;
use simurgh_core::sync::{AtomicU32, AtomicU64, Ordering, if_biased};
use simurgh_core::{EntryRef, HostTable, Revocable};
use simurgh_net::HostId;
use std::ops::Range;

/// The cost of a message besides its buffer: its entry in the receiver's table.
const ENTRY: usize = 128;

/// The accounts of a host with all others.
pub(super) struct Accounts {
    window: u32,
    /// With those of the own world.
    accounts: HostTable<Sums>,
    /// With those of other worlds, which may leave before this one ends.
    others: HostTable<Revocable<Sums>>,
    /// With all hosts that have left, in common: nothing they say matters any more.
    gone: Sums,
}

/// The account with one host.
pub(super) struct Account<'a> {
    window: u32,
    sums: EntryRef<'a, Sums>,
}

/// Sums modulo 2^32. A window is at most 2^30, so their differences are right.
#[derive(Default)]
struct Sums {
    /// In the upper half, how many messages have been numbered; in the lower half, the cost of the eager ones.
    sent: CachePadded<AtomicU64>,
    /// How much of that cost the other host has told to be received. Written by the thread that polls.
    confirmed: CachePadded<AtomicU32>,
    received: CachePadded<Received>,
    requests: CachePadded<RequestWindow>,
}

/// The cost of what a host has received of another.
#[derive(Default)]
struct Received {
    /// Messages that went straight to their targets. Written by the thread that polls.
    delivered: AtomicU32,
    /// The bytes of the last one of these: a hint. Written by the thread that polls.
    last: AtomicU32,
    /// Messages that had to be queued. Written by the thread that polls.
    queued: AtomicU32,
    /// Queued messages that have left.
    released: AtomicU32,
    /// The count of which the other host has been told. It is approximate: when two threads tell it at the same time,
    /// the later one may write first.
    acknowledged: AtomicU32,
}

/// One message, in [`Sums::sent`].
const NUMBERED: u64 = 1 << 32;

/// The cost of a message of this many bytes.
#[inline]
pub(super) fn cost(bytes: usize) -> u32 {
    u32::try_from(EagerBuffer::capacity_for(bytes) + ENTRY).expect("a packet is short")
}

/// The number of the next message, in as many bits as are kept of a completed send.
fn number(sent: u64) -> u32 {
    (sent >> 32) as u32 & ((1 << NUMBER_BITS) - 1)
}

impl Received {
    fn total(&self) -> u32 {
        let delivered = self.delivered.load(Ordering::Relaxed);
        delivered.wrapping_add(self.released.load(Ordering::Relaxed))
    }
}

// Relaxed throughout: the numbers order no other data.
impl Accounts {
    /// The accounts with these hosts, with a window of so many bytes each.
    pub(super) fn new(hosts: Range<HostId>, window: u32) -> Self {
        Self {
            window,
            others: HostTable::new(hosts.start..hosts.start, |_| unreachable!("it is empty")),
            accounts: HostTable::new(hosts, |_| Sums::default()),
            gone: Sums::default(),
        }
    }

    /// Opens an account with another host.
    pub(super) fn admit(&self, host: HostId) {
        self.others.add(host, Revocable::new(Sums::default()));
    }

    /// Frees the account with a host of another world, which has ended.
    pub(super) fn close(&self, host: HostId) {
        if let Some(sums) = self.others.get(host) {
            sums.revoke();
        }
    }

    /// The account with a host.
    #[inline]
    pub(super) fn with(&self, host: HostId) -> Account<'_> {
        Account {
            window: self.window,
            sums: self.sums(host),
        }
    }

    #[inline]
    fn sums(&self, host: HostId) -> EntryRef<'_, Sums> {
        match self.accounts.get(host) {
            Some(sums) => EntryRef::Permanent(sums),
            None => match self.others[host].access() {
                Some(sums) => EntryRef::Revocable(sums),
                None => EntryRef::Permanent(&self.gone),
            },
        }
    }
}

// Relaxed throughout, as above.
impl Account<'_> {
    /// The requests of active messages to the host and from it.
    #[inline]
    pub(super) fn requests(&self) -> &RequestWindow {
        &self.sums.requests
    }

    /// Takes the credits for a message to a host, if enough are left. The number of the message among those to that
    /// host, in as many bits as are kept of a completed send.
    #[inline]
    pub(super) fn spend(&self, cost: u32) -> Option<u32> {
        let Sums { sent, confirmed, .. } = &*self.sums;
        let mut before = sent.load(Ordering::Relaxed);
        loop {
            // Negative if messages were sent after the load above and are confirmed already.
            let under_way = (before as u32)
                .wrapping_sub(confirmed.load(Ordering::Relaxed))
                .cast_signed();
            if i64::from(under_way.max(0)) + i64::from(cost) > i64::from(self.window) {
                return None;
            }
            // A carry from the lower half skips a number.
            let after = before.wrapping_add(NUMBERED + u64::from(cost));
            let plain = || {
                // No other thread has sent meanwhile.
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

    /// The number of a message to a host that takes no credits.
    pub(super) fn next_number(&self) -> u32 {
        number(self.sums.sent.fetch_add(NUMBERED, Ordering::Relaxed))
    }

    /// Notes what a host has told to have received. It cannot have received more than it was sent, nor less than
    /// before. Called by the thread that polls.
    #[inline]
    pub(super) fn confirm(&self, told: u32) {
        let Sums { sent, confirmed, .. } = &*self.sums;
        let known = confirmed.load(Ordering::Relaxed);
        if told == known {
            return;
        }
        let under_way = (sent.load(Ordering::Relaxed) as u32).wrapping_sub(known);
        if told.wrapping_sub(known) <= under_way {
            confirmed.store(told, Ordering::Relaxed);
        }
    }

    /// Notes that a message of a host has to be queued; false if that is more than the host was granted. Called by the
    /// thread that polls.
    pub(super) fn queue(&self, cost: u32) -> bool {
        let Received { queued, released, .. } = &*self.sums.received;
        let before = queued.load(Ordering::Relaxed);
        let lies = before.wrapping_sub(released.load(Ordering::Relaxed));
        let granted = u64::from(lies) + u64::from(cost) <= u64::from(self.window);
        if granted {
            queued.store(before.wrapping_add(cost), Ordering::Relaxed);
        }
        granted
    }

    /// Notes that a message of a host has gone straight to its target. True if so many credits are owed that the host
    /// should be told now. Called by the thread that polls.
    #[inline]
    pub(super) fn deliver(&self, bytes: usize) -> bool {
        let (received, cost) = (&self.sums.received, cost(bytes));
        received.last.store(bytes as u32, Ordering::Relaxed);
        let before = received.delivered.load(Ordering::Relaxed);
        received
            .delivered
            .store(before.wrapping_add(cost), Ordering::Relaxed);
        self.owes_much(received)
    }

    /// The bytes of the last message that has gone straight to its target.
    #[inline]
    pub(super) fn last_delivered(&self) -> usize {
        self.sums.received.last.load(Ordering::Relaxed) as usize
    }

    /// Notes that a queued message of a host has left. True as with [`Account::deliver`].
    #[inline]
    pub(super) fn release(&self, cost: u32) -> bool {
        let received = &self.sums.received;
        received.released.fetch_add(cost, Ordering::Relaxed);
        self.owes_much(received)
    }

    #[inline]
    fn owes_much(&self, received: &Received) -> bool {
        let owed = received
            .total()
            .wrapping_sub(received.acknowledged.load(Ordering::Relaxed));
        owed >= (self.window / 4).max(1)
    }

    /// The cost of what has been received of a host, which is told now.
    #[inline]
    pub(super) fn acknowledge(&self) -> u32 {
        let received = &self.sums.received;
        let total = received.total();
        // The load first keeps the line shared as long as no credits are owed.
        if received.acknowledged.load(Ordering::Relaxed) != total {
            received.acknowledged.store(total, Ordering::Relaxed);
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
        accounts.with(1).confirm(cost(1000));
        assert_eq!(accounts.with(1).spend(cost(1000)), Some(11));
        assert_eq!(accounts.with(1).spend(1), None);
    }

    #[test]
    fn nothing_is_kept_of_a_host_that_has_left() {
        let accounts = Accounts::new(0..2, 10 * cost(1000));
        accounts.admit(7);
        assert_eq!(accounts.with(7).spend(10 * cost(1000)), Some(0));
        assert_eq!(accounts.with(7).spend(1), None);
        let open = accounts.with(7);
        accounts.close(7);
        // A thread that has begun with the account goes on with it.
        assert_eq!(open.spend(1), None);
        drop(open);
        assert!(accounts.others[7].access().is_none() && accounts.with(7).spend(1).is_some());
        accounts.close(1);
        assert_eq!(accounts.with(1).spend(1), Some(0));
    }

    #[test]
    fn a_host_is_told_when_much_is_owed() {
        let accounts = Accounts::new(0..2, 10 * cost(1000));
        assert!(!accounts.with(1).deliver(1000) && !accounts.with(1).release(cost(1000)));
        assert!(accounts.with(1).deliver(1000));
        assert_eq!(
            (
                accounts.with(1).last_delivered(),
                accounts.with(0).last_delivered()
            ),
            (1000, 0)
        );
        assert_eq!(
            (accounts.with(1).acknowledge(), accounts.with(0).acknowledge()),
            (3 * cost(1000), 0)
        );
        assert!(!accounts.with(1).release(cost(1000)));
        assert_eq!(accounts.with(1).acknowledge(), 4 * cost(1000));
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
            accounts.with(0).confirm(told);
            accounts.with(0).confirm(before);
            accounts.with(0).confirm(told.wrapping_add(5 * cost(1000) + 1));
            assert!(accounts.with(0).spend(5 * cost(1000) + 1).is_none());
            told = told.wrapping_add(5 * cost(1000));
            accounts.with(0).confirm(told);
        }
    }

    #[test]
    fn a_host_is_granted_no_more_than_its_window() {
        let accounts = Accounts::new(0..2, 10 * cost(1000));
        // Often enough that the sums go round.
        for _ in 0..(1_u64 << 33) / u64::from(12 * cost(1000)) {
            assert!((0..10).all(|_| accounts.with(1).queue(cost(1000))));
            assert!(!accounts.with(1).queue(cost(0)));
            for _ in 0..2 {
                accounts.with(1).release(cost(1000));
            }
            assert!((0..2).all(|_| accounts.with(1).queue(cost(1000))));
            assert!(!accounts.with(1).queue(cost(0)));
            // A message that is delivered at once is not queued.
            accounts.with(1).deliver(1000);
            assert!(!accounts.with(1).queue(cost(0)));
            for _ in 0..10 {
                accounts.with(1).release(cost(1000));
            }
        }
        assert!(accounts.with(0).queue(cost(0)));
    }
}
