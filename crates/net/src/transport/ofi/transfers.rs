//! Transfers from and to remote memory that are under way.

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

/// Transfers that may be under way.
const COUNT: u32 = 256;
/// The longest piece that is asked of a provider at once.
const PIECE: usize = 1 << 30;
/// The same where others can take over connections: so that it shows whether a transfer goes on. Shorter ones would
/// cost long messages a tenth of their bandwidth.
const PIECE_SEEN: usize = 32 << 20;

/// Which way data goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// From remote memory.
    Read,
    /// To remote memory.
    Write,
}

/// A transfer. Its first fields are those of what has not been asked of the provider yet.
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

/// What became of a piece that is over.
pub(super) enum Next {
    /// The next one, to this host, is under way.
    Goes(HostId),
    /// The next one has not been taken yet.
    Waits,
    /// The whole is over; with an error number if it has failed.
    Over(Transfer, Option<isize>),
}

/// All transfers under way.
pub(super) struct Transfers {
    slots: Slots,
    operations: Box<[Operation]>,
    places: Box<[SpinLock<Option<Transfer>>]>,
    /// Those whose next piece the provider has not taken yet.
    stalled: SpinLock<Vec<u32>>,
    longest: usize,
    /// Flags of writes: when they are over.
    write_flags: u64,
}

impl Transfers {
    /// Number of transfers at most.
    pub(super) const MOST: u32 = COUNT;

    /// None under way, of those that are protected so far.
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

    /// Begins a transfer; an error is what the library says, which may be "try again": then nothing has been done.
    ///
    /// # Safety
    ///
    /// * The memory is the transfer's until it is over.
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

    /// A piece is over: goes on, if nothing has failed.
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

    /// One whose next piece is to be tried again.
    pub(super) fn stalled(&self) -> Option<u32> {
        self.stalled.lock().pop()
    }

    /// Asks the provider for the next piece.
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

    /// Asks the provider to write the next `length` bytes.
    ///
    /// # Safety
    ///
    /// * The memory is the transfer's until the operation with this context is over.
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
