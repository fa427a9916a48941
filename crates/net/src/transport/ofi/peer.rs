//! Another host: its address, and packets to it that the provider has not taken yet.
//!
//! A provider says "try again" while it makes a connection, or when its own queue is full; the packet has been written
//! by then, so it is kept here. While one is kept the host is busy, so there are never more than one for each thread
//! that sends.

use std::collections::VecDeque;

use simurgh_core::sync::{AtomicBool, Ordering, SpinLock};
use simurgh_fabric_sys::fi_addr_t;

/// Another host.
pub(super) struct Peer {
    /// Where it is; if it is not reached this way, an address that is none.
    pub(super) address: fi_addr_t,
    /// Whether packets are kept. Set under the lock.
    backed_up: AtomicBool,
    kept: SpinLock<VecDeque<Kept>>,
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

impl Peer {
    /// A host at an address.
    pub(super) fn new(address: Option<fi_addr_t>) -> Self {
        Self {
            address: address.unwrap_or(fi_addr_t::MAX),
            backed_up: AtomicBool::new(false),
            kept: SpinLock::new(VecDeque::new()),
        }
    }

    /// Whether packets are kept.
    #[inline]
    pub(super) fn is_backed_up(&self) -> bool {
        // Acquire pairs with the Release in `flush`. A packet of this thread that is kept has set it before.
        self.backed_up.load(Ordering::Acquire)
    }

    /// Keeps a packet.
    #[cold]
    pub(super) fn keep(&self, packet: Kept) {
        let mut kept = self.kept.lock();
        kept.push_back(packet);
        // Relaxed: the lock orders it with `flush`, and the thread's own order with its next look.
        self.backed_up.store(true, Ordering::Relaxed);
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
}
