//! Another host: its address, what packets are sealed with, how many there have been, and those that the provider has
//! not taken yet.
//!
//! Packets to a host are numbered, and the provider takes them in this order: so numbering a packet and offering it are
//! done under one lock for each host. A provider says "try again" while it makes a connection, or when its own queue is
//! full; the packet has been written by then, so it is kept here. While one is kept the host is busy, so there are
//! never more than one for each thread that sends.
//!
//! Providers promise that packets arrive in their order, each once (`FI_ORDER_SAS`, reliable datagrams). Over a
//! connection that somebody has broken or taken over they do not; the numbers tell.

use std::collections::VecDeque;

use crossbeam_utils::CachePadded;
use simurgh_core::HostTable;
use simurgh_core::sync::{AtomicBool, AtomicU64, Ordering, SpinGuard, SpinLock};
use simurgh_fabric_sys::fi_addr_t;

use super::frame::ReceivedFrame;
use super::mac::MacKeys;
use super::protection::Protection;

/// All other hosts, by number; the own one too, which is never used.
pub(super) type Peers = HostTable<CachePadded<Peer>>;

/// Another host.
pub(super) struct Peer {
    /// None if it is not reached this way.
    connection: Option<Connection>,
    /// Whether packets are kept. Set under the lock.
    backed_up: AtomicBool,
    pending: SpinLock<VecDeque<Pending>>,
    /// Packets that have been numbered. Changed under the lock.
    sent: AtomicU64,
    /// Packets that have come in their order. Changed by who polls.
    received: AtomicU64,
    /// Whether one has come out of order: nothing that follows is taken. Changed by who polls.
    is_broken: AtomicBool,
    /// Pieces of transfers that were begun, and those that are over.
    transfers: [AtomicU64; 2],
}

/// How a host is reached.
pub(super) struct Connection {
    pub(super) address: fi_addr_t,
    pub(super) mac_keys: MacKeys,
}

/// Packets to a host, while somebody numbers and offers one.
pub(super) struct SendGuard<'a> {
    peer: &'a Peer,
    pending: SpinGuard<'a, VecDeque<Pending>>,
}

/// What has been traffic with a host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Traffic {
    /// Packets to it.
    pub(super) sent: u64,
    /// Packets from it.
    pub(super) received: u64,
    /// Pieces of transfers that were begun.
    pub(super) begun: u64,
    /// Pieces of transfers that are over.
    pub(super) over: u64,
}

/// A packet that is kept.
pub(super) enum Pending {
    /// A whole frame of its own.
    Short(Box<[u8]>),
    /// A frame in a send buffer: its number and length.
    Long(u32, usize),
}

/// What the provider says to a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Taken, or given up for good.
    Done,
    /// Try again.
    Retry,
}

/// What has come in the name of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Its next packet.
    InOrder,
    /// One of its packets, but packets before it are missing, or it has come before: its number, and the one that was
    /// due.
    OutOfOrder(u64, u64),
    /// Nothing that it has sent, or what it has sent after one that was astray.
    Forged,
}

impl Peer {
    /// A host that is reached this way, if it is.
    pub(super) fn new(connection: Option<Connection>) -> Self {
        Self {
            connection,
            backed_up: AtomicBool::new(false),
            pending: SpinLock::new(VecDeque::new()),
            sent: AtomicU64::new(0),
            received: AtomicU64::new(0),
            is_broken: AtomicBool::new(false),
            transfers: Default::default(),
        }
    }

    /// How it is reached.
    ///
    /// # Panics
    ///
    /// When it is not.
    #[inline]
    pub(super) fn connection(&self) -> &Connection {
        self.connection
            .as_ref()
            .expect("a host that is reached over libfabric")
    }

    /// How much of what is traffic with it is protected.
    pub(super) fn protection(&self) -> Option<Protection> {
        Some(self.connection.as_ref()?.mac_keys.outward.protection())
    }

    /// Whether packets are kept.
    #[inline]
    pub(super) fn is_backed_up(&self) -> bool {
        // Acquire pairs with the Release in `flush`. A packet of this thread that is kept has set it before.
        self.backed_up.load(Ordering::Acquire)
    }

