//! The link to one host: its transport, the queue of packets that the transport has not taken, and counts.

use std::collections::VecDeque;

use crossbeam_utils::CachePadded;
use simurgh_core::sync::{Arc, AtomicBool, AtomicU64, Ordering, SpinLock, if_biased};

use crate::HostId;
use crate::transport::{Busy, Header, Transport};

/// The link to one host.
pub(super) struct Link {
    /// None for the own host.
    pub(super) transport: Option<Arc<dyn Transport>>,
    /// The most data of a packet.
    pub(super) capacity: usize,
    /// The data of a packet that is a part of longer data.
    pub(super) segment: usize,
    /// Whether packets are queued, or the host has been removed. Set under the lock of `outbox`.
    pub(super) backed_up: AtomicBool,
    /// Whether the host has been removed. Set under the lock of `outbox`.
    closed: AtomicBool,
    outbox: SpinLock<VecDeque<Queued>>,
    sent: Count,
    /// On a cache line of its own: other threads send while one receives.
    received: CachePadded<Count>,
}

/// Traffic in one direction.
#[derive(Default)]
struct Count {
    packets: AtomicU64,
    /// Bytes of data in them. Relaxed throughout: statistics.
    bytes: AtomicU64,
}

/// A packet that the transport has not taken yet.
pub(super) struct Queued {
    pub(super) header: Header,
    pub(super) data: Box<[u8]>,
}

/// The outcome of sending queued packets.
#[derive(Default)]
pub(super) struct Flushed {
    /// The transport has taken at least one.
    pub(super) any: bool,
    /// The transport has taken all, and there was at least one.
    pub(super) is_over: bool,
}

impl Link {
    pub(super) fn new(transport: Option<Arc<dyn Transport>>) -> Self {
        Self {
            capacity: transport.as_ref().map_or(0, |transport| transport.capacity()),
            segment: transport.as_ref().map_or(0, |transport| transport.segment()),
            transport,
            backed_up: AtomicBool::new(false),
            closed: AtomicBool::new(false),
            outbox: SpinLock::default(),
            sent: Count::default(),
            received: CachePadded::default(),
        }
    }

    /// Gives a packet to the transport.
    #[inline]
    pub(super) fn transmit(
        &self,
        to: HostId,
        header: &Header,
        length: usize,
        fill: &mut dyn FnMut(&mut [u8]),
    ) -> Result<(), Busy> {
        let transport = self.transport.as_ref().expect("a host sends nothing to itself");
        transport.send(to, header, length, fill)?;
        self.sent.add_in_turn(length);
        Ok(())
    }

    /// The outcome of sending while the link is backed up: busy, unless the host has been removed. A packet to a
    /// removed host is thrown away, which counts as sent.
    #[cold]
    pub(super) fn while_backed_up(&self) -> Result<(), Busy> {
        if self.is_closed() { Ok(()) } else { Err(Busy) }
    }

    /// Queues a packet. Whether it is the first in the queue.
    pub(super) fn enqueue(&self, packet: Queued) -> bool {
        let mut outbox = self.outbox.lock();
        if self.is_closed() {
            return false;
        }
        outbox.push_back(packet);
        !self.backed_up.swap(true, Ordering::Relaxed)
    }

    /// Sends queued packets, in order, until the transport is busy.
    pub(super) fn flush(&self, host: HostId) -> Flushed {
        let mut flushed = Flushed::default();
        if !self.backed_up.load(Ordering::Relaxed) {
            return flushed;
        }
        let mut outbox = self.outbox.lock();
        if self.is_closed() || outbox.is_empty() {
            return flushed;
        }
        while let Some(Queued { header, data }) = outbox.front() {
            let mut fill = |room: &mut [u8]| room.copy_from_slice(data);
            if self.transmit(host, header, data.len(), &mut fill).is_err() {
                return flushed;
            }
            flushed.any = true;
            outbox.pop_front();
        }
        // Release pairs with the Acquire in `try_send`: a packet that is sent directly from now on follows these.
        self.backed_up.store(false, Ordering::Release);
        flushed.is_over = true;
        flushed
    }

    /// Removes the host, with the packets queued for it. Whether there were any.
    pub(super) fn close(&self) -> bool {
        let mut outbox = self.outbox.lock();
        // Relaxed: under the lock; a thread that sends without the lock sees it soon enough.
        self.closed.store(true, Ordering::Relaxed);
        self.backed_up.store(true, Ordering::Relaxed);
        let waited = !outbox.is_empty();
        outbox.clear();
        waited
    }

    /// Whether the host has been removed.
    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// Counts a packet that has been handled, with `bytes` bytes of data. Called by the thread that polls.
    #[inline]
    pub(super) fn count_received(&self, bytes: usize) {
        self.received.add(bytes);
    }

    /// Packets sent and received.
    pub(super) fn counts(&self) -> (u64, u64) {
        let sent = self.sent.packets.load(Ordering::SeqCst);
        (sent, self.received.packets.load(Ordering::SeqCst))
    }

    /// Bytes of data sent and received.
    pub(super) fn bytes(&self) -> (u64, u64) {
        let bytes = |count: &Count| count.bytes.load(Ordering::Relaxed);
        (bytes(&self.sent), bytes(&self.received))
    }
}

// Release pairs with the SeqCst in `Link::counts`: a thread that sees a packet counted also sees that the host was not
// quiet before.
impl Count {
    /// Counts a packet; for one thread at a time.
    #[inline]
    fn add(&self, bytes: usize) {
        self.bytes.store(
            self.bytes.load(Ordering::Relaxed) + bytes as u64,
            Ordering::Relaxed,
        );
        self.packets
            .store(self.packets.load(Ordering::Relaxed) + 1, Ordering::Release);
    }

    /// Counts a packet; for any thread.
    #[inline]
    fn add_in_turn(&self, bytes: usize) {
        let locked = || {
            self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
            self.packets.fetch_add(1, Ordering::Release);
        };
        if_biased(|| self.add(bytes), locked);
    }
}
