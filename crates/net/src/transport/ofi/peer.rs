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

use super::cover::Cover;
use super::frame::Arrived;
use super::seal::Seals;

/// All other hosts, by number; the own one too, which is never used.
pub(super) type Peers = HostTable<CachePadded<Peer>>;

/// Another host.
pub(super) struct Peer {
    /// None if it is not reached this way.
    contact: Option<Contact>,
    /// Whether packets are kept. Set under the lock.
    backed_up: AtomicBool,
    kept: SpinLock<VecDeque<Kept>>,
    /// Packets that have been numbered. Changed under the lock.
    sent: AtomicU64,
    /// Packets that have come in their order. Changed by who polls.
    received: AtomicU64,
    /// Whether one has come out of order: nothing that follows is taken. Changed by who polls.
    is_astray: AtomicBool,
    /// Pieces of transfers that were begun, and those that are over.
    transfers: [AtomicU64; 2],
}

/// How a host is reached.
pub(super) struct Contact {
    pub(super) address: fi_addr_t,
    pub(super) seals: Seals,
}

/// Packets to a host, while somebody numbers and offers one.
pub(super) struct Line<'a> {
    peer: &'a Peer,
    kept: SpinGuard<'a, VecDeque<Kept>>,
}

/// What has been exchanged with a host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Exchanged {
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
pub(super) enum Kept {
    /// A whole frame of its own.
    Short(Box<[u8]>),
    /// A frame in a send buffer: its number and length.
    Long(u32, usize),
}

/// What the provider says to a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// Taken, or given up for good.
    Over,
    /// Try again.
    Later,
}

/// What has come in the name of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Its next packet.
    Next,
    /// One of its packets, but packets before it are missing, or it has come before: its number, and the one that was
    /// due.
    Astray(u64, u64),
    /// Nothing that it has sent, or what it has sent after one that was astray.
    Forged,
}

impl Peer {
    /// A host that is reached this way, if it is.
    pub(super) fn new(contact: Option<Contact>) -> Self {
        Self {
            contact,
            backed_up: AtomicBool::new(false),
            kept: SpinLock::new(VecDeque::new()),
            sent: AtomicU64::new(0),
            received: AtomicU64::new(0),
            is_astray: AtomicBool::new(false),
            transfers: Default::default(),
        }
    }

    /// How it is reached.
    ///
    /// # Panics
    ///
    /// When it is not.
    #[inline]
    pub(super) fn contact(&self) -> &Contact {
        self.contact
            .as_ref()
            .expect("a host that is reached over libfabric")
    }

    /// How much of what is exchanged with it is protected.
    pub(super) fn cover(&self) -> Option<Cover> {
        Some(self.contact.as_ref()?.seals.outward.cover())
    }

    /// Whether packets are kept.
    #[inline]
    pub(super) fn is_backed_up(&self) -> bool {
        // Acquire pairs with the Release in `flush`. A packet of this thread that is kept has set it before.
        self.backed_up.load(Ordering::Acquire)
    }

    /// Waits until nobody else numbers a packet.
    #[inline]
    pub(super) fn line(&self) -> Line<'_> {
        Line {
            peer: self,
            kept: self.kept.lock(),
        }
    }

    /// Offers what is kept to the provider again; whether any went.
    #[cold]
    pub(super) fn flush(&self, offer: impl Fn(&Kept) -> Answer) -> bool {
        let mut kept = self.kept.lock();
        let mut any = false;
        while let Some(packet) = kept.front() {
            if offer(packet) == Answer::Later {
                return any;
            }
            any = true;
            kept.pop_front();
        }
        // Release pairs with the Acquire in `is_backed_up`: who sends directly comes behind what went from here.
        self.backed_up.store(false, Ordering::Release);
        any
    }

    /// Judges a packet that says to be of this host, and counts it if it is the next. Called by who polls.
    #[inline]
    pub(super) fn judge(&self, arrived: &Arrived<'_>) -> Verdict {
        let Some(contact) = &self.contact else {
            return Verdict::Forged;
        };
        // Relaxed: only this thread changes it.
        let due = self.received.load(Ordering::Relaxed);
        // The one nearest to what is due, of those that are told in this way.
        let ahead = arrived.number.wrapping_sub(due as u32).cast_signed();
        let number = due.wrapping_add_signed(ahead.into());
        let is_genuine = arrived.is_genuine(number, &contact.seals.inward);
        // Relaxed, here and below: only this thread changes it.
        if !is_genuine || self.is_astray.load(Ordering::Relaxed) {
            return Verdict::Forged;
        }
        if number != due {
            self.is_astray.store(true, Ordering::Relaxed);
            return Verdict::Astray(number, due);
        }
        // Relaxed: others only look whether it goes up.
        self.received.store(due + 1, Ordering::Relaxed);
        Verdict::Next
    }

    /// A piece of a transfer is begun, or could not be.
    pub(super) fn transfer_begun(&self) {
        self.transfers[0].fetch_add(1, Ordering::Relaxed);
    }

    /// A piece of a transfer is over.
    pub(super) fn transfer_over(&self) {
        self.transfers[1].fetch_add(1, Ordering::Relaxed);
    }

    /// What has been exchanged with it. Relaxed: the numbers are looked at again and again.
    pub(super) fn exchanged(&self) -> Exchanged {
        Exchanged {
            over: self.transfers[1].load(Ordering::Relaxed),
            begun: self.transfers[0].load(Ordering::Relaxed),
            received: self.received.load(Ordering::Relaxed),
            sent: self.sent.load(Ordering::Relaxed),
        }
    }
}

