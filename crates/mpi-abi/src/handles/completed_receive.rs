//! Handles of receives that were complete when their call returned: the handle holds the status, and needs no slot in
//! the table of requests.
//!
//! | bits | what they hold |
//! |---|---|
//! | 0 to 19 | the source |
//! | 20 to 39 | the tag |
//! | 40 to 55 | the number of bytes |
//! | 56 to 63 | the kind, which no slot has |
//!
//! Receives with the same status have the same handle. Each of them is complete, whoever waits for which.

use simurgh_mpi::{ErrorCode, Status};

use super::REQUESTS;
use crate::types::MPI_Request;

/// The kind of these handles.
const MARK: u64 = (REQUESTS as u64 | 0x40) << KIND;
const KIND: u32 = 56;
const TAG: u32 = 20;
const BYTES: u32 = 40;

/// The bits of a part of a handle, as a number.
const fn part(handle: u64, from: u32, to: u32) -> u64 {
    handle >> from & ((1 << (to - from)) - 1)
}

/// The handle of a receive that has succeeded, if its status fits in one.
#[inline(always)]
pub(crate) fn handle_of_completed_receive(status: &Status) -> Option<MPI_Request> {
    // A negative number is too large, too.
    let (source, tag) = (
        u64::from(status.source.cast_unsigned()),
        u64::from(status.tag.cast_unsigned()),
    );
    let fits = source >> TAG == 0 && tag >> (BYTES - TAG) == 0 && status.bytes >> (KIND - BYTES) == 0;
    let succeeded = status.error.is_success() && !status.cancelled;
    let handle = MARK | status.bytes << BYTES | tag << TAG | source;
    (fits && succeeded).then_some(MPI_Request(handle as usize))
}

/// The status in the handle of such a receive.
#[inline(always)]
pub(crate) fn completed_receive_of_handle(handle: MPI_Request) -> Option<Status> {
    let handle = handle.0 as u64;
    (handle >> KIND == MARK >> KIND).then(|| Status {
        source: part(handle, 0, TAG) as i32,
        tag: part(handle, TAG, BYTES) as i32,
        error: ErrorCode::SUCCESS,
        bytes: part(handle, BYTES, KIND),
        cancelled: false,
    })
}

#[cfg(test)]
mod tests {
    use super::super::completed_send::{COMPLETED_SEND, is_completed_send};
    use super::*;
    use simurgh_mpi::ErrorClass;

    const SHORT: Status = Status {
        source: 3,
        tag: 7,
        bytes: 8,
        ..Status::EMPTY
    };

    #[test]
    fn a_handle_holds_the_status_of_a_receive() {
        let most = Status {
            source: (1 << 20) - 1,
            tag: (1 << 20) - 1,
            bytes: (1 << 16) - 1,
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
            let handle = handle_of_completed_receive(&status).expect("it fits");
            assert_eq!(completed_receive_of_handle(handle), Some(status));
            assert!(!is_completed_send(handle));
        }
    }

    #[test]
    fn what_fits_in_no_handle_has_none() {
        let others = [
            Status::PROC_NULL,
            Status {
                source: 1 << 20,
                ..SHORT
            },
            Status {
                tag: 1 << 20,
                ..SHORT
            },
            Status {
                bytes: 1 << 16,
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
        assert!(
            others
                .iter()
                .all(|status| handle_of_completed_receive(status).is_none())
        );
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
