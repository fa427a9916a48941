//! Duplicating communicators, and their hints.

use std::sync::Arc;

use simurgh_core::Purpose;
use simurgh_mpi::{Comm, Info};
use simurgh_mpi_abi_macros::mpi;

use super::info::give_out as give_out_info;
use crate::arguments::Out;
use crate::constants::MPI_COMM_NULL;
use crate::error::Outcome;
use crate::handles::{Rank, handle_of};
use crate::types::{MPI_Comm, MPI_Info, MPI_Request};

/// Stores the handle of a duplicate, and copies the attributes as their keys say.
fn give_out(rank: Rank<'_>, original: MPI_Comm, made: Arc<Comm>, newcomm: Out<MPI_Comm>) -> Outcome {
    let handle = handle_of(&rank.tables.comms, made)?;
    if let Err(error) = rank.tables.cache.copy(original.0, handle) {
        rank.tables.comms.remove(handle);
        newcomm.set("newcomm", MPI_COMM_NULL)?;
        return Err(error.into());
    }
    newcomm.set("newcomm", MPI_Comm(handle))
}

/// `MPI_Comm_dup`: a duplicate, without the hints.
#[mpi(raises = comm)]
fn comm_dup(rank: Rank<'_>, comm: MPI_Comm, newcomm: Out<MPI_Comm>) -> Outcome {
    newcomm.check("newcomm")?;
    give_out(rank, comm, rank.comm(comm)?.dup()?, newcomm)
}

/// `MPI_Comm_dup_with_info`: a duplicate with hints of its own.
#[mpi(raises = comm)]
fn comm_dup_with_info(rank: Rank<'_>, comm: MPI_Comm, info: MPI_Info, newcomm: Out<MPI_Comm>) -> Outcome {
    newcomm.check("newcomm")?;
    let (original, hints) = (rank.comm(comm)?, rank.hints(info)?);
    let made = original.dup()?;
    made.set_info(&hints);
    give_out(rank, comm, made, newcomm)
}

/// `MPI_Comm_idup`: a duplicate that no rank waits for; it exists when the call returns.
#[mpi(raises = comm)]
fn comm_idup(rank: Rank<'_>, comm: MPI_Comm, newcomm: Out<MPI_Comm>, request: Out<MPI_Request>) -> Outcome {
    newcomm.check("newcomm")?;
    request.check("request")?;
    let (made, done) = rank.comm(comm)?.idup()?;
    give_out(rank, comm, made, newcomm)?;
    request.set("request", rank.request_handle(done, comm)?)
}

/// `MPI_Comm_idup_with_info`: a duplicate with hints of its own that no rank waits for.
#[mpi(raises = comm)]
fn comm_idup_with_info(
    rank: Rank<'_>,
    comm: MPI_Comm,
    info: MPI_Info,
    newcomm: Out<MPI_Comm>,
    request: Out<MPI_Request>,
) -> Outcome {
    newcomm.check("newcomm")?;
    request.check("request")?;
    let (original, hints) = (rank.comm(comm)?, rank.hints(info)?);
    let (made, done) = original.idup()?;
    made.set_info(&hints);
    give_out(rank, comm, made, newcomm)?;
    request.set("request", rank.request_handle(done, comm)?)
}

/// `MPI_Comm_set_info`: sets hints, which are promises about the use of the communicator, or wishes about where the
/// calling rank runs.
#[mpi(raises = comm)]
fn comm_set_info(rank: Rank<'_>, comm: MPI_Comm, info: MPI_Info) -> Outcome {
    let comm = rank.comm(comm)?;
    let hints = rank.read_info(info, Clone::clone)?;
    comm.set_info(&hints);
    follow_wishes(&hints);
    Ok(())
}

/// Does what the hints wish for the calling rank: they say what its phase is about, and on which virtual processor it
/// goes on. A wish that cannot be met is ignored, as hints are.
fn follow_wishes(hints: &Info) {
    if let Some(purpose) = hints.text("simurgh_purpose").and_then(Purpose::named) {
        simurgh_core::set_purpose(purpose);
    }
    let vp = hints.text("simurgh_virtual_processor");
    if let Some(vp) = vp.and_then(|vp| vp.trim().parse().ok()) {
        simurgh_core::move_to(vp);
    }
}

/// `MPI_Comm_get_info`: the hints in effect.
#[mpi(raises = comm)]
fn comm_get_info(rank: Rank<'_>, comm: MPI_Comm, info_used: Out<MPI_Info>) -> Outcome {
    give_out_info(rank, rank.comm(comm)?.info(), info_used)
}
