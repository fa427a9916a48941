//! What can go wrong in a call: the class the standard names, and one line for the reader.

mod class;

pub use class::ErrorClass;

use crate::status::Status;
use std::borrow::Cow;

/// The result of an engine call.
pub type Result<T> = std::result::Result<T, Error>;

/// A failed call: its class and a one-line message for the user.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    class: ErrorClass,
    message: Cow<'static, str>,
    status: Option<Box<Status>>,
}

impl Error {
    /// An error of `class`; `message` says what happened and what to do, on one line.
    #[must_use]
    pub fn new(class: ErrorClass, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            class,
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

    /// The class of the standard.
    #[must_use]
    pub fn class(&self) -> ErrorClass {
        self.class
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
        self.class == other.class
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