    /// Waits until nobody else numbers a packet.
    #[inline]
    pub(super) fn lock_sends(&self) -> SendGuard<'_> {
        SendGuard {
            peer: self,
            pending: self.pending.lock(),
        }
    }

    /// Offers what is kept to the provider again; whether any went.
    #[cold]
    pub(super) fn flush(&self, retry: impl Fn(&Pending) -> Outcome) -> bool {
        let mut pending = self.pending.lock();
        let mut any = false;
        while let Some(packet) = pending.front() {
            if retry(packet) == Outcome::Retry {
                return any;
            }
            any = true;
            pending.pop_front();
        }
        // Release pairs with the Acquire in `is_backed_up`: who sends directly comes behind what went from here.
        self.backed_up.store(false, Ordering::Release);
        any
    }

    /// Judges a packet that says to be of this host, and counts it if it is the next. Called by who polls.
    #[inline]
    pub(super) fn judge(&self, arrived: &ReceivedFrame<'_>) -> Verdict {
        let Some(connection) = &self.connection else {
            return Verdict::Forged;
        };
        // Relaxed: only this thread changes it.
        let due = self.received.load(Ordering::Relaxed);
        // The one nearest to what is due, of those that are told in this way.
        let ahead = arrived.number.wrapping_sub(due as u32).cast_signed();
        let number = due.wrapping_add_signed(ahead.into());
        let is_genuine = arrived.is_genuine(number, &connection.mac_keys.inward);
        // Relaxed, here and below: only this thread changes it.
        if !is_genuine || self.is_broken.load(Ordering::Relaxed) {
            return Verdict::Forged;
        }
        if number != due {
            self.is_broken.store(true, Ordering::Relaxed);
            return Verdict::OutOfOrder(number, due);
        }
        // Relaxed: others only look whether it goes up.
        self.received.store(due + 1, Ordering::Relaxed);
        Verdict::InOrder
    }

    /// A piece of a transfer is begun, or could not be.
    pub(super) fn transfer_begun(&self) {
        self.transfers[0].fetch_add(1, Ordering::Relaxed);
    }

    /// A piece of a transfer is over.
    pub(super) fn transfer_over(&self) {
        self.transfers[1].fetch_add(1, Ordering::Relaxed);
    }

    /// What has been traffic with it. Relaxed: the numbers are looked at again and again.
    pub(super) fn traffic(&self) -> Traffic {
        Traffic {
            over: self.transfers[1].load(Ordering::Relaxed),
            begun: self.transfers[0].load(Ordering::Relaxed),
            received: self.received.load(Ordering::Relaxed),
            sent: self.sent.load(Ordering::Relaxed),
        }
    }
}

impl SendGuard<'_> {
    /// The number of the next packet, which is to be offered, or kept, before anything else.
    #[inline]
    pub(super) fn number(&mut self) -> u64 {
        // Relaxed: under the lock.
        let number = self.peer.sent.load(Ordering::Relaxed);
        self.peer.sent.store(number + 1, Ordering::Relaxed);
        number
    }

    /// Whether packets before it are kept, so that it has to be, too.
    #[inline]
    pub(super) fn is_backed_up(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Keeps a packet.
    #[cold]
    pub(super) fn keep(&mut self, packet: Pending) {
        self.pending.push_back(packet);
        // Relaxed: the lock orders it with `flush`, and the thread's own order with its next look.
        self.peer.backed_up.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::super::frame;
    use super::super::mac::{End, PACKETS};
    use super::*;
    use crate::auth::{Nonce, Secret};
    use crate::transport::HEADER;

    /// Two hosts as they see each other.
    fn pair(protection: Protection) -> [Peer; 2] {
        let secret = Secret::random().unwrap();
        let nonces = [(); 2].map(|()| Nonce::random().unwrap());
        let end = |host: u32| End {
            host,
            nonce: &nonces[host as usize],
        };
        [(0, 1), (1, 0)].map(|(own, other)| {
            let mac_keys = MacKeys::between(&secret, PACKETS, end(own), end(other), protection);
            Peer::new(Some(Connection { address: 0, mac_keys }))
        })
    }

    fn sent(to: &Peer) -> Vec<u8> {
        let header = [1; HEADER];
        let start = frame::start(&header);
        let mut frame = vec![0; start + 8];
        frame::write(&mut frame, &header, start);
        let number = to.lock_sends().number();
        frame::close(
            &mut frame,
            start,
            (0, number),
            &to.connection().mac_keys.outward,
            None,
        );
        frame
    }

    fn judged(by: &Peer, frame: &[u8]) -> Verdict {
        by.judge(&frame::read(frame).unwrap())
    }

    #[test]
    fn packets_come_in_their_order_each_once() {
        for protection in [Protection::Nothing, Protection::Headers, Protection::Everything] {
            for (second, number) in [(0, 0), (3, 3)] {
                let [there, here] = pair(protection);
                let frames: Vec<_> = (0..4).map(|_| sent(&there)).collect();
                assert_eq!(judged(&here, &frames[0]), Verdict::InOrder);
                assert_eq!(judged(&here, &frames[second]), Verdict::OutOfOrder(number, 1));
                assert_eq!(judged(&here, &frames[1]), Verdict::Forged);
                assert_eq!(there.traffic().sent, 4);
                assert_eq!(here.traffic().received, 1);
            }
        }
    }

    #[test]
    fn numbers_go_on_beyond_what_is_told_of_them() {
        let [there, here] = pair(Protection::Headers);
        let last = u64::from(u32::MAX);
        there.sent.store(last, Ordering::Relaxed);
        here.received.store(last, Ordering::Relaxed);
        let frames = [(); 3].map(|()| sent(&there));
        assert_eq!(judged(&here, &frames[0]), Verdict::InOrder);
        assert_eq!(judged(&here, &frames[1]), Verdict::InOrder);
        assert_eq!(judged(&here, &frames[0]), Verdict::OutOfOrder(last, last + 2));
    }

    #[test]
    fn what_another_has_sent_is_forged() {
        let [[there, _], [_, here]] = [pair(Protection::Headers), pair(Protection::Headers)];
        assert_eq!(judged(&here, &sent(&there)), Verdict::Forged);
        assert_eq!(judged(&Peer::new(None), &sent(&there)), Verdict::Forged);
    }
}
