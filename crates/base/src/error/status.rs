//! The status of a completed operation.

use super::{Error, ErrorClass, ErrorCode, Result};
use crate::constants::{ANY_SOURCE, ANY_TAG, PROC_NULL};

/// The status of a completed operation: the sender and the tag, the number of bytes that arrived, and the error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// The rank of the sender in the communicator.
    pub source: i32,
    /// The tag of the message.
    pub tag: i32,
    /// The error of the operation, or success.
    pub error: ErrorCode,
    /// The number of bytes that were delivered.
    pub bytes: u64,
    /// Whether the operation was cancelled.
    pub cancelled: bool,
}

impl Status {
    /// The status of null requests, inactive requests and sends.
    pub const EMPTY: Self = Self {
        source: ANY_SOURCE,
        tag: ANY_TAG,
        error: ErrorCode::SUCCESS,
        bytes: 0,
        cancelled: false,
    };

    /// The status of a receive from [`PROC_NULL`].
    pub const PROC_NULL: Self = Self {
        source: PROC_NULL,
        ..Self::EMPTY
    };

    /// The status of an operation that has been cancelled.
    pub const CANCELLED: Self = Self {
        cancelled: true,
        ..Self::EMPTY
    };

    /// The status itself if the operation succeeded, or else the error with which it ended.
    ///
    /// # Errors
    ///
    /// The code in [`Status::error`], with this status attached.
    #[inline(always)]
    pub fn into_result(self) -> Result<Self> {
        if self.error.is_success() {
            return Ok(self);
        }
        // In parts, so that they stay in registers: a status that is copied as a whole would be read in words that its
        // fields have just been written to.
        let Self {
            source,
            tag,
            error,
            bytes,
            cancelled,
        } = self;
        Err(Self::failed(source, tag, error, bytes, cancelled))
    }

    #[cold]
    fn failed(source: i32, tag: i32, error: ErrorCode, bytes: u64, cancelled: bool) -> Error {
        let failed = match error.class() {
            Some(ErrorClass::Truncate) => Error::new(
                ErrorClass::Truncate,
                format!(
                    "the message from rank {source} with tag {tag} is longer than the receive buffer: its first \
                     {bytes} bytes were delivered; receive into a larger buffer (a probe tells the size)"
                ),
            ),
            Some(class) => Error::new(class, class.text()),
            None => Error::new(error, "the operation failed with an error code of the program"),
        };
        failed.with_status(Self {
            source,
            tag,
            error,
            bytes,
            cancelled,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_its_own_result() {
        assert_eq!(Status::EMPTY.into_result(), Ok(Status::EMPTY));
        let truncated = Status {
            source: 1,
            tag: 2,
            bytes: 16,
            error: ErrorClass::Truncate.into(),
            ..Status::EMPTY
        };
        let error = truncated.into_result().expect_err("truncation is an error");
        assert_eq!(error.class(), ErrorClass::Truncate);
        assert!(error.message().contains("16 bytes"));
        assert_eq!(error.status(), Some(&truncated));
    }
}
