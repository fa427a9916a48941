//! Initialisation and finalisation.

use std::ffi::{c_char, c_int};

use simurgh_mpi::check::Checks;
use simurgh_mpi::{ErrorClass, Phase, ThreadLevel};
use simurgh_mpi_abi_macros::mpi;

use crate::arguments::{InOut, Out};
use crate::constants::*;
use crate::error::{CallError, Outcome, ResultOf};
use crate::handles::{HandleTables, Rank};
use crate::singleton;
use crate::singleton::with_process;
use crate::types::MPI_Comm;
use simurgh_host::{self as host, Moment, say};

/// Initialises the calling rank, for the level of thread support that is `required`.
fn initialise(required: ThreadLevel) -> ResultOf<ThreadLevel> {
    singleton::adopt();
    host::join();
    with_process(|process| {
        let Some(process) = process else {
            return Err(CallError::new(
                ErrorClass::Intern,
                "the calling thread has no rank",
            ));
        };
        process.init_thread(required)?;
        let provided = process.thread_level();
        if provided < ThreadLevel::Multiple {
            // SAFETY:
            // - of the program's threads only one calls MPI at a time, as it has been told; who is promised more is so
            //   by `Process::promise`, which ends this. No other threads use what is locked with these turns.
            unsafe { process.serialized().begin() };
            host::bias_locks();
        }
        let tables = HandleTables::of(process).ok_or_else(no_tables)?;
        tables.begin(process, simurgh_core::current().id())?;
        host::note_heap(Moment::Initialised);
        Ok(provided)
    })
}

#[cold]
fn no_tables() -> Box<CallError> {
    CallError::new(ErrorClass::Intern, "the process belongs to another interface")
}

/// `MPI_Init`: initialises MPI.
#[mpi]
fn init(_argc: InOut<c_int>, _argv: InOut<*mut *mut c_char>) -> Outcome {
    initialise(ThreadLevel::Single).map(drop)
}

/// `MPI_Init_thread`: initialises MPI with thread support. All levels are supported: `provided` is the one that is
/// required, unless a higher one has been promised before.
#[mpi]
fn init_thread(
    _argc: InOut<c_int>,
    _argv: InOut<*mut *mut c_char>,
    required: c_int,
    provided: Out<c_int>,
) -> Outcome {
    provided.check("provided")?;
    let required = level(required)?;
    provided.set("provided", initialise(required)? as c_int)
}

/// The level of thread support with this number.
pub(super) fn level(required: c_int) -> ResultOf<ThreadLevel> {
    match required {
        MPI_THREAD_SINGLE => Ok(ThreadLevel::Single),
        MPI_THREAD_FUNNELED => Ok(ThreadLevel::Funneled),
        MPI_THREAD_SERIALIZED => Ok(ThreadLevel::Serialized),
        MPI_THREAD_MULTIPLE => Ok(ThreadLevel::Multiple),
        _ => {
            let reason = format!(
                "required is {required}; pass MPI_THREAD_SINGLE, _FUNNELED, _SERIALIZED or _MULTIPLE"
            );
            Err(CallError::new(ErrorClass::Arg, reason))
        }
    }
}

/// `MPI_Finalize`: finalizes MPI.
#[mpi]
fn finalize(rank: Rank<'_>) -> Outcome {
    host::note_heap(Moment::Finalizing);
    // The delete functions of attributes may still call MPI; the standard provides them for that.
    for comm in [MPI_COMM_SELF, MPI_COMM_WORLD] {
        rank.tables.cache.delete_all(comm.0)?;
    }
    rank.process.finalize()?;
    rank.tables.end();
    report_leaks(rank);
    host::leave(rank.process);
    Ok(())
}

/// Reports what the rank has not freed, where all checks are on and its use of MPI has ended.
pub(super) fn report_leaks(rank: Rank<'_>) {
    if rank.process.job().checks() == Checks::All && rank.process.check_active().is_err() {
        for leak in rank.leaks() {
            say(&leak);
        }
    }
}

/// `MPI_Abort`: ends the job. It may be called at any time, but before `MPI_Init` and after `MPI_Finalize` the
/// communicator is not looked at.
#[mpi(early)]
fn abort(rank: Rank<'_>, comm: MPI_Comm, errorcode: c_int) -> Outcome {
    if rank.process.check_active().is_ok() && comm != MPI_COMM_WORLD {
        rank.comm(comm)?;
    }
    rank.process.abort(errorcode, "it called MPI_Abort")
}

fn phase() -> Phase {
    with_process(|process| process.map_or(Phase::Before, |process| process.phase()))
}

/// `MPI_Initialized`: whether [`PMPI_Init`] has been called.
#[mpi]
fn initialized(flag: Out<c_int>) -> Outcome {
    flag.set("flag", c_int::from(phase() != Phase::Before))
}

/// `MPI_Finalized`: whether [`PMPI_Finalize`] has been called.
#[mpi]
fn finalized(flag: Out<c_int>) -> Outcome {
    flag.set("flag", c_int::from(phase() == Phase::After))
}

/// `MPI_Query_thread`: the level of thread support, which rises to the highest with the first session.
#[mpi]
fn query_thread(rank: Rank<'_>, provided: Out<c_int>) -> Outcome {
    provided.set("provided", rank.process.thread_level() as c_int)
}

/// `MPI_Is_thread_main`: whether the calling thread is the one that called [`PMPI_Init`].
#[mpi]
fn is_thread_main(rank: Rank<'_>, flag: Out<c_int>) -> Outcome {
    let this = simurgh_core::current().id();
    // Where only sessions are open, no thread has called it.
    let main = rank.predefined().is_ok_and(|own| own.main_context == this);
    flag.set("flag", c_int::from(main))
}
