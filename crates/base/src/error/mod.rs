//! What can go wrong in a call: the class the standard names, and one line for the reader.

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
    /// An error of a class, or with a code of the program; `message` says what happened and what to do, on one line.
    #[must_use]
    pub fn new(code: impl Into<ErrorCode>, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            code: code.into(),
            message: message.into(),
            status: None,
        }
    }

    /// An error found when an operation completed: the status tells the rest (who sent how much).
    #[must_use]
    pub fn with_status(mut self, status: Status) -> Self {
        self.status = Some(Box::new(status));
        self
    }

    /// The error code.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        self.code
    }

    /// The class of the standard; [`ErrorClass::Other`] for a code of the program.
    #[must_use]
    pub fn class(&self) -> ErrorClass {
        self.code.class().unwrap_or(ErrorClass::Other)
    }

    /// What happened, on one line.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The status of the operation, if it ran and failed (a truncated message, for example).
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
