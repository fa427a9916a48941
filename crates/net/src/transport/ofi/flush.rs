//! Flush markers: by them a host knows that the packets it has sent to another one have left.
//!
//! A provider may hold packets that it has taken until it is called again, and it does not say when an injected packet
//! has left. Packets to a host leave in order. A marker is a short frame that its receiver throws away. When its send
//! is complete, all packets sent before it have left.

use simurgh_core::sync::{AtomicU32, AtomicU64, Ordering};
use simurgh_fabric_sys as sys;
use sys::{calls, fi_addr_t};

use super::buffers::Buffers;
use super::endpoint::Endpoint;
use super::error::OfiError;
use super::frame::FLUSH_MARKER;
use super::operation::{Kind, Operation};
use super::slots::Slots;
use crate::HostId;

/// Most markers under way.
const COUNT: u32 = 16;

/// The flush markers of this host.
pub(super) struct FlushMarkers {
    slots: Slots,
    operations: Box<[Operation]>,
    /// All markers are the same bytes, which are only read.
    frame: Buffers,
    /// For each marker, the host that it goes to and the token of its drain.
    destinations: Box<[(AtomicU32, AtomicU64)]>,
}

impl FlushMarkers {
    /// Most markers under way.
    pub(super) const MOST: u32 = COUNT;

    /// Markers for the packets sent over an endpoint.
    pub(super) fn new(endpoint: &Endpoint) -> Result<Self, OfiError> {
        let frame = Buffers::new(endpoint, 1, FLUSH_MARKER.len(), sys::FI_SEND)?;
        // SAFETY:
        // - there is so much room, initialised when it was allocated, and nobody else knows of it yet.
        unsafe { std::slice::from_raw_parts_mut(frame.piece(0), FLUSH_MARKER.len()) }
            .copy_from_slice(&FLUSH_MARKER);
        Ok(Self {
            slots: Slots::new(COUNT),
            operations: Operation::all(Kind::FlushMarker, COUNT),
            frame,
            destinations: (0..COUNT).map(|_| Default::default()).collect(),
        })
    }

    /// Sends a marker to a host, for the drain with this token. The error is the library's; if all markers are under
    /// way, it is "try again".
    pub(super) fn send(
        &self,
        endpoint: &Endpoint,
        (host, address): (HostId, fi_addr_t),
        token: u64,
    ) -> Result<(), isize> {
        let number = self.slots.take().ok_or(-(sys::FI_EAGAIN as isize))?;
        let (to, waits) = &self.destinations[number as usize];
        // Relaxed: the completion, which reads them, comes by way of the library.
        to.store(host, Ordering::Relaxed);
        waits.store(token, Ordering::Relaxed);
        // SAFETY:
        // - the bytes stay, and nobody changes them, until the completion; see `Ofi` for the end.
        let outcome = unsafe {
            calls::fi_send(
                endpoint.as_ptr(),
                self.frame.piece(0).cast(),
                FLUSH_MARKER.len(),
                self.frame.descriptor(),
                address,
                self.operations[number as usize].context(),
            )
        };
        if outcome != 0 {
            self.slots.give(number);
            return Err(outcome);
        }
        Ok(())
    }

    /// Takes back a marker that has left, or will not leave. Gives its host and token.
    pub(super) fn over(&self, number: u32) -> (HostId, u64) {
        let (to, waits) = &self.destinations[number as usize];
        let mark = (to.load(Ordering::Relaxed), waits.load(Ordering::Relaxed));
        self.slots.give(number);
        mark
    }
}
