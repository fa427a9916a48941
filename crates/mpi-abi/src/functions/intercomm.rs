//! Inter-communicators.

use std::ffi::c_int;

use simurgh_mpi::ErrorClass;
use simurgh_mpi_abi_macros::mpi;

use super::comm_create::give_out;
use super::group;
use crate::arguments::Out;
use crate::error::{CallError, Outcome};
use crate::handles::Rank;
use crate::types::{MPI_Comm, MPI_Group};

#[cold]
fn not_inter() -> Box<CallError> {
    let reason = "comm has one group only: it is no inter-communicator; MPI_Comm_test_inter tells";
    CallError::new(ErrorClass::Comm, reason)
}

/// `MPI_Comm_test_inter`: whether it is an inter-communicator.
#[mpi(raises = comm)]
fn comm_test_inter(rank: Rank<'_>, comm: MPI_Comm, flag: Out<c_int>) -> Outcome {
    flag.set("flag", c_int::from(rank.comm(comm)?.is_inter()))
}

/// `MPI_Comm_remote_size`: number of ranks in the remote group.
#[mpi(raises = comm)]
fn comm_remote_size(rank: Rank<'_>, comm: MPI_Comm, size: Out<c_int>) -> Outcome {
    let remote = rank.comm(comm)?.remote_group().ok_or_else(not_inter)?;
    size.set("size", remote.size() as c_int)
}

/// `MPI_Comm_remote_group`: the remote group.
#[mpi(raises = comm)]
fn comm_remote_group(rank: Rank<'_>, comm: MPI_Comm, group: Out<MPI_Group>) -> Outcome {
    let remote = rank.comm(comm)?.remote_group().ok_or_else(not_inter)?;
    group::give_out(rank, remote.clone(), group)
}

/// `MPI_Intercomm_create`: an inter-communicator of two groups whose leaders have a communicator in common.
#[mpi(raises = local_comm)]
fn intercomm_create(
    rank: Rank<'_>,
    local_comm: MPI_Comm,
    local_leader: c_int,
    peer_comm: MPI_Comm,
    remote_leader: c_int,
    tag: c_int,
    newintercomm: Out<MPI_Comm>,
) -> Outcome {
    newintercomm.check("newintercomm")?;
    let local = rank.comm(local_comm)?;
    // At ranks other than the leader it may be anything.
    let peer = rank.comm(peer_comm).ok();
    let made = local.create_inter(local_leader, peer.map(|peer| &**peer), remote_leader, tag)?;
    give_out(rank, Some(made), newintercomm)
}

/// `MPI_Intercomm_merge`: one communicator of both groups.
#[mpi(raises = intercomm)]
fn intercomm_merge(rank: Rank<'_>, intercomm: MPI_Comm, high: c_int, newintracomm: Out<MPI_Comm>) -> Outcome {
    newintracomm.check("newintracomm")?;
    let made = rank.comm(intercomm)?.merge(high != 0)?;
    give_out(rank, Some(made), newintracomm)
}
