//! The buffers that packets come into, shared by all ranks of the host.
//!
//! Where the provider supports it (`FI_MULTI_RECV`), a buffer takes packets until it is full, so it is posted once for
//! hundreds of them; otherwise it takes one packet. Handlers read packets in place.

use std::ffi::c_void;

use simurgh_core::sync::SpinLock;
use simurgh_fabric_sys as sys;
use sys::calls;

use super::buffers::Buffers;
use super::endpoint::Endpoint;
use super::error::OfiError;
use super::operation::{Kind, Operation};

/// The number and size of buffers.
#[derive(Clone, Copy)]
pub(super) struct BufferCounts {
    /// Buffers for many packets each: their number, and bytes of each.
    pub(super) many: (u32, usize),
    /// The number of buffers where each takes one packet.
    pub(super) single: u32,
}

/// The buffers that packets come into.
pub(super) struct ReceiveBuffers {
    operations: Box<[Operation]>,
    buffers: Buffers,
    /// Whether each takes many packets.
    many: bool,
    /// Buffers that are to be posted.
    unposted: SpinLock<Vec<u32>>,
}

impl ReceiveBuffers {
    /// Buffers for packets of at most `packet` bytes. They have not been posted yet.
    pub(super) fn new(endpoint: &Endpoint, packet: usize, counts: BufferCounts) -> Result<Self, OfiError> {
        let many = endpoint.info().has(sys::FI_MULTI_RECV);
        let (_, most) = endpoint.info().queue_sizes();
        let single = counts.single.min(u32::try_from(most).unwrap_or(u32::MAX)).max(1);
        let (count, size) = if many { counts.many } else { (single, packet) };
        Ok(Self {
            operations: Operation::all(Kind::Receive, count),
            buffers: Buffers::new(endpoint, count, size, sys::FI_RECV)?,
            many,
            unposted: SpinLock::new((0..count).collect()),
        })
    }

    /// Posts the buffers that are not posted, as far as the provider takes them.
    pub(super) fn replenish(&self, endpoint: &Endpoint) -> Result<(), isize> {
        let mut unposted = self.unposted.lock();
        while let Some(number) = unposted.last() {
            match self.post(endpoint, *number) {
                0 => unposted.pop(),
                error if error == -(sys::FI_EAGAIN as isize) => return Ok(()),
                error => return Err(error),
            };
        }
        Ok(())
    }

    /// Posts a buffer. Gives what the library says.
    fn post(&self, endpoint: &Endpoint, number: u32) -> isize {
        let piece = sys::iovec {
            iov_base: self.buffers.piece(number).cast(),
            iov_len: self.buffers.size(),
        };
        let mut descriptor: *mut c_void = self.buffers.descriptor();
        let message = sys::fi_msg {
            msg_iov: &raw const piece,
            desc: &raw mut descriptor,
            iov_count: 1,
            addr: sys::fi_addr_t::MAX,
            context: self.operations[number as usize].context(),
            data: 0,
        };
        let flags = if self.many { sys::FI_MULTI_RECV } else { 0 };
        // SAFETY:
        // - the buffer is not posted, and stays until the endpoint is shut: see `Ofi`.
        unsafe { calls::fi_recvmsg(endpoint.as_ptr(), &message, flags | sys::FI_COMPLETION) }
    }

    /// The frame that a completion is about; empty if it is about none.
    ///
    /// # Safety
    ///
    /// * `number` and `data` are of a completion just read, and the buffer has not been posted again.
    pub(super) unsafe fn frame(&self, number: u32, data: (*const u8, usize)) -> &[u8] {
        let start = if self.many {
            data.0
        } else {
            self.buffers.piece(number)
        };
        if start.is_null() || data.1 == 0 {
            return &[];
        }
        // SAFETY:
        // - the library has written so many bytes there, into the buffer, and does not write them again until it is
        //   posted.
        unsafe { std::slice::from_raw_parts(start, data.1) }
    }

    /// Posts the buffer of a completion again, after its packet has been handled, if the buffer is full.
    pub(super) fn handled(&self, endpoint: &Endpoint, number: u32, flags: u64) {
        if (!self.many || flags & sys::FI_MULTI_RECV != 0) && self.post(endpoint, number) != 0 {
            self.unposted.lock().push(number);
        }
    }

    /// Whether some buffers are not posted.
    pub(super) fn is_short(&self) -> bool {
        !self.unposted.lock().is_empty()
    }
}
