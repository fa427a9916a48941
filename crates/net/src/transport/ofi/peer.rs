//! Another host: its address, the keys of the codes between it and this one, the numbers of packets, and the frames
//! that the provider has not taken yet.
//!
//! Packets to a host are numbered, and the provider has to take them in this order. So a packet is numbered and given
//! to the provider under one lock for each host ([`SendGuard`]).
//!
//! A provider says "try again" while it makes a connection, or when its own queue is full. The frame has been written
//! by then, so it is kept here. While a frame is pending the host is busy. So the number of pending frames is at most
//! the number of threads that send.
//!
//! Providers promise that packets arrive in order, each once (`FI_ORDER_SAS`, reliable datagrams). Over a connection
//! that somebody has broken or taken over they do not, which shows in the numbers.

use std::collections::VecDeque;

use crossbeam_utils::CachePadded;
use simurgh_core::HostTable;
use simurgh_core::sync::{AtomicBool, AtomicU64, Ordering, SpinGuard, SpinLock};
use simurgh_fabric_sys::fi_addr_t;

use super::frame::ReceivedFrame;
use super::mac::MacKeys;
use super::protection::Protection;

/// All other hosts, by number. The entry of the own host is never used.
pub(super) type Peers = HostTable<CachePadded<Peer>>;

/// Another host.
pub(super) struct Peer {
    /// None if the host is not reached over libfabric.
    connection: Option<Connection>,
    /// Whether frames are pending. Set under the lock.
    backed_up: AtomicBool,
    pending: SpinLock<VecDeque<Pending>>,
    /// Packets that have been numbered. Changed under the lock.
    sent: AtomicU64,
    /// Packets that have come in order. Changed by the thread that polls.
    received: AtomicU64,
    /// Whether a packet has come out of order, so that no later one is taken. Changed by the thread that polls.
    is_broken: AtomicBool,
    /// Pieces of transfers that were begun, and those that are complete.
    transfers: [AtomicU64; 2],
}

/// The means to reach a host.
pub(super) struct Connection {
    pub(super) address: fi_addr_t,
    pub(super) mac_keys: MacKeys,
}

/// The right to number packets to a host and to give them to the provider.
pub(super) struct SendGuard<'a> {
    peer: &'a Peer,
    pending: SpinGuard<'a, VecDeque<Pending>>,
}

/// Counts of what has been exchanged with a host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Traffic {
    /// Packets to it.
    pub(super) sent: u64,
    /// Packets from it.
    pub(super) received: u64,
    /// Pieces of transfers that were begun.
    pub(super) begun: u64,
    /// Pieces of transfers that are complete.
    pub(super) over: u64,
}

/// A frame that the provider has not taken yet.
pub(super) enum Pending {
    /// A whole frame.
    Short(Box<[u8]>),
    /// A frame in a send buffer: the number of the buffer, and the length of the frame.
    Long(u32, usize),
}

/// The outcome of giving a packet to the provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The provider has taken it, or it is given up for good.
    Done,
    /// It is to be tried again.
    Retry,
}

/// The verdict on a packet that claims to be of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is the packet that is due.
    InOrder,
    /// It is of the host, but packets before it are missing, or it has come before. Its number, and the number that was
    /// due.
    OutOfOrder(u64, u64),
    /// The host has not sent it, or has sent it after a packet that came out of order.
    Forged,
}

impl Peer {
    /// A host with this connection, or one that is not reached over libfabric.
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

    /// The means to reach it.
    ///
    /// # Panics
    ///
    /// When it is not reached over libfabric.
    #[inline]
    pub(super) fn connection(&self) -> &Connection {
        self.connection
            .as_ref()
            .expect("a host that is reached over libfabric")
    }

    /// How much of the packets to and from it is protected.
    pub(super) fn protection(&self) -> Option<Protection> {
        Some(self.connection.as_ref()?.mac_keys.outward.protection())
    }

    /// Whether frames are pending.
    #[inline]
    pub(super) fn is_backed_up(&self) -> bool {
        // Acquire pairs with the Release in `flush`. If a frame of this thread is pending, the thread has set it
        // itself.
        self.backed_up.load(Ordering::Acquire)
    }

    /// Waits until no other thread numbers a packet.
    #[inline]
    pub(super) fn lock_sends(&self) -> SendGuard<'_> {
        SendGuard {
            peer: self,
            pending: self.pending.lock(),
        }
    }

    /// Gives pending frames to the provider again, by `retry`, in order. Whether it took any.
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
        // Release pairs with the Acquire in `is_backed_up`: a frame that is sent directly from now on follows these.
        self.backed_up.store(false, Ordering::Release);
        any
    }

    /// Judges a packet that claims to be of this host, and counts it if it is the one that is due. Called by the thread
    /// that polls.
    #[inline]
    pub(super) fn judge(&self, arrived: &ReceivedFrame<'_>) -> Verdict {
        let Some(connection) = &self.connection else {
            return Verdict::Forged;
        };
        // Relaxed: only this thread changes it.
        let due = self.received.load(Ordering::Relaxed);
        // A frame tells its number modulo 2^32: this is the number nearest to the one that is due.
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
        // Relaxed: other threads only look whether it grows.
        self.received.store(due + 1, Ordering::Relaxed);
        Verdict::InOrder
    }

    /// Counts a piece of a transfer as begun.
    pub(super) fn transfer_begun(&self) {
        self.transfers[0].fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a piece of a transfer as complete.
    pub(super) fn transfer_over(&self) {
        self.transfers[1].fetch_add(1, Ordering::Relaxed);
    }

    /// The counts so far. Relaxed: they are read again and again.
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
    /// Takes the number of the next packet, which has to be given to the provider, or kept, before this guard is
    /// dropped.
    #[inline]
    pub(super) fn number(&mut self) -> u64 {
        // Relaxed: under the lock.
        let number = self.peer.sent.load(Ordering::Relaxed);
        self.peer.sent.store(number + 1, Ordering::Relaxed);
        number
    }

    /// Whether frames are pending, so that the next one has to be kept, too.
    #[inline]
    pub(super) fn is_backed_up(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Keeps a frame for later.
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
