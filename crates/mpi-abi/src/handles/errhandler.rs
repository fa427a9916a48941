//! Error handlers that are functions of the program.

use std::ffi::c_int;
use std::sync::Arc;

use simurgh_core::sync::SpinLock;
use simurgh_mpi::{ErrorClass, ErrorHandler};

use super::{Rank, Slab};
use crate::constants::{
    MPI_COMM_NULL, MPI_ERRORS_ABORT, MPI_ERRORS_ARE_FATAL, MPI_ERRORS_RETURN, MPI_FILE_NULL,
    MPI_SESSION_NULL, MPI_WIN_NULL,
};
use crate::error::{CallError, RaisedOn, ResultOf};
use crate::types::{
    MPI_Comm_errhandler_function, MPI_Errhandler, MPI_File_errhandler_function,
    MPI_Session_errhandler_function, MPI_Win_errhandler_function,
};

/// A user-defined error handler. It lives as long as a communicator or a handle refers to it.
///
/// All handles of one error handler are the same number, however often the program has asked for it. The handle is void
/// after as many frees.
pub(crate) struct UserHandler {
    function: HandlerFunction,
    named: SpinLock<Named>,
}

/// The function of an error handler, by the kind of object it is for.
#[derive(Clone, Copy)]
pub(crate) enum HandlerFunction {
    Comm(MPI_Comm_errhandler_function),
    Session(MPI_Session_errhandler_function),
    Win(MPI_Win_errhandler_function),
    File(MPI_File_errhandler_function),
}

/// A kind of object that has an error handler.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum HandlerKind {
    Comm,
    Session,
    Win,
    File,
}

/// The handle of an error handler and how many times it was given out.
#[derive(Default)]
struct Named {
    handle: usize,
    times: usize,
}

impl UserHandler {
    pub(crate) fn new(function: HandlerFunction) -> Arc<Self> {
        Arc::new(Self {
            function,
            named: SpinLock::new(Named::default()),
        })
    }

    /// Returns the handle, and counts it; `None` if the table is full.
    pub(crate) fn give_out(self: &Arc<Self>, table: &Slab<Arc<Self>>) -> Option<MPI_Errhandler> {
        let mut named = self.named.lock();
        if named.times == 0 {
            named.handle = table.insert(Arc::clone(self)).ok()?;
        }
        named.times += 1;
        Some(MPI_Errhandler(named.handle))
    }

    /// Frees the handle once.
    pub(crate) fn take_back(&self, table: &Slab<Arc<Self>>) {
        let mut named = self.named.lock();
        named.times -= 1;
        if named.times == 0 {
            table.remove(named.handle);
        }
    }

    /// Whether the function takes errors of this kind of object.
    pub(crate) fn is_for(&self, kind: HandlerKind) -> bool {
        match self.function {
            HandlerFunction::Comm(_) => kind == HandlerKind::Comm,
            HandlerFunction::Session(_) => kind == HandlerKind::Session,
            HandlerFunction::Win(_) => kind == HandlerKind::Win,
            HandlerFunction::File(_) => kind == HandlerKind::File,
        }
    }

    /// Calls the program's function. Returns the code that the call is to return, which the function may change.
    pub(crate) fn call(&self, object: RaisedOn, mut code: c_int) -> c_int {
        match self.function {
            HandlerFunction::Comm(function) => {
                let mut comm = match object {
                    RaisedOn::Comm(comm) => comm,
                    _ => MPI_COMM_NULL,
                };
                // SAFETY:
                // - the program gave this function as an error handler of communicators, so it takes these arguments;
                // - both pointers are valid for the call.
                unsafe { function(&raw mut comm, &raw mut code) };
            }
            HandlerFunction::Session(function) => {
                let mut session = match object {
                    RaisedOn::Session(session) => session,
                    _ => MPI_SESSION_NULL,
                };
                // SAFETY:
                // - as above, of sessions.
                unsafe { function(&raw mut session, &raw mut code) };
            }
            HandlerFunction::Win(function) => {
                let mut win = match object {
                    RaisedOn::Win(win) => win,
                    _ => MPI_WIN_NULL,
                };
                // SAFETY:
                // - as above, of windows.
                unsafe { function(&raw mut win, &raw mut code) };
            }
            HandlerFunction::File(function) => {
                let mut file = match object {
                    RaisedOn::File(file) => file,
                    _ => MPI_FILE_NULL,
                };
                // SAFETY:
                // - as above, of files.
                unsafe { function(&raw mut file, &raw mut code) };
            }
        }
        code
    }
}

#[cold]
fn no_room() -> Box<CallError> {
    let reason = "too many error handlers are alive; free those not used";
    CallError::new(ErrorClass::Intern, reason)
}

impl Rank<'_> {
    /// The error handler behind a handle, for any kind of object.
    pub(crate) fn any_errhandler(self, handle: MPI_Errhandler) -> ResultOf<ErrorHandler> {
        Ok(match handle {
            MPI_ERRORS_ARE_FATAL => ErrorHandler::Fatal,
            MPI_ERRORS_ABORT => ErrorHandler::Abort,
            MPI_ERRORS_RETURN => ErrorHandler::Return,
            _ => ErrorHandler::User(Arc::clone(self.user_handler(handle)?) as _),
        })
    }

    /// The error handler behind a handle, for this kind of object.
    pub(crate) fn errhandler(self, handle: MPI_Errhandler, kind: HandlerKind) -> ResultOf<ErrorHandler> {
        let handler = self.any_errhandler(handle)?;
        match &handler {
            ErrorHandler::User(_) if !self.user_handler(handle)?.is_for(kind) => {
                let reason = format!(
                    "errhandler is {:#x}, which was made for another kind of object",
                    handle.0
                );
                Err(CallError::new(ErrorClass::Errhandler, reason))
            }
            _ => Ok(handler),
        }
    }

    /// The handle of an object's error handler.
    pub(crate) fn errhandler_handle(self, handler: ErrorHandler) -> ResultOf<MPI_Errhandler> {
        Ok(match handler {
            ErrorHandler::Fatal => MPI_ERRORS_ARE_FATAL,
            ErrorHandler::Abort => MPI_ERRORS_ABORT,
            ErrorHandler::Return => MPI_ERRORS_RETURN,
            ErrorHandler::User(handler) => {
                let handler = handler.downcast::<UserHandler>().map_err(|_| no_room())?;
                handler.give_out(&self.tables.errhandlers).ok_or_else(no_room)?
            }
        })
    }

    /// The handle of a new error handler.
    pub(crate) fn new_errhandler(self, function: HandlerFunction) -> ResultOf<MPI_Errhandler> {
        UserHandler::new(function)
            .give_out(&self.tables.errhandlers)
            .ok_or_else(no_room)
    }
}
