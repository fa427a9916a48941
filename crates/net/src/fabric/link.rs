//! What leads to one host.

use std::collections::VecDeque;

use crossbeam_utils::CachePadded;
use simurgh_core::sync::{Arc, AtomicBool, AtomicU64, Ordering, SpinLock, add_in_turn};

use crate::transport::{Busy, Header, HostId, Transport};

/// The way to a host, and what waits for it.
pub(super) struct Link {
    /// None for the own host.
    pub(super) transport: Option<Arc<dyn Transport>>,
    /// The most data of a packet.
    pub(super) capacity: usize,
    /// Whether packets wait, or the host has gone. Set under the lock of `outbox`.
    pub(super) backed_up: AtomicBool,
    /// Whether the host has gone. Set under the lock of `outbox`.
    closed: AtomicBool,
    outbox: SpinLock<VecDeque<Kept>>,
    sent: AtomicU64,
    /// On a line of its own: others send while one thread receives.
    received: CachePadded<AtomicU64>,
}

/// A packet that the transport has not taken yet.
pub(super) struct Kept {
    pub(super) header: Header,
    pub(super) data: Box<[u8]>,
}

/// What has come of passing on what waits.
#[derive(Default)]
pub(super) struct Flushed {
    /// Something has gone.
    pub(super) any: bool,
    /// Everything has gone, and something has waited before.
    pub(super) is_over: bool,
}

impl Link {
    pub(super) fn new(transport: Option<Arc<dyn Transport>>) -> Self {
        Self {
            capacity: transport.as_ref().map_or(0, |transport| transport.capacity()),
            transport,
            backed_up: AtomicBool::new(false),
            closed: AtomicBool::new(false),
            outbox: SpinLock::default(),
            sent: AtomicU64::new(0),
            received: CachePadded::default(),
        }
    }

    /// Gives a packet to the transport.
    #[inline]
    pub(super) fn pass_on(
        &self,
        to: HostId,
        header: &Header,
        length: usize,
        fill: &mut dyn FnMut(&mut [u8]),
    ) -> Result<(), Busy> {
        let transport = self.transport.as_ref().expect("a host sends nothing to itself");
        transport.send(to, header, length, fill)?;
        // Release pairs with the SeqCst in `counts`: who sees it knows that the host was not quiet before.
        add_in_turn(&self.sent, 1, Ordering::Release);
        Ok(())
    }

    /// What becomes of a packet while others wait: a host that has gone takes everything.
    #[cold]
    pub(super) fn held_up(&self) -> Result<(), Busy> {
        if self.is_closed() { Ok(()) } else { Err(Busy) }
    }

    /// Keeps a packet for later; whether it is the first that waits.
    pub(super) fn keep(&self, packet: Kept) -> bool {
        let mut outbox = self.outbox.lock();
        if self.is_closed() {
            return false;
        }
        outbox.push_back(packet);
        !self.backed_up.swap(true, Ordering::Relaxed)
    }

    /// Passes on what waits.
    pub(super) fn flush(&self, host: HostId) -> Flushed {
        let mut flushed = Flushed::default();
        if !self.backed_up.load(Ordering::Relaxed) {
            return flushed;
        }
        let mut outbox = self.outbox.lock();
        if self.is_closed() || outbox.is_empty() {
            return flushed;
        }
        while let Some(Kept { header, data }) = outbox.front() {
            let mut fill = |room: &mut [u8]| room.copy_from_slice(data);
            if self.pass_on(host, header, data.len(), &mut fill).is_err() {
                return flushed;
            }
            flushed.any = true;
            outbox.pop_front();
        }
        // Release pairs with the Acquire in `try_send`: who sends directly from now on comes behind what was passed on.
        self.backed_up.store(false, Ordering::Release);
        flushed.is_over = true;
        flushed
    }

    /// The host has gone. Whether something has waited for it.
    pub(super) fn close(&self) -> bool {
        let mut outbox = self.outbox.lock();
        // Relaxed: under the lock; who sends without it sees it soon enough.
        self.closed.store(true, Ordering::Relaxed);
        self.backed_up.store(true, Ordering::Relaxed);
        let waited = !outbox.is_empty();
        outbox.clear();
        waited
    }

    /// Whether the host has gone.
    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// Notes that a packet has been handled.
    #[inline]
    pub(super) fn count_received(&self) {
        // Relaxed: written by whoever polls, one at a time. Release pairs with the SeqCst in `counts`: who sees it
        // knows that the host was not quiet before.
        let before = self.received.load(Ordering::Relaxed);
        self.received.store(before + 1, Ordering::Release);
    }

    /// Packets sent and received.
    pub(super) fn counts(&self) -> (u64, u64) {
        let sent = self.sent.load(Ordering::SeqCst);
        (sent, self.received.load(Ordering::SeqCst))
    }
}
