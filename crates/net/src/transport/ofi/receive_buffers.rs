//! Buffers that packets come into, shared by all that live on the host.
//!
//! Where the provider has it, a buffer takes packets until it is full, and costs one posting for hundreds of them;
//! otherwise one packet. Handlers read out of the buffer.

use std::ffi::c_void;

use simurgh_core::sync::SpinLock;
use simurgh_fabric_sys as sys;
use sys::calls;

use super::buffers::Buffers;
use super::endpoint::Endpoint;
use super::error::OfiError;
use super::operation::{Kind, Operation};

/// How much there is room for.
#[derive(Clone, Copy)]
pub(super) struct BufferCounts {
    /// Buffers for many packets each, and their bytes.
    pub(super) many: (u32, usize),
    /// Or buffers for one packet each.
    pub(super) single: u32,
}

/// The buffers that packets come into.
pub(super) struct ReceiveBuffers {
    operations: Box<[Operation]>,
    buffers: Buffers,
    /// Whether each takes many packets.
    many: bool,
    /// Buffers that the provider has not taken back yet.
    unposted: SpinLock<Vec<u32>>,
}

impl ReceiveBuffers {
    /// Buffers for packets of at most so many bytes; they have not been posted yet.
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

    /// Posts what is not posted.
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

    /// Posts a buffer; what the library says.
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

    /// The frame that a completion is about.
    ///
    /// # Safety
    ///
    /// * `number`, `data` are of a completion just read, and the buffer has not been posted again.
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
        // - the library has written so many bytes there, into the buffer, and will not do so again.
        unsafe { std::slice::from_raw_parts(start, data.1) }
    }

    /// The packet of a completion has been dealt with: posts its buffer again if it is over.
    pub(super) fn handled(&self, endpoint: &Endpoint, number: u32, flags: u64) {
        if (!self.many || flags & sys::FI_MULTI_RECV != 0) && self.post(endpoint, number) != 0 {
            self.unposted.lock().push(number);
        }
    }

    /// Whether buffers wait to be posted.
    pub(super) fn is_short(&self) -> bool {
        !self.unposted.lock().is_empty()
    }
}
