//! What a host counts of its traffic with others.

use crossbeam_utils::CachePadded;
use simurgh_core::Roster;
use simurgh_core::sync::{AtomicBool, AtomicU64, Ordering, add_in_turn};
use simurgh_net::transport::HostId;
use std::ops::Range;

/// What a host has sent to others and received from them so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NetworkStats {
    /// Packets that it has sent.
    pub packets_sent: u64,
    /// Packets that it has received.
    pub packets_received: u64,
    /// Bytes of data in the former.
    pub bytes_sent: u64,
    /// Bytes of data in the latter.
    pub bytes_received: u64,
    /// Packets that made no sense, or were not the job's.
    pub dropped: u64,
    /// Short messages that were not sent before they were asked for, because too much was unreceived.
    pub stalls: u64,
}

/// The counters of a host. Relaxed throughout: statistics.
#[derive(Debug)]
pub(crate) struct Counters {
    /// With each other host, so that messages to different hosts share no line.
    traffic: Roster<CachePadded<Traffic>>,
    /// Packets that made no sense.
    dropped: AtomicU64,
    /// Whether a host has sent more than it may.
    excess: AtomicBool,
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
    pub(super) fn new(hosts: Range<HostId>) -> Self {
        Self {
            traffic: Roster::new(hosts, |_| CachePadded::default()),
            dropped: AtomicU64::new(0),
            excess: AtomicBool::new(false),
            stalls: AtomicU64::new(0),
        }
    }

    /// Counts with another host too.
    pub(super) fn admit(&self, host: HostId) {
        self.traffic.add(host, CachePadded::default());
    }

    #[inline]
    pub(super) fn count_sent(&self, to: HostId, bytes: usize) {
        let sent = &self.traffic[to].bytes_sent;
        add_in_turn(sent, bytes as u64, Ordering::Relaxed);
    }

    /// Called by one thread at a time.
    #[inline]
    pub(super) fn count_received(&self, from: HostId, bytes: usize) {
        let received = &self.traffic[from].bytes_received;
        let before = received.load(Ordering::Relaxed);
        received.store(before + bytes as u64, Ordering::Relaxed);
    }

    #[cold]
    pub(super) fn count_dropped(&self) {
        self.dropped.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes that a host has sent more than it may; whether it is the first time.
    #[cold]
    pub(super) fn is_first_excess(&self) -> bool {
        !self.excess.swap(true, Ordering::Relaxed)
    }

    #[cold]
    pub(super) fn count_stall(&self) {
        self.stalls.fetch_add(1, Ordering::Relaxed);
    }

    /// All that has been counted; the packets are the fabric's to count.
    pub(super) fn stats(&self) -> NetworkStats {
        let each = || self.traffic.iter().map(|(_, traffic)| traffic);
        NetworkStats {
            bytes_sent: each()
                .map(|traffic| traffic.bytes_sent.load(Ordering::Relaxed))
                .sum(),
            bytes_received: each()
                .map(|traffic| traffic.bytes_received.load(Ordering::Relaxed))
                .sum(),
            dropped: self.dropped.load(Ordering::Relaxed),
            stalls: self.stalls.load(Ordering::Relaxed),
            ..NetworkStats::default()
        }
    }
}
