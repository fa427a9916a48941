//! The error of a value that a setting cannot have.

use std::fmt;

/// A value that a setting cannot have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadValue {
    /// The option or environment variable that has it.
    pub origin: String,
    /// The value.
    pub value: String,
    /// The values that it could have, in words that follow "is not".
    pub expected: String,
}

impl fmt::Display for BadValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            origin,
            value,
            expected,
        } = self;
        write!(f, "{origin}: {value:?} is not {expected}")
    }
}

impl std::error::Error for BadValue {}
