//! Handles of sends that were complete when their call returned: they need no slot in the table of requests.
//!
//! Such a handle has bit 31 set, which no slot has. If the message waits for its receive, the handle holds the
//! [`CompletedSend`]: bits 32 to 55 have the bits in which the receiver's number differs from the numbers of the
//! sender's realm, and bits 0 to 30 the number of the message.
//!
//! Cancelling such a send makes the handle, in every copy of it, that of a cancelled operation until it is waited for.
//! The rank remembers these handles.

use std::collections::HashSet;

use simurgh_core::sync::{AtomicUsize, Ordering, SpinLock};
use simurgh_mpi::CompletedSend;
use simurgh_net::job::Realm;

use super::REQUESTS;
use crate::types::MPI_Request;

/// The bits that all these handles have set.
const MARK: usize = (REQUESTS as usize) << 56 | 1 << CompletedSend::NUMBER_BITS;
/// The bits that tell these handles from others.
const MARK_BITS: usize = 0xff << 56 | 1 << CompletedSend::NUMBER_BITS;
/// The receiver number that stands for none.
const NOBODY: u32 = (1 << 24) - 1;

/// The handle of a send whose message has been received.
pub(crate) const COMPLETED_SEND: MPI_Request = MPI_Request(MARK | (NOBODY as usize) << 32);

/// Whether this is the handle of a send that was complete when its call returned.
#[inline]
pub(crate) fn is_completed_send(handle: MPI_Request) -> bool {
    handle.0 & MARK_BITS == MARK
}

/// The handle of a send of this process whose message waits for its receive.
#[inline]
pub(crate) fn handle_of_completed_send(sender: u32, completed: CompletedSend) -> MPI_Request {
    let (process, number) = completed.parts();
    // If the receiver's number is too large for a handle, the message cannot be taken back.
    let process = (process ^ realm_bits(sender)).min(NOBODY);
    MPI_Request(MARK | (process as usize) << 32 | number as usize)
}

/// The completed send in a handle of this process, if its message can be taken back.
pub(crate) fn completed_send_of_handle(sender: u32, handle: MPI_Request) -> Option<CompletedSend> {
    let process = (handle.0 >> 32) as u32 & NOBODY;
    let completed = || CompletedSend::from_parts(process ^ realm_bits(sender), handle.0 as u32);
    (is_completed_send(handle) && process != NOBODY).then(completed)
}

/// The bits that the numbers of all processes of a realm have in common.
#[inline]
fn realm_bits(process: u32) -> u32 {
    process & !(Realm::SIZE - 1)
}

/// The handles of such sends that have been cancelled and not yet been waited for.
#[derive(Default)]
pub(crate) struct CancelledSends {
    /// Their number, so that a lookup costs one load as long as there are none.
    count: AtomicUsize,
    handles: SpinLock<HashSet<usize>>,
}

impl CancelledSends {
    /// Remembers a handle.
    pub(crate) fn insert(&self, handle: MPI_Request) {
        let mut handles = self.handles.lock();
        handles.insert(handle.0);
        // Relaxed: a thread that uses the handle has been told of the cancellation by the program.
        self.count.store(handles.len(), Ordering::Relaxed);
    }

    /// Whether this send has been cancelled.
    #[inline]
    pub(crate) fn contains(&self, handle: MPI_Request) -> bool {
        // Relaxed: see `insert`.
        self.count.load(Ordering::Relaxed) != 0 && self.handles.lock().contains(&handle.0)
    }

    /// Forgets a handle that has been waited for.
    #[inline]
    pub(crate) fn remove(&self, handle: MPI_Request) {
        // Relaxed: see `insert`.
        if self.count.load(Ordering::Relaxed) != 0 {
            let mut handles = self.handles.lock();
            handles.remove(&handle.0);
            self.count.store(handles.len(), Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_holds_the_receipt() {
        let own = Realm(1900).number(7);
        let last = Realm(1900).number(Realm::SIZE - 1);
        let known = [
            (0, 0, 0),
            (0, 5, 77),
            (0, NOBODY - 1, u32::MAX >> 1),
            (own, own + 5, 1),
            (own, last, 2),
        ];
        for (sender, process, number) in known {
            let completed = CompletedSend::from_parts(process, number);
            let handle = handle_of_completed_send(sender, completed);
            assert!(is_completed_send(handle));
            assert_eq!(completed_send_of_handle(sender, handle), Some(completed));
        }
        for (sender, process) in [(0, NOBODY + 9), (own, 5)] {
            let handle = handle_of_completed_send(sender, CompletedSend::from_parts(process, 1));
            assert_eq!(completed_send_of_handle(sender, handle), None);
        }
        assert!(is_completed_send(COMPLETED_SEND));
        assert_eq!(completed_send_of_handle(own, COMPLETED_SEND), None);
        assert!(!is_completed_send(MPI_Request(
            (REQUESTS as usize) << 56 | 0x1001
        )));
    }
}
