//! What surrounds every call: who calls, whether it may, and what happens when it fails.

use std::ffi::c_int;
use std::sync::Arc;

use simurgh_mpi::{ErrorClass, ErrorHandler, Phase, Process};

use crate::constants::{MPI_COMM_SELF, MPI_SUCCESS};
use crate::fault::{Fault, Outcome};
use crate::singleton;
use crate::tables::{Rank, Tables, UserHandler};
use crate::types::MPI_Comm;

/// The object on which a call raises its errors.
#[derive(Clone, Copy)]
pub(crate) enum Raised {
    /// The call has no such object: the standard says `MPI_COMM_SELF`.
    Default,
    /// The communicator that was passed.
    Comm(MPI_Comm),
}

impl From<MPI_Comm> for Raised {
    fn from(comm: MPI_Comm) -> Self {
        Self::Comm(comm)
    }
}

/// Runs `body` for the calling rank, which has to be between `MPI_Init` and `MPI_Finalize` or to have a session open.
#[inline]
pub(crate) fn enter(call: &'static str, raised: Raised, body: impl FnOnce(Rank<'_>) -> Outcome) -> c_int {
    with_process(|process| {
        let tables = process.and_then(|process| Some((process, process.extension::<Tables>()?)));
        match tables {
            Some((process, tables)) if process.check_active().is_ok() => {
                let rank = Rank { process, tables };
                match body(rank) {
                    Ok(()) => MPI_SUCCESS,
                    Err(fault) => fail(call, raised, rank, &fault),
                }
            }
            _ => outside(call, process.map(|process| &**process)),
        }
    })
}

/// Runs `body` for the calling rank at any time: before `MPI_Init`, after `MPI_Finalize` and between.
pub(crate) fn early(call: &'static str, raised: Raised, body: impl FnOnce(Rank<'_>) -> Outcome) -> c_int {
    singleton::adopt();
    with_process(|process| {
        let tables = process.and_then(|process| Some((process, Tables::of(process)?)));
        let Some((process, tables)) = tables else {
            return outside(call, process.map(|process| &**process));
        };
        let rank = Rank { process, tables };
        match body(rank) {
            Ok(()) => MPI_SUCCESS,
            Err(fault) => fail(call, raised, rank, &fault),
        }
    })
}

/// Runs `body`, which needs no rank and may be called at any time.
pub(crate) fn anytime(call: &'static str, raised: Raised, body: impl FnOnce() -> Outcome) -> c_int {
    let Err(fault) = body() else { return MPI_SUCCESS };
    with_process(|process| {
        let tables = process.and_then(|process| Some((process, process.extension::<Tables>()?)));
        match tables {
            Some((process, tables)) => fail(call, raised, Rank { process, tables }, &fault),
            None => fatal(call, process.map(|process| &**process), &fault),
        }
    })
}

/// Finds the process of the calling thread, which may be a thread that a program of one rank has started.
#[inline]
pub(crate) fn with_process<R>(body: impl FnOnce(Option<&Arc<Process>>) -> R) -> R {
    Process::with_current(|current| match current {
        Some(process) => body(Some(process)),
        None => singleton::with(body),
    })
}

/// Hands a failure to the error handler of the object it is raised on, and returns the error code.
#[cold]
fn fail(call: &str, raised: Raised, rank: Rank<'_>, fault: &Fault) -> c_int {
    let comm = match (fault.raised_on, raised) {
        (Some(comm), _) | (None, Raised::Comm(comm)) => comm,
        (None, Raised::Default) => MPI_COMM_SELF,
    };
    raise(call, rank, comm, fault);
    fault.code.number()
}

/// Calls the error handler of a communicator; of the process's own one if the handle is not valid.
pub(crate) fn raise(call: &str, rank: Rank<'_>, handle: MPI_Comm, fault: &Fault) {
    let found = rank.comm(handle).map(|comm| (handle, comm));
    let found = found.or_else(|_| rank.predefined().map(|own| (MPI_COMM_SELF, &own.myself)));
    // Without a communicator the initial error handler counts.
    let handler = found
        .as_ref()
        .map_or(ErrorHandler::Fatal, |(_, comm)| comm.errhandler());
    match handler {
        ErrorHandler::Fatal | ErrorHandler::Abort => fatal(call, Some(rank.process), fault),
        ErrorHandler::Return => {}
        ErrorHandler::User(handler) => {
            if let (Ok(handler), Ok((handle, _))) = (handler.downcast::<UserHandler>(), found) {
                handler.call(handle, fault.code.number());
            }
        }
    }
}

/// A call before `MPI_Init` or after `MPI_Finalize`.
#[cold]
fn outside(call: &str, process: Option<&Process>) -> c_int {
    let reason = match process.map(Process::phase) {
        Some(Phase::After) => "it was called after MPI_Finalize; make MPI_Finalize the last call",
        _ => "it was called before MPI_Init; call MPI_Init first",
    };
    fatal(call, process, &Fault::new(ErrorClass::Other, reason))
}

/// Says what went wrong and ends the job.
#[cold]
fn fatal(call: &str, process: Option<&Process>, fault: &Fault) -> ! {
    let reason = format!("{call}: {} ({})", fault.message, fault.code);
    match process {
        // What ends the job prints the line, with the rank before it.
        Some(process) => process.abort(fault.code.number(), reason),
        None => {
            eprintln!("simurgh: {reason}");
            std::process::exit(fault.code.number())
        }
    }
}
