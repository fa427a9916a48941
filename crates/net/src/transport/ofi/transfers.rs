//! Transfers from and to remote memory that are under way.
//!
//! A transfer is a sequence of operations, each of which moves a piece. The next piece is posted when the last one is
//! complete.

use std::ffi::c_void;

use simurgh_core::sync::SpinLock;
use simurgh_fabric_sys as sys;
use sys::{calls, fi_addr_t};

use super::endpoint::Endpoint;
use super::memory::{SharedRegistration, descriptor};
use super::operation::{Kind, Operation};
use super::protection::Protection;
use super::slots::Slots;
use crate::HostId;

/// Most transfers under way.
const COUNT: u32 = 256;
/// Most bytes of a piece.
const PIECE: usize = 1 << 30;
/// Most bytes of a piece where somebody may take over connections: pieces are counted, so that it shows whether a
/// transfer makes progress. Shorter ones would cost long messages a tenth of their bandwidth.
const PIECE_SEEN: usize = 32 << 20;

/// The direction of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// From remote memory.
    Read,
    /// To remote memory.
    Write,
}

/// A transfer. `local`, `remote` and `left` are those of the part that has not been posted yet.
pub(super) struct Transfer {
    pub(super) direction: Direction,
    pub(super) host: HostId,
    pub(super) to: fi_addr_t,
    pub(super) local: *mut u8,
    pub(super) remote: u64,
    pub(super) key: u64,
    pub(super) left: usize,
    pub(super) token: u64,
    pub(super) registration: Option<SharedRegistration>,
}

// SAFETY:
// - the memory is the transfer's until it is over, by the word of who began it.
unsafe impl Send for Transfer {}

/// The continuation after a complete piece.
pub(super) enum Next {
    /// The next piece, with this host, is under way.
    Goes(HostId),
    /// The provider has not taken the next piece yet.
    Waits,
    /// The whole transfer is complete; with an error number if it has failed.
    Over(Transfer, Option<isize>),
}

/// All transfers under way.
pub(super) struct Transfers {
    slots: Slots,
    operations: Box<[Operation]>,
    places: Box<[SpinLock<Option<Transfer>>]>,
    /// Transfers whose next piece the provider has not taken yet.
    stalled: SpinLock<Vec<u32>>,
    longest: usize,
    /// Flags of writes, which say when they are complete.
    write_flags: u64,
}

impl Transfers {
    /// Most transfers under way.
    pub(super) const MOST: u32 = COUNT;

    /// No transfer is under way. `protection` decides the length of pieces.
    pub(super) fn new(endpoint: &Endpoint, protection: Protection) -> Self {
        let info = endpoint.info();
        let over = match info.tells_delivery() {
            true => sys::FI_DELIVERY_COMPLETE,
            false => sys::FI_TRANSMIT_COMPLETE,
        };
        Self {
            slots: Slots::new(COUNT),
            operations: Operation::all(Kind::Transfer, COUNT),
            places: (0..COUNT).map(|_| SpinLock::new(None)).collect(),
            stalled: SpinLock::new(Vec::new()),
            longest: info.longest().min(match protection {
                Protection::Nothing => PIECE,
                Protection::Headers | Protection::Everything => PIECE_SEEN,
            }),
            write_flags: over | sys::FI_COMPLETION,
        }
    }

    /// Begins a transfer. An error is what the library says, which may be "try again"; then nothing has been done.
    ///
    /// # Safety
    ///
    /// * The memory belongs to the transfer until it is complete.
    pub(super) unsafe fn begin(&self, endpoint: &Endpoint, transfer: Transfer) -> Result<(), isize> {
        let Some(number) = self.slots.take() else {
            return Err(-(sys::FI_EAGAIN as isize));
        };
        let mut place = self.places[number as usize].lock();
        let outcome = self.post(endpoint, number, place.insert(transfer));
        if outcome.is_err() {
            *place = None;
            drop(place);
            self.slots.give(number);
        }
        outcome
    }

    /// Goes on after a piece is complete, unless something has failed.
    pub(super) fn piece_over(&self, endpoint: &Endpoint, number: u32, failed: Option<isize>) -> Next {
        let mut place = self.places[number as usize].lock();
        let transfer = place.as_mut().expect("a transfer whose piece is over");
        let failed = match (failed, transfer.left) {
            (None, 1..) => match self.post(endpoint, number, transfer) {
                Ok(()) => return Next::Goes(transfer.host),
                Err(error) if error == -(sys::FI_EAGAIN as isize) => {
                    self.stalled.lock().push(number);
                    return Next::Waits;
                }
                Err(error) => Some(error),
            },
            (failed, _) => failed,
        };
        let transfer = place.take().expect("just seen");
        drop(place);
        self.slots.give(number);
        Next::Over(transfer, failed)
    }

    /// Takes a transfer whose next piece is to be posted again.
    pub(super) fn stalled(&self) -> Option<u32> {
        self.stalled.lock().pop()
    }

    /// Posts the next piece.
    fn post(&self, endpoint: &Endpoint, number: u32, transfer: &mut Transfer) -> Result<(), isize> {
        let length = transfer.left.min(self.longest);
        let context = self.operations[number as usize].context();
        let mut descriptor = descriptor(transfer.registration.as_ref());
        let outcome = match transfer.direction {
            // SAFETY:
            // - the memory is the transfer's until it is over, by the word of who began it.
            Direction::Read => unsafe {
                calls::fi_read(
                    endpoint.as_ptr(),
                    transfer.local.cast(),
                    length,
                    descriptor,
                    transfer.to,
                    transfer.remote,
                    transfer.key,
                    context,
                )
            },
            // SAFETY:
            // - as above.
            Direction::Write => unsafe { self.write(endpoint, transfer, length, &mut descriptor, context) },
        };
        if outcome != 0 {
            return Err(outcome);
        }
        transfer.local = transfer.local.wrapping_add(length);
        transfer.remote += length as u64;
        transfer.left -= length;
        Ok(())
    }

    /// Posts a write of the next `length` bytes.
    ///
    /// # Safety
    ///
    /// * The memory belongs to the transfer until the operation with this context is complete.
    unsafe fn write(
        &self,
        endpoint: &Endpoint,
        transfer: &Transfer,
        length: usize,
        descriptor: &mut *mut c_void,
        context: *mut c_void,
    ) -> isize {
        let local = sys::iovec {
            iov_base: transfer.local.cast(),
            iov_len: length,
        };
        let remote = sys::fi_rma_iov {
            addr: transfer.remote,
            len: length,
            key: transfer.key,
        };
        let message = sys::fi_msg_rma {
            msg_iov: &raw const local,
            desc: std::ptr::from_mut(descriptor),
            iov_count: 1,
            addr: transfer.to,
            rma_iov: &raw const remote,
            rma_iov_count: 1,
            context,
            data: 0,
        };
        // SAFETY:
        // - the message and what it points to live until the call returns; the memory is as the caller says.
        unsafe { calls::fi_writemsg(endpoint.as_ptr(), &message, self.write_flags) }
    }
}
