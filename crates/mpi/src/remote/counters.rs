//! What a host counts of its traffic with others.

use crossbeam_utils::CachePadded;
use simurgh_core::sync::{AtomicU64, Ordering};
use simurgh_net::transport::HostId;

/// The counters of a host. Relaxed throughout: statistics.
#[derive(Debug)]
pub(crate) struct Counters {
    /// With each other host, so that messages to different hosts share no line.
    traffic: Box<[CachePadded<Traffic>]>,
    /// Packets that made no sense.
    dropped: AtomicU64,
    /// Sends of short data that had to wait to be asked for, because too much was unreceived.
    stalls: AtomicU64,
}

#[derive(Debug, Default)]
struct Traffic {
    bytes_sent: AtomicU64,
    /// On a line of its own: others send while one thread receives.
    bytes_received: CachePadded<AtomicU64>,
}

impl Counters {
    pub(super) fn new(hosts: u32) -> Self {
        Self {
            traffic: (0..hosts).map(|_| CachePadded::default()).collect(),
            dropped: AtomicU64::new(0),
            stalls: AtomicU64::new(0),
        }
    }

    #[inline]
    pub(super) fn count_sent(&self, to: HostId, bytes: usize) {
        let sent = &self.traffic[to as usize].bytes_sent;
        sent.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Called by one thread at a time.
    #[inline]
    pub(super) fn count_received(&self, from: HostId, bytes: usize) {
        let received = &self.traffic[from as usize].bytes_received;
        let before = received.load(Ordering::Relaxed);
        received.store(before + bytes as u64, Ordering::Relaxed);
    }

    #[cold]
    pub(super) fn count_dropped(&self) {
        self.dropped.fetch_add(1, Ordering::Relaxed);
    }

    #[cold]
    pub(super) fn count_stall(&self) {
        self.stalls.fetch_add(1, Ordering::Relaxed);
    }

    /// Bytes of data in packets to other hosts.
    pub(crate) fn bytes_sent(&self) -> u64 {
        let sent = |traffic: &CachePadded<Traffic>| traffic.bytes_sent.load(Ordering::Relaxed);
        self.traffic.iter().map(sent).sum()
    }

    /// Bytes of data in packets from other hosts.
    pub(crate) fn bytes_received(&self) -> u64 {
        let received = |traffic: &CachePadded<Traffic>| traffic.bytes_received.load(Ordering::Relaxed);
        self.traffic.iter().map(received).sum()
    }

    /// Packets that made no sense.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    /// Sends of short data that had to wait to be asked for.
    pub(crate) fn stalls(&self) -> u64 {
        self.stalls.load(Ordering::Relaxed)
    }
}
