//! Sessions and their process sets.

use std::ffi::c_int;

use simurgh_mpi::Session;
use simurgh_mpi_abi_macros::mpi;

use super::group;
use crate::boundary::{InOut, Out, Text};
use crate::constants::MPI_SESSION_NULL;
use crate::fault::{Fault, Outcome};
use crate::tables::{HandlerKind, Rank, handle_of};
use crate::types::{MPI_Errhandler, MPI_Group, MPI_Info, MPI_Session};

/// `MPI_Session_init`: opens a session. All levels of thread support are provided, whatever `info` asks for.
#[mpi(early, raises = errhandler)]
fn session_init(
    rank: Rank<'_>,
    _info: MPI_Info,
    errhandler: MPI_Errhandler,
    session: Out<MPI_Session>,
) -> Outcome {
    session.check("session")?;
    let handler = rank.errhandler(errhandler, HandlerKind::Session)?;
    let made = Session::init(rank.process, handler);
    session.set("session", MPI_Session(handle_of(&rank.tables.sessions, made)?))
}

/// `MPI_Session_finalize`: ends the session.
#[mpi]
fn session_finalize(rank: Rank<'_>, session: InOut<MPI_Session>) -> Outcome {
    let handle = session.get("session")?;
    rank.session(handle)?
        .finalize()
        .map_err(|error| Box::<Fault>::from(error).on(handle))?;
    rank.tables.sessions.remove(handle.0);
    session.set(MPI_SESSION_NULL);
    Ok(())
}

/// `MPI_Session_get_num_psets`: number of process sets.
#[mpi(raises = session)]
fn session_get_num_psets(
    rank: Rank<'_>,
    session: MPI_Session,
    _info: MPI_Info,
    npset_names: Out<c_int>,
) -> Outcome {
    let sets = rank.session(session)?.process_sets();
    npset_names.set("npset_names", c_int::try_from(sets.len()).unwrap_or(c_int::MAX))
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
