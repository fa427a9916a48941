//! Communicators: inquiry, names and release.

use std::ffi::c_int;
use std::sync::Arc;

use simurgh_mpi::{Comm, ErrorClass};
use simurgh_mpi_abi_macros::mpi;

use super::group;
use crate::arguments::{InOut, Out, Text, TextOut};
use crate::constants::{MPI_COMM_NULL, MPI_COMM_SELF, MPI_COMM_WORLD, MPI_MAX_OBJECT_NAME};
use crate::error::{CallError, Outcome};
use crate::handles::Rank;
use crate::types::{MPI_Comm, MPI_Group};

/// `MPI_Comm_size`: number of ranks.
#[mpi(raises = comm)]
fn comm_size(rank: Rank<'_>, comm: MPI_Comm, size: Out<c_int>) -> Outcome {
    size.set("size", rank.comm(comm)?.size() as c_int)
}

/// `MPI_Comm_rank`: the caller's rank.
#[mpi(raises = comm)]
fn comm_rank(rank: Rank<'_>, comm: MPI_Comm, rank_: Out<c_int>) -> Outcome {
    rank_.set("rank", rank.comm(comm)?.rank() as c_int)
}

/// `MPI_Comm_compare`: whether two communicators have the same ranks, order and context.
#[mpi(raises = comm1)]
fn comm_compare(rank: Rank<'_>, comm1: MPI_Comm, comm2: MPI_Comm, result: Out<c_int>) -> Outcome {
    result.set("result", rank.comm(comm1)?.compare(rank.comm(comm2)?) as c_int)
}

/// `MPI_Comm_group`: the group of the communicator's processes.
#[mpi(raises = comm)]
fn comm_group(rank: Rank<'_>, comm: MPI_Comm, group: Out<MPI_Group>) -> Outcome {
    group::give_out(rank, rank.comm(comm)?.group().clone(), group)
}

/// `MPI_Comm_free`: frees the communicator; pending operations keep it.
#[mpi]
fn comm_free(rank: Rank<'_>, comm: InOut<MPI_Comm>) -> Outcome {
    release(rank, comm, "freed", |comm| Ok(comm.free()?))
}

/// Voids the handle of a communicator and releases the communicator by `give_back`; `verb` is for error messages.
pub(super) fn release(
    rank: Rank<'_>,
    comm: InOut<MPI_Comm>,
    verb: &str,
    give_back: impl FnOnce(Arc<Comm>) -> Outcome,
) -> Outcome {
    let handle = comm.get("comm")?;
    if handle == MPI_COMM_WORLD || handle == MPI_COMM_SELF {
        let reason = format!("comm is MPI_COMM_WORLD or MPI_COMM_SELF, which cannot be {verb}");
        return Err(CallError::new(ErrorClass::Comm, reason).on(handle));
    }
    rank.comm(handle)?;
    rank.tables
        .cache
        .delete_all(handle.0)
        .map_err(|error| Box::<CallError>::from(error).on(handle))?;
    if let Some(comm) = rank.tables.comms.remove(handle.0) {
        rank.tables.parent.lock().take_if(|parent| *parent == handle);
        give_back(comm)?;
    }
    comm.set(MPI_COMM_NULL);
    Ok(())
}

/// `MPI_Comm_get_name`: the communicator's name; the null handle has one, too.
#[mpi(raises = comm)]
fn comm_get_name(rank: Rank<'_>, comm: MPI_Comm, comm_name: TextOut, resultlen: Out<c_int>) -> Outcome {
    let name = match comm {
        MPI_COMM_NULL => "MPI_COMM_NULL".to_owned(),
        _ => rank.comm(comm)?.name(),
    };
    comm_name.set("comm_name", &name, MPI_MAX_OBJECT_NAME, resultlen)
}

/// `MPI_Comm_set_name`: gives the communicator a name.
#[mpi(raises = comm)]
fn comm_set_name(rank: Rank<'_>, comm: MPI_Comm, comm_name: Text) -> Outcome {
    let name = comm_name.read("comm_name")?;
    rank.comm(comm)?.set_name(&name);
    Ok(())
}
