//! Collectives among the neighbours of a topology.

use simurgh_mpi::memory::Parts;
use simurgh_mpi::{Collective, Degrees};
use simurgh_mpi_abi_macros::mpi;

use super::aliasing::{self, NEVER};
use crate::arguments::{Array, Buffer, BufferMut, Number};
use crate::error::{Outcome, ResultOf};
use crate::handles::{Rank, sources, targets};
use crate::types::{MPI_Aint, MPI_Comm, MPI_Datatype};

/// The count of a buffer with this number of parts. Without parts nothing is read or written, and the buffer may be
/// null.
fn for_parts(parts: usize, count: impl Number) -> i64 {
    let count = count.wide();
    if parts == 0 { count.min(0) } else { count }
}

/// `MPI_Neighbor_allgather`: collects equal parts from the neighbours at all ranks.
#[mpi(large, collective, raises = comm)]
fn neighbor_allgather(
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
    let Degrees { incoming, outgoing } = comm.degrees()?;
    let send = rank.source(sendbuf, for_parts(outgoing, sendcount), sendtype)?;
    let recv = rank.target(recvbuf, for_parts(incoming, recvcount), recvtype)?;
    let recv = Parts::Even(recv);
    aliasing::check_all(rank, (&send, outgoing), (&recv, incoming), NEVER)?;
    Ok(comm.neighbor_allgather(send, recv)?)
}

/// `MPI_Neighbor_allgatherv`: collects parts from the neighbours at all ranks.
#[mpi(large, collective, raises = comm)]
fn neighbor_allgatherv(
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
    let Degrees { incoming, outgoing } = comm.degrees()?;
    let send = rank.source(sendbuf, for_parts(outgoing, sendcount), sendtype)?;
    let recv = targets(recvbuf, rank.parts(incoming, &recvcounts, &displs, recvtype)?)?;
    aliasing::check_all(rank, (&send, outgoing), (&recv, incoming), NEVER)?;
    Ok(comm.neighbor_allgather(send, recv)?)
}

/// `MPI_Neighbor_alltoall`: sends each neighbour an equal part of each rank's data.
#[mpi(large, collective, raises = comm)]
fn neighbor_alltoall(
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
    let Degrees { incoming, outgoing } = comm.degrees()?;
    let send = rank.source(sendbuf, for_parts(outgoing, sendcount), sendtype)?;
    let recv = rank.target(recvbuf, for_parts(incoming, recvcount), recvtype)?;
    let (send, recv) = (Parts::Even(send), Parts::Even(recv));
    aliasing::check_all(rank, (&send, outgoing), (&recv, incoming), NEVER)?;
    Ok(comm.neighbor_alltoall(send, recv)?)
}

/// `MPI_Neighbor_alltoallv`: sends each neighbour its part of each rank's data.
#[mpi(large, collective, raises = comm)]
fn neighbor_alltoallv(
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
    let Degrees { incoming, outgoing } = comm.degrees()?;
    let send = sources(sendbuf, rank.parts(outgoing, &sendcounts, &sdispls, sendtype)?)?;
    let recv = targets(recvbuf, rank.parts(incoming, &recvcounts, &rdispls, recvtype)?)?;
    aliasing::check_all(rank, (&send, outgoing), (&recv, incoming), NEVER)?;
    Ok(comm.neighbor_alltoall(send, recv)?)
}

/// `MPI_Neighbor_alltoallw`: sends each neighbour its part of each rank's data, each part with its own datatype.
#[mpi(large, collective, raises = comm)]
fn neighbor_alltoallw(
    rank: Rank<'_>,
    sendbuf: Buffer,
    sendcounts: Array<Count>,
    sdispls: Array<MPI_Aint>,
    sendtypes: Array<MPI_Datatype>,
    recvbuf: BufferMut,
    recvcounts: Array<Count>,
    rdispls: Array<MPI_Aint>,
    recvtypes: Array<MPI_Datatype>,
    comm: MPI_Comm,
) -> ResultOf<Collective<'_>> {
    let comm = rank.comm(comm)?;
    let Degrees { incoming, outgoing } = comm.degrees()?;
    let send = rank.typed_parts(outgoing, &sendcounts, &sdispls, &sendtypes)?;
    let recv = rank.typed_parts(incoming, &recvcounts, &rdispls, &recvtypes)?;
    let (send, recv) = (sources(sendbuf, send)?, targets(recvbuf, recv)?);
    aliasing::check_all(rank, (&send, outgoing), (&recv, incoming), NEVER)?;
    Ok(comm.neighbor_alltoall(send, recv)?)
}
