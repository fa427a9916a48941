//! Error handlers, which are invoked when a call fails.

use simurgh_core::sync::Arc;
use simurgh_settings::{Id, Values};
use std::any::Any;
use std::fmt;

/// An error handler.
///
/// The engine stores handlers and passes them on to derived communicators. The layer that the user has called invokes
/// them, because only that layer knows the name and the arguments of the call.
#[derive(Clone, Default)]
pub enum ErrorHandler {
    /// Ends the job with a message (`MPI_ERRORS_ARE_FATAL`).
    #[default]
    Fatal,
    /// Ends the processes of the communicator with a message (`MPI_ERRORS_ABORT`).
    Abort,
    /// Returns the error class to the caller (`MPI_ERRORS_RETURN`).
    Return,
    /// Calls a function of the user, in a form that only the calling layer understands.
    User(Arc<dyn Any + Send + Sync>),
}

impl ErrorHandler {
    /// The error handler of a process until the program sets another one (the setting `initial_errhandler`).
    pub(crate) fn initial(settings: &Values) -> Self {
        match settings.amount(Id::InitialErrhandler) {
            0 => Self::Fatal,
            1 => Self::Abort,
            _ => Self::Return,
        }
    }
}

impl fmt::Debug for ErrorHandler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Fatal => "Fatal",
            Self::Abort => "Abort",
            Self::Return => "Return",
            Self::User(_) => "User",
        })
    }
}
