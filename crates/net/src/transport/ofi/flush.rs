//! FlushMarkers behind what has been sent to a host, by which it is known that it has left this one.
//!
//! A provider may hold what it has taken until it is called again, and does not say when it has let go of what was
//! injected. Packets to a host go in their order; so when a mark has gone, which is a frame that its receiver throws
//! away, all that was sent before it has gone.

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

/// FlushMarkers that may be under way.
const COUNT: u32 = 16;

/// The flush_markers of a host.
pub(super) struct FlushMarkers {
    slots: Slots,
    operations: Box<[Operation]>,
    /// All flush_markers are the same bytes, which are read alone.
    frame: Buffers,
    /// Of each mark, to which host it goes and who waits for it.
    destinations: Box<[(AtomicU32, AtomicU64)]>,
}

impl FlushMarkers {
    /// Number of flush_markers at most.
    pub(super) const MOST: u32 = COUNT;

    /// Those of a host.
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

    /// Sends a mark to a host, in the name of who waits for it; an error is what the library says, or that all flush_markers
    /// are under way, as "try again".
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

    /// A mark has gone, or will not go: to which host, and who waits for it.
    pub(super) fn over(&self, number: u32) -> (HostId, u64) {
        let (to, waits) = &self.destinations[number as usize];
        let mark = (to.load(Ordering::Relaxed), waits.load(Ordering::Relaxed));
        self.slots.give(number);
        mark
    }
}
