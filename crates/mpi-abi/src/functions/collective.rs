//! Blocking collectives that move data.

use std::ffi::c_int;

use simurgh_mpi::memory::Parts;
use simurgh_mpi::{Collective, Rooted};
use simurgh_mpi_abi_macros::mpi;

use super::aliasing::{self, RECEIVE_IN_PLACE, SEND_IN_PLACE};
use crate::arguments::{Array, Buffer, BufferMut};
use crate::error::{Outcome, ResultOf};
use crate::handles::{Rank, sources, targets};
use crate::types::{MPI_Comm, MPI_Datatype};

/// `MPI_Barrier`: waits until all ranks have called it.
#[mpi(collective, short, raises = comm)]
fn barrier(rank: Rank<'_>, comm: MPI_Comm) -> ResultOf<Collective<'_>> {
    Ok(rank.comm(comm)?.barrier())
}

/// `MPI_Bcast`: sends the root's data to all ranks.
#[mpi(large, collective, short, raises = comm)]
fn bcast(
    rank: Rank<'_>,
    buffer: BufferMut,
    count: Count,
    datatype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> ResultOf<Collective<'_>> {
    let comm = rank.comm(comm)?;
    if comm.role(root)?.is_proc_null() {
        return Ok(comm.pass_proc_null(Rooted::Bcast, None));
    }
    Ok(comm.bcast(&rank.target(buffer, count, datatype)?, root)?)
}

/// `MPI_Gather`: collects equal parts at the root.
#[mpi(large, collective, raises = comm)]
fn gather(
    rank: Rank<'_>,
    sendbuf: Buffer,
    sendcount: Count,
    sendtype: MPI_Datatype,
    recvbuf: BufferMut,
    recvcount: Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> ResultOf<Collective<'_>> {
    let comm = rank.comm(comm)?;
    let role = comm.role(root)?;
    let send = match role.is_member() {
        true => rank.source_unless_in_place(sendbuf, sendcount, sendtype)?,
        false => None,
    };
    let recv = match role.is_root() {
        true => Some(Parts::Even(rank.target(recvbuf, recvcount, recvtype)?)),
        false => None,
    };
    aliasing::check(rank, comm, (send.as_ref(), recv.as_ref()), SEND_IN_PLACE)?;
    Ok(comm.gather(send.as_ref(), recv, root)?)
}

/// `MPI_Gatherv`: collects parts at the root.
#[mpi(large, collective, raises = comm)]
fn gatherv(
    rank: Rank<'_>,
    sendbuf: Buffer,
    sendcount: Count,
    sendtype: MPI_Datatype,
    recvbuf: BufferMut,
    recvcounts: Array<Count>,
    displs: Array<Displ>,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> ResultOf<Collective<'_>> {
    let comm = rank.comm(comm)?;
    let role = comm.role(root)?;
    let send = match role.is_member() {
        true => rank.source_unless_in_place(sendbuf, sendcount, sendtype)?,
        false => None,
    };
    let recv = match role.is_root() {
        true => Some(targets(
            recvbuf,
            rank.parts(comm.peers(), &recvcounts, &displs, recvtype)?,
        )?),
        false => None,
    };
    aliasing::check(rank, comm, (send.as_ref(), recv.as_ref()), SEND_IN_PLACE)?;
    Ok(comm.gather(send.as_ref(), recv, root)?)
}

/// `MPI_Scatter`: sends each rank an equal part of the root's data.
#[mpi(large, collective, raises = comm)]
fn scatter(
    rank: Rank<'_>,
    sendbuf: Buffer,
    sendcount: Count,
    sendtype: MPI_Datatype,
    recvbuf: BufferMut,
    recvcount: Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> ResultOf<Collective<'_>> {
    let comm = rank.comm(comm)?;
    let role = comm.role(root)?;
    let recv = match role.is_member() {
        true => rank.target_unless_in_place(recvbuf, recvcount, recvtype)?,
        false => None,
    };
    let send = match role.is_root() {
        true => Some(Parts::Even(rank.source(sendbuf, sendcount, sendtype)?)),
        false => None,
    };
    aliasing::check(rank, comm, (send.as_ref(), recv.as_ref()), RECEIVE_IN_PLACE)?;
    Ok(comm.scatter(send, recv.as_ref(), root)?)
}

/// `MPI_Scatterv`: sends each rank its part of the root's data.
#[mpi(large, collective, raises = comm)]
fn scatterv(
    rank: Rank<'_>,
    sendbuf: Buffer,
    sendcounts: Array<Count>,
    displs: Array<Displ>,
    sendtype: MPI_Datatype,
    recvbuf: BufferMut,
    recvcount: Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> ResultOf<Collective<'_>> {
    let comm = rank.comm(comm)?;
    let role = comm.role(root)?;
    let recv = match role.is_member() {
        true => rank.target_unless_in_place(recvbuf, recvcount, recvtype)?,
        false => None,
    };
    let send = match role.is_root() {
        true => Some(sources(
            sendbuf,
            rank.parts(comm.peers(), &sendcounts, &displs, sendtype)?,
        )?),
        false => None,
    };
    aliasing::check(rank, comm, (send.as_ref(), recv.as_ref()), RECEIVE_IN_PLACE)?;
    Ok(comm.scatter(send, recv.as_ref(), root)?)
}

/// `MPI_Allgather`: collects equal parts at all ranks.
#[mpi(large, collective, raises = comm)]
fn allgather(
    rank: Rank<'_>,
    sendbuf: Buffer,
    sendcount: Count,
    sendtype: MPI_Datatype,
    recvbuf: BufferMut,
    recvcount: Count,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> ResultOf<Collective<'_>> {
    let comm = rank.comm(comm)?;
    let send = rank.source_unless_in_place(sendbuf, sendcount, sendtype)?;
    let recv = Parts::Even(rank.target(recvbuf, recvcount, recvtype)?);
    aliasing::check(rank, comm, (send.as_ref(), Some(&recv)), SEND_IN_PLACE)?;
    Ok(comm.allgather(send.as_ref(), recv)?)
}

/// `MPI_Allgatherv`: collects parts at all ranks.
#[mpi(large, collective, raises = comm)]
fn allgatherv(
    rank: Rank<'_>,
    sendbuf: Buffer,
    sendcount: Count,
    sendtype: MPI_Datatype,
    recvbuf: BufferMut,
    recvcounts: Array<Count>,
    displs: Array<Displ>,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> ResultOf<Collective<'_>> {
    let comm = rank.comm(comm)?;
    let send = rank.source_unless_in_place(sendbuf, sendcount, sendtype)?;
    let recv = targets(recvbuf, rank.parts(comm.peers(), &recvcounts, &displs, recvtype)?)?;
    aliasing::check(rank, comm, (send.as_ref(), Some(&recv)), SEND_IN_PLACE)?;
    Ok(comm.allgather(send.as_ref(), recv)?)
}

/// `MPI_Alltoall`: sends each rank an equal part of each rank's data.
#[mpi(large, collective, short, raises = comm)]
fn alltoall(
    rank: Rank<'_>,
    sendbuf: Buffer,
    sendcount: Count,
    sendtype: MPI_Datatype,
    recvbuf: BufferMut,
    recvcount: Count,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> ResultOf<Collective<'_>> {
    let comm = rank.comm(comm)?;
    let send = rank
        .source_unless_in_place(sendbuf, sendcount, sendtype)?
        .map(Parts::Even);
    let recv = Parts::Even(rank.target(recvbuf, recvcount, recvtype)?);
    aliasing::check(rank, comm, (send.as_ref(), Some(&recv)), SEND_IN_PLACE)?;
    Ok(comm.alltoall(send, recv)?)
}

/// `MPI_Alltoallv`: sends each rank its part of each rank's data.
#[mpi(large, collective, raises = comm)]
fn alltoallv(
    rank: Rank<'_>,
    sendbuf: Buffer,
    sendcounts: Array<Count>,
    sdispls: Array<Displ>,
    sendtype: MPI_Datatype,
    recvbuf: BufferMut,
    recvcounts: Array<Count>,
    rdispls: Array<Displ>,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> ResultOf<Collective<'_>> {
    let comm = rank.comm(comm)?;
    let size = comm.peers();
    let send = match sendbuf.is_in_place() {
        true => None,
        false => Some(sources(
            sendbuf,
            rank.parts(size, &sendcounts, &sdispls, sendtype)?,
        )?),
    };
    let recv = targets(recvbuf, rank.parts(size, &recvcounts, &rdispls, recvtype)?)?;
    aliasing::check(rank, comm, (send.as_ref(), Some(&recv)), SEND_IN_PLACE)?;
    Ok(comm.alltoall(send, recv)?)
}

/// `MPI_Alltoallw`: sends each rank its part of each rank's data, each part with its own datatype.
#[mpi(large, collective, raises = comm)]
fn alltoallw(
    rank: Rank<'_>,
    sendbuf: Buffer,
    sendcounts: Array<Count>,
    sdispls: Array<Displ>,
    sendtypes: Array<MPI_Datatype>,
    recvbuf: BufferMut,
    recvcounts: Array<Count>,
    rdispls: Array<Displ>,
    recvtypes: Array<MPI_Datatype>,
    comm: MPI_Comm,
) -> ResultOf<Collective<'_>> {
    let comm = rank.comm(comm)?;
    let size = comm.peers();
    let send = match sendbuf.is_in_place() {
        true => None,
        false => Some(sources(
            sendbuf,
            rank.typed_parts(size, &sendcounts, &sdispls, &sendtypes)?,
        )?),
    };
    let recv = targets(
        recvbuf,
        rank.typed_parts(size, &recvcounts, &rdispls, &recvtypes)?,
    )?;
    aliasing::check(rank, comm, (send.as_ref(), Some(&recv)), SEND_IN_PLACE)?;
    Ok(comm.alltoall(send, recv)?)
}
