//! Errors of calls: the class that the standard names, and a message of one line for the user.

mod class;
mod code;
mod codes;
mod status;
mod tool_class;

pub use class::ErrorClass;
pub use code::ErrorCode;
pub use codes::ErrorCodes;
pub use status::Status;

use std::borrow::Cow;

/// The result of an engine call.
pub type Result<T> = std::result::Result<T, Error>;

/// A failed call: its error code and a one-line message for the user.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    code: ErrorCode,
    message: Cow<'static, str>,
    status: Option<Box<Status>>,
}

impl Error {
    /// An error with a class, or with a code of the program. `message` says on one line what happened and what to do.
    #[must_use]
    pub fn new(code: impl Into<ErrorCode>, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            code: code.into(),
            message: message.into(),
            status: None,
        }
    }

    /// An error that was found when an operation completed. The status holds the rest, such as the sender and the size.
    #[must_use]
    pub fn with_status(mut self, status: Status) -> Self {
        self.status = Some(Box::new(status));
        self
    }

    /// The error code of the call.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        self.code
    }

    /// The class of the standard, or [`ErrorClass::Other`] for a code of the program.
    #[must_use]
    pub fn class(&self) -> ErrorClass {
        self.code.class().unwrap_or(ErrorClass::Other)
    }

    /// The message of the error, on one line.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The status of the operation, if it ran and failed (because a message was truncated, for example).
    #[must_use]
    pub fn status(&self) -> Option<&Status> {
        self.status.as_deref()
    }
}

impl PartialEq for Error {
    fn eq(&self, other: &Self) -> bool {
        self.code == other.code
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_prints_its_message() {
        let error = Error::new(ErrorClass::Rank, "rank 9 is not in this communicator of 4");
        assert_eq!(error.to_string(), "rank 9 is not in this communicator of 4");
        assert_eq!(error.class(), ErrorClass::Rank);
        assert!(error.status().is_none());
    }

    #[test]
    fn an_error_of_completion_carries_the_status() {
        let status = Status {
            source: 3,
            tag: 5,
            bytes: 8,
            ..Status::EMPTY
        };
        let error = Error::new(ErrorClass::Truncate, "too long").with_status(status);
        assert_eq!(error.status().map(|status| status.source), Some(3));
    }
}
