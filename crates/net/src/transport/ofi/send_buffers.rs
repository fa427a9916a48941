//! The buffers that long packets are sent from, shared by all ranks of the host.

use simurgh_core::sync::{AtomicU32, Ordering};
use simurgh_fabric_sys as sys;
use sys::{calls, fi_addr_t};

use super::buffers::Buffers;
use super::endpoint::Endpoint;
use super::error::OfiError;
use super::operation::{Kind, Operation};
use super::slots::Slots;
use crate::HostId;

/// Most buffers.
const COUNT: u32 = 256;
/// The longest frame that is made on the stack.
pub(super) const SHORT: usize = 256;

/// The send buffers.
pub(super) struct SendBuffers {
    slots: Slots,
    operations: Box<[Operation]>,
    buffers: Buffers,
    /// For each buffer, the host that it goes to.
    destinations: Box<[AtomicU32]>,
    /// Frames of at most so many bytes need no buffer.
    pub(super) short: usize,
}

impl SendBuffers {
    /// Most buffers.
    pub(super) const MOST: u32 = COUNT;

    /// Buffers for frames of at most `frame` bytes.
    pub(super) fn new(endpoint: &Endpoint, frame: usize) -> Result<Self, OfiError> {
        let (room, _) = endpoint.info().queue_sizes();
        let count = COUNT.min(u32::try_from(room / 2).unwrap_or(COUNT)).max(1);
        Ok(Self {
            slots: Slots::new(count),
            operations: Operation::all(Kind::Send, count),
            buffers: Buffers::new(endpoint, count, frame, sys::FI_SEND)?,
            destinations: (0..count).map(|_| AtomicU32::new(0)).collect(),
            short: endpoint.info().inject_size().min(SHORT),
        })
    }

    /// Takes a buffer for a packet to a host, if one is free.
    #[inline]
    pub(super) fn take(&self, to: HostId) -> Option<u32> {
        let number = self.slots.take()?;
        // Relaxed: the completion, which reads it, comes by way of the library.
        self.destinations[number as usize].store(to, Ordering::Relaxed);
        Some(number)
    }

    /// The first `length` bytes of a buffer.
    ///
    /// # Safety
    ///
    /// * The caller has taken the buffer, and has not sent it yet.
    #[inline]
    #[allow(clippy::mut_from_ref, reason = "who has taken the number has the buffer")]
    pub(super) unsafe fn frame(&self, number: u32, length: usize) -> &mut [u8] {
        assert!(
            length <= self.buffers.size(),
            "a packet longer than the transport's capacity"
        );
        // SAFETY:
        // - there is so much room, initialised when it was allocated; nobody else uses it by the caller's word.
        unsafe { std::slice::from_raw_parts_mut(self.buffers.piece(number), length) }
    }

    /// Sends a buffer that has been taken. Gives what the library says.
    #[inline]
    pub(super) fn post(&self, endpoint: &Endpoint, number: u32, length: usize, to: fi_addr_t) -> isize {
        // SAFETY:
        // - the buffer stays, and is not touched, until the completion; see `Ofi` for the end.
        unsafe {
            calls::fi_send(
                endpoint.as_ptr(),
                self.buffers.piece(number).cast(),
                length,
                self.buffers.descriptor(),
                to,
                self.operations[number as usize].context(),
            )
        }
    }

    /// Gives back a buffer that has been sent, or will not be sent. Gives the host that it went to.
    #[inline]
    pub(super) fn give(&self, number: u32) -> HostId {
        let host = self.destinations[number as usize].load(Ordering::Relaxed);
        self.slots.give(number);
        host
    }
}
