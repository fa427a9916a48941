//! The entry of every call: finding the calling rank, checking that it may call, and error dispatch.

use std::ffi::c_int;

use simurgh_core::RuntimeGuard;
use simurgh_mpi::{ErrorClass, ErrorHandler, Phase, Process};

use crate::constants::{MPI_COMM_SELF, MPI_COMM_WORLD, MPI_SUCCESS};
use crate::error::{CallError, Outcome, RaisedOn};
use crate::handles::{HandleTables, Rank, UserHandler};
use crate::singleton::{self, with_process, with_process_inside};
use crate::tool;

/// Runs `body` for the calling rank, which has to be between `MPI_Init` and `MPI_Finalize` or to have a session open.
#[inline]
pub(crate) fn enter(
    inside: &RuntimeGuard,
    call: &'static str,
    raised: RaisedOn,
    body: impl FnOnce(Rank<'_>) -> Outcome,
) -> c_int {
    let code = with_process_inside(inside, |process| {
        let Some(rank) = process.and_then(Rank::active) else {
            return outside(call, process.map(|process| &**process));
        };
        match body(rank) {
            Ok(()) => MPI_SUCCESS,
            Err(fault) => fail(call, raised, rank, &fault),
        }
    });
    if simurgh_tool::on() {
        tool::deliver();
    }
    code
}

/// Runs `body` for the calling rank at any time: before `MPI_Init`, after `MPI_Finalize` and between.
pub(crate) fn early(call: &'static str, raised: RaisedOn, body: impl FnOnce(Rank<'_>) -> Outcome) -> c_int {
    singleton::adopt();
    with_process(|process| {
        let tables = process.and_then(|process| Some((process, HandleTables::of(process)?)));
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
pub(crate) fn anytime(call: &'static str, raised: RaisedOn, body: impl FnOnce() -> Outcome) -> c_int {
    let Err(fault) = body() else { return MPI_SUCCESS };
    with_process(|process| {
        let tables = process.and_then(|process| Some((process, process.extension::<HandleTables>()?)));
        match tables {
            Some((process, tables)) => fail(call, raised, Rank { process, tables }, &fault),
            None => fatal(call, process.map(|process| &**process), &fault),
        }
    })
}

/// Calls the error handler of the object that a failure is raised on, and returns the error code.
#[cold]
fn fail(call: &str, raised: RaisedOn, rank: Rank<'_>, fault: &CallError) -> c_int {
    raise(call, rank, fault.raised_on.unwrap_or(raised), fault)
}

/// Calls the error handler of an object; that of `MPI_COMM_SELF` if the handle is not valid. Returns the error code,
/// which a handler of the program may have changed.
pub(crate) fn raise(call: &str, rank: Rank<'_>, object: impl Into<RaisedOn>, fault: &CallError) -> c_int {
    let (handler, object) = handler_and_object(rank, object.into());
    match handler {
        ErrorHandler::Fatal | ErrorHandler::Abort => fatal(call, Some(rank.process), fault),
        ErrorHandler::Return => fault.code.number(),
        ErrorHandler::User(handler) => match handler.downcast::<UserHandler>() {
            Ok(handler) => handler.call(object, fault.code.number()),
            Err(_) => fault.code.number(),
        },
    }
}

/// The error handler that is responsible, and the object that it is told of.
fn handler_and_object(rank: Rank<'_>, raised: RaisedOn) -> (ErrorHandler, RaisedOn) {
    let found = match raised {
        RaisedOn::Default => None,
        RaisedOn::Comm(comm) => rank.comm(comm).ok().map(|comm| comm.errhandler()),
        RaisedOn::Session(session) => rank.session(session).ok().map(|session| session.errhandler()),
        RaisedOn::Win(win) => rank.window(win).ok().map(|entry| entry.window.errhandler()),
        RaisedOn::File(file) => return rank.file_errhandler(file),
        RaisedOn::Made(handler) => rank.any_errhandler(handler).ok(),
    };
    match (found, rank.predefined()) {
        (Some(handler), _) => (handler, raised),
        // Before MPI 4 such errors were raised on MPI_COMM_WORLD. A program that has set a handler for the world alone
        // must not be ended by that of MPI_COMM_SELF, which it has never set.
        (None, Ok(own)) if own.myself.has_initial_errhandler() => {
            (own.world.errhandler(), RaisedOn::Comm(MPI_COMM_WORLD))
        }
        (None, Ok(own)) => (own.myself.errhandler(), RaisedOn::Comm(MPI_COMM_SELF)),
        // Without a communicator the initial error handler is responsible.
        (None, Err(_)) => (rank.process.job().initial_errhandler(), raised),
    }
}

/// Fails a call before `MPI_Init` or after `MPI_Finalize`.
#[cold]
fn outside(call: &str, process: Option<&Process>) -> c_int {
    let reason = match process.map(Process::phase) {
        Some(Phase::After) => "it was called after MPI_Finalize; make MPI_Finalize the last call",
        _ => "it was called before MPI_Init; call MPI_Init first",
    };
    let fault = CallError::new(ErrorClass::Other, reason);
    match process.map(|process| process.job().initial_errhandler()) {
        Some(ErrorHandler::Return) => fault.code.number(),
        _ => fatal(call, process, &fault),
    }
}

/// Prints the error and ends the job.
#[cold]
fn fatal(call: &str, process: Option<&Process>, fault: &CallError) -> ! {
    let reason = format!("{call}: {} ({})", fault.message, fault.code);
    match process {
        // `abort` prints the line, with the rank before it.
        Some(process) => process.abort(fault.code.number(), reason),
        None => {
            eprintln!("simurgh: {reason}");
            std::process::exit(fault.code.number())
        }
    }
}
