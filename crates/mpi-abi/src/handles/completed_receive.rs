//! Handles of receives that were complete when their call returned: the handle holds the status, and needs no slot in
//! the table of requests.
//!
//! | bits | what they hold |
//! |---|---|
//! | 0 to 15 | the source |
//! | 16 to 31 | the tag |
//! | 32 to 43 | the number of bytes |
//! | 44 to 55 | a number that tells the handle from those before it, for tools that look requests up by their handles |
//! | 56 to 63 | the kind, which no slot has |
//!
//! Longer messages, and those from ranks or with tags that do not fit, have requests.

use simurgh_core::sync::{AtomicU32, Ordering};
use simurgh_mpi::{ErrorCode, Status};

use super::REQUESTS;
use crate::types::MPI_Request;

const TAG: u32 = 16;
const BYTES: u32 = 32;
const NUMBER: u32 = 44;
const KIND: u32 = 56;
/// The kind of these handles.
const MARK: u64 = (REQUESTS as u64 | 0x40) << KIND;

/// The bits of a part of a handle, as a number.
const fn part(handle: u64, from: u32, to: u32) -> u64 {
    handle >> from & ((1 << (to - from)) - 1)
}

/// Makes these handles.
#[derive(Default)]
pub(crate) struct CompletedReceives(AtomicU32);

impl CompletedReceives {
    /// The handle of a receive that has succeeded, if its status fits in one.
    #[inline(always)]
    pub(crate) fn handle(&self, status: &Status) -> Option<MPI_Request> {
        // A negative number is too large, too.
        let source = u64::from(status.source.cast_unsigned());
        let tag = u64::from(status.tag.cast_unsigned());
        let fits = source >> TAG == 0 && tag >> (BYTES - TAG) == 0 && status.bytes >> (NUMBER - BYTES) == 0;
        if !fits || !status.error.is_success() || status.cancelled {
            return None;
        }
        // Relaxed, and no locked instruction: threads that get the same number have handles that are as good.
        let number = self.0.load(Ordering::Relaxed);
        self.0.store(number.wrapping_add(1), Ordering::Relaxed);
        let number = part(u64::from(number), 0, KIND - NUMBER);
        let handle = MARK | number << NUMBER | status.bytes << BYTES | tag << TAG | source;
        Some(MPI_Request(handle as usize))
    }
}

/// The status in the handle of such a receive.
#[inline(always)]
pub(crate) fn completed_receive_of_handle(handle: MPI_Request) -> Option<Status> {
    let handle = handle.0 as u64;
    (handle >> KIND == MARK >> KIND).then(|| Status {
        source: part(handle, 0, TAG) as i32,
        tag: part(handle, TAG, BYTES) as i32,
        error: ErrorCode::SUCCESS,
        bytes: part(handle, BYTES, NUMBER),
        cancelled: false,
    })
}

#[cfg(test)]
mod tests {
    use super::super::completed_send::{COMPLETED_SEND, is_completed_send};
    use super::*;
    use simurgh_mpi::ErrorClass;
    use std::collections::HashSet;

    const SHORT: Status = Status {
        source: 3,
        tag: 7,
        bytes: 8,
        ..Status::EMPTY
    };

    #[test]
    fn a_handle_holds_the_status_of_a_receive() {
        let receives = CompletedReceives::default();
        let most = Status {
            source: (1 << 16) - 1,
            tag: (1 << 16) - 1,
            bytes: (1 << 12) - 1,
            ..Status::EMPTY
        };
        for status in [
            SHORT,
            most,
            Status {
                source: 0,
                tag: 0,
                bytes: 0,
                ..SHORT
            },
        ] {
            let handle = receives.handle(&status).expect("it fits");
            assert_eq!(completed_receive_of_handle(handle), Some(status));
            assert!(!is_completed_send(handle));
        }
    }

    #[test]
    fn receives_with_the_same_status_have_different_handles() {
        let receives = CompletedReceives::default();
        let handles: HashSet<_> = (0..1 << 12)
            .map(|_| receives.handle(&SHORT).map(|handle| handle.0))
            .collect();
        assert_eq!(handles.len(), 1 << 12);
    }

    #[test]
    fn what_fits_in_no_handle_has_none() {
        let receives = CompletedReceives::default();
        let others = [
            Status::PROC_NULL,
            Status {
                source: 1 << 16,
                ..SHORT
            },
            Status {
                tag: 1 << 16,
                ..SHORT
            },
            Status {
                bytes: 1 << 12,
                ..SHORT
            },
            Status {
                cancelled: true,
                ..SHORT
            },
            Status {
                error: ErrorClass::Truncate.into(),
                ..SHORT
            },
        ];
        assert!(others.iter().all(|status| receives.handle(status).is_none()));
    }

    #[test]
    fn other_handles_hold_no_status() {
        let others = [
            COMPLETED_SEND,
            MPI_Request(0x180),
            MPI_Request((REQUESTS as usize) << 56 | 0x1001),
        ];
        assert!(
            others
                .iter()
                .all(|handle| completed_receive_of_handle(*handle).is_none())
        );
    }
}
