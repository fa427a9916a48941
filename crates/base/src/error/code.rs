//! Error codes: the numbers that calls return.

use super::ErrorClass;
use std::fmt;

/// An error code: one of the standard's classes, or a class or code that the program has added.
///
/// The engine's own errors are classes. Any other number comes from the program, which got it from `MPI_Add_error_code`
/// or returned it from one of its callbacks. It reaches the caller unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ErrorCode(i32);

impl ErrorCode {
    /// No error.
    pub const SUCCESS: Self = Self(0);

    /// Makes the code with this number.
    #[inline]
    #[must_use]
    pub const fn new(number: i32) -> Self {
        Self(number)
    }

    /// The number of the code.
    #[inline]
    #[must_use]
    pub const fn number(self) -> i32 {
        self.0
    }

    /// Whether the code is [`ErrorCode::SUCCESS`].
    #[inline]
    #[must_use]
    pub const fn is_success(self) -> bool {
        self.0 == 0
    }

    /// The class of the code, if the code is a class of the standard.
    #[inline]
    #[must_use]
    pub fn class(self) -> Option<ErrorClass> {
        ErrorClass::from_code(self.0)
    }

    /// Success, or an error with this code and its own message.
    ///
    /// # Errors
    ///
    /// This code, unless it is [`ErrorCode::SUCCESS`].
    #[inline]
    pub fn check(self, message: impl FnOnce() -> String) -> super::Result<()> {
        if self.is_success() {
            Ok(())
        } else {
            Err(super::Error::new(self, message()))
        }
    }
}

impl fmt::Display for ErrorCode {
    /// Writes the symbol of a class of the standard, and the number of any other code.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.class() {
            Some(class) => f.write_str(class.symbol()),
            None => write!(f, "error code {}", self.0),
        }
    }
}

impl From<ErrorClass> for ErrorCode {
    #[inline]
    fn from(class: ErrorClass) -> Self {
        Self(class.code())
    }
}

impl PartialEq<ErrorClass> for ErrorCode {
    #[inline]
    fn eq(&self, class: &ErrorClass) -> bool {
        self.0 == class.code()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_is_a_code() {
        let code = ErrorCode::from(ErrorClass::Rank);
        assert_eq!((code.number(), code.class()), (6, Some(ErrorClass::Rank)));
        assert_eq!(code, ErrorClass::Rank);
        assert!(!code.is_success() && ErrorCode::SUCCESS.is_success());
    }

    #[test]
    fn a_code_of_the_program_is_no_class_of_the_standard() {
        assert_eq!(ErrorCode::new(0x4000).class(), None);
        let error = ErrorCode::new(-17)
            .check(|| "the callback failed".to_owned())
            .unwrap_err();
        assert_eq!(error.code().number(), -17);
        assert_eq!(ErrorCode::SUCCESS.check(|| unreachable!()), Ok(()));
    }
}