impl Line<'_> {
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
        !self.kept.is_empty()
    }

    /// Keeps a packet.
    #[cold]
    pub(super) fn keep(&mut self, packet: Kept) {
        self.kept.push_back(packet);
        // Relaxed: the lock orders it with `flush`, and the thread's own order with its next look.
        self.peer.backed_up.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::super::frame;
    use super::super::seal::{End, PACKETS};
    use super::*;
    use crate::control::Secret;
    use crate::proof::Nonce;
    use crate::transport::HEADER;

    /// Two hosts as they see each other.
    fn pair(cover: Cover) -> [Peer; 2] {
        let secret = Secret::random().unwrap();
        let nonces = [(); 2].map(|()| Nonce::random().unwrap());
        let end = |host: u32| End {
            host,
            nonce: &nonces[host as usize],
        };
        [(0, 1), (1, 0)].map(|(own, other)| {
            let seals = Seals::between(&secret, PACKETS, end(own), end(other), cover);
            Peer::new(Some(Contact { address: 0, seals }))
        })
    }

    fn sent(to: &Peer) -> Vec<u8> {
        let header = [1; HEADER];
        let start = frame::start(&header);
        let mut frame = vec![0; start + 8];
        frame::write(&mut frame, &header, start);
        let number = to.line().number();
        frame::close(&mut frame, start, (0, number), &to.contact().seals.outward, None);
        frame
    }

    fn judged(by: &Peer, frame: &[u8]) -> Verdict {
        by.judge(&frame::read(frame).unwrap())
    }

    #[test]
    fn packets_come_in_their_order_each_once() {
        for cover in [Cover::Nothing, Cover::Headers, Cover::Everything] {
            for (second, number) in [(0, 0), (3, 3)] {
                let [there, here] = pair(cover);
                let frames: Vec<_> = (0..4).map(|_| sent(&there)).collect();
                assert_eq!(judged(&here, &frames[0]), Verdict::Next);
                assert_eq!(judged(&here, &frames[second]), Verdict::Astray(number, 1));
                assert_eq!(judged(&here, &frames[1]), Verdict::Forged);
                assert_eq!(there.exchanged().sent, 4);
                assert_eq!(here.exchanged().received, 1);
            }
        }
    }

    #[test]
    fn numbers_go_on_beyond_what_is_told_of_them() {
        let [there, here] = pair(Cover::Headers);
        let last = u64::from(u32::MAX);
        there.sent.store(last, Ordering::Relaxed);
        here.received.store(last, Ordering::Relaxed);
        let frames = [(); 3].map(|()| sent(&there));
        assert_eq!(judged(&here, &frames[0]), Verdict::Next);
        assert_eq!(judged(&here, &frames[1]), Verdict::Next);
        assert_eq!(judged(&here, &frames[0]), Verdict::Astray(last, last + 2));
    }

    #[test]
    fn what_another_has_sent_is_forged() {
        let [[there, _], [_, here]] = [pair(Cover::Headers), pair(Cover::Headers)];
        assert_eq!(judged(&here, &sent(&there)), Verdict::Forged);
        assert_eq!(judged(&Peer::new(None), &sent(&there)), Verdict::Forged);
    }
}
