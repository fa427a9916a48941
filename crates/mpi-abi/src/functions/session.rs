//! Sessions and their process sets.

use std::ffi::c_int;

use simurgh_mpi::check::Checks;
use simurgh_mpi::{ErrorClass, Session};
use simurgh_mpi_abi_macros::mpi;

use super::initialise::report_leaks;
use super::{group, info};
use crate::arguments::{InOut, Out, Text, TextOut, count_of};
use crate::constants::MPI_SESSION_NULL;
use crate::error::{CallError, Outcome};
use crate::handles::{HandlerKind, Rank, handle_of};
use crate::types::{MPI_Errhandler, MPI_Group, MPI_Info, MPI_Session};
use simurgh_host as host;

/// `MPI_Session_init`: opens a session. All levels of thread support are provided, whatever `info` asks for.
#[mpi(early, raises = errhandler)]
fn session_init(
    rank: Rank<'_>,
    info: MPI_Info,
    errhandler: MPI_Errhandler,
    session: Out<MPI_Session>,
) -> Outcome {
    session.check("session")?;
    rank.hints(info)?;
    host::register();
    let handler = rank.errhandler(errhandler, HandlerKind::Session)?;
    let made = Session::init(rank.process, handler);
    session.set("session", MPI_Session(handle_of(&rank.tables.sessions, made)?))
}

/// `MPI_Session_finalize`: ends the session.
#[mpi]
fn session_finalize(rank: Rank<'_>, session: InOut<MPI_Session>) -> Outcome {
    let handle = session.get("session")?;
    let ended = rank.session(handle)?;
    check_completed(rank, ended)
        .and_then(|()| Ok(ended.finalize()?))
        .map_err(|fault| fault.on(handle))?;
    rank.tables.sessions.remove(handle.0);
    session.set(MPI_SESSION_NULL);
    report_leaks(rank);
    Ok(())
}

/// Fails if operations on the session's communicators are active: the standard demands that they are completed before.
fn check_completed(rank: Rank<'_>, session: &Session) -> Outcome {
    let active = match rank.process.job().checks() {
        Checks::Off => 0,
        Checks::Arguments | Checks::All => rank.active_requests(session.id()),
    };
    if active == 0 {
        return Ok(());
    }
    let reason =
        format!("{active} requests of the session's communicators are active: complete or free them first");
    Err(CallError::new(ErrorClass::Pending, reason))
}

/// `MPI_Session_get_info`: the properties of the session.
#[mpi(raises = session)]
fn session_get_info(rank: Rank<'_>, session: MPI_Session, info_used: Out<MPI_Info>) -> Outcome {
    info::give_out(rank, rank.session(session)?.info(), info_used)
}

/// `MPI_Session_get_num_psets`: number of process sets.
#[mpi(raises = session)]
fn session_get_num_psets(
    rank: Rank<'_>,
    session: MPI_Session,
    info: MPI_Info,
    npset_names: Out<c_int>,
) -> Outcome {
    rank.hints(info)?;
    let sets = rank.session(session)?.process_sets();
    npset_names.set("npset_names", c_int::try_from(sets.len()).unwrap_or(c_int::MAX))
}

/// `MPI_Session_get_nth_pset`: the name of a process set. `pset_len` is the size of the buffer, and then the size that
/// the name needs.
#[mpi(raises = session)]
fn session_get_nth_pset(
    rank: Rank<'_>,
    session: MPI_Session,
    info: MPI_Info,
    n: c_int,
    pset_len: InOut<c_int>,
    pset_name: TextOut,
) -> Outcome {
    rank.hints(info)?;
    let sets = rank.session(session)?.process_sets();
    let Some(set) = usize::try_from(n).ok().and_then(|n| sets.get(n)) else {
        let count = sets.len();
        let reason = format!("n is {n}, but there are {count} process sets, counted from 0");
        return Err(CallError::new(ErrorClass::Arg, reason));
    };
    let room = count_of("pset_len", pset_len.get("pset_len")?)?;
    if room > 0 {
        pset_name.set_bytes("pset_name", set.name.as_bytes(), room)?;
    }
    pset_len.set(c_int::try_from(set.name.len() + 1).unwrap_or(c_int::MAX));
    Ok(())
}

/// `MPI_Session_get_pset_info`: the properties of a process set.
#[mpi(raises = session)]
fn session_get_pset_info(
    rank: Rank<'_>,
    session: MPI_Session,
    pset_name: Text,
    info: Out<MPI_Info>,
) -> Outcome {
    let set = rank
        .session(session)?
        .process_set(&pset_name.read("pset_name")?)?;
    info::give_out(rank, set.info(), info)
}

/// `MPI_Group_from_session_pset`: the members of a process set.
#[mpi(raises = session)]
fn group_from_session_pset(
    rank: Rank<'_>,
    session: MPI_Session,
    pset_name: Text,
    newgroup: Out<MPI_Group>,
) -> Outcome {
    let made = rank.session(session)?.group(&pset_name.read("pset_name")?)?;
    group::give_out(rank, made, newgroup)
}
