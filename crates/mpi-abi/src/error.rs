//! The failure of a call of the C interface, before its error handler is called.

use simurgh_mpi::{Error, ErrorClass, ErrorCode};

use crate::types::{MPI_Comm, MPI_Errhandler, MPI_File, MPI_Session, MPI_Win};

/// The object on which a call raises its errors.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RaisedOn {
    /// The call has no such object, so the standard says `MPI_COMM_SELF`.
    Default,
    /// The communicator argument.
    Comm(MPI_Comm),
    /// The session argument.
    Session(MPI_Session),
    /// The window argument.
    Win(MPI_Win),
    /// The file argument; the null handle, for calls that open or delete a file.
    File(MPI_File),
    /// None yet: the call makes the object, and has its error handler as an argument.
    Made(MPI_Errhandler),
}

impl From<MPI_Comm> for RaisedOn {
    fn from(comm: MPI_Comm) -> Self {
        Self::Comm(comm)
    }
}

impl From<MPI_Session> for RaisedOn {
    fn from(session: MPI_Session) -> Self {
        Self::Session(session)
    }
}

impl From<MPI_Win> for RaisedOn {
    fn from(win: MPI_Win) -> Self {
        Self::Win(win)
    }
}

impl From<MPI_File> for RaisedOn {
    fn from(file: MPI_File) -> Self {
        Self::File(file)
    }
}

impl From<MPI_Errhandler> for RaisedOn {
    fn from(errhandler: MPI_Errhandler) -> Self {
        Self::Made(errhandler)
    }
}

/// A failed call: the error code, what happened, and what to do about it.
#[derive(Debug)]
pub struct CallError {
    /// The error code that the call returns.
    pub code: ErrorCode,
    /// The reason, with the name and the value of the argument.
    pub message: String,
    /// The object on which the error is raised, if it is not the one that the declaration names.
    pub(crate) raised_on: Option<RaisedOn>,
}

/// The result of a call, which returns nothing but its error code.
pub type Outcome = Result<(), Box<CallError>>;

/// The result of a step within a call.
pub type ResultOf<T> = Result<T, Box<CallError>>;

impl CallError {
    /// A failure of this class, or with this code of the program.
    #[cold]
    pub fn new(code: impl Into<ErrorCode>, message: impl Into<String>) -> Box<Self> {
        Box::new(Self {
            code: code.into(),
            message: message.into(),
            raised_on: None,
        })
    }

    /// A null pointer where the parameter `name` needs an address.
    #[cold]
    pub(crate) fn null(name: &str) -> Box<Self> {
        let reason = format!("{name} is NULL: pass the address of a variable");
        Self::new(ErrorClass::Arg, reason)
    }

    /// The same failure, raised on `object`.
    #[must_use]
    pub(crate) fn on(mut self: Box<Self>, object: impl Into<RaisedOn>) -> Box<Self> {
        self.raised_on = Some(object.into());
        self
    }
}

impl From<Error> for Box<CallError> {
    #[cold]
    fn from(error: Error) -> Self {
        CallError::new(error.code(), error.message())
    }
}

impl From<Box<CallError>> for Error {
    #[cold]
    fn from(fault: Box<CallError>) -> Self {
        Self::new(fault.code, fault.message)
    }
}
