//! Blocking collectives that combine data.

use std::ffi::c_int;

use simurgh_mpi::memory::{Source, Target};
use simurgh_mpi::{Collective, Rooted};
use simurgh_mpi_abi_macros::mpi;

use super::aliasing::{self, SEND_IN_PLACE};
use crate::arguments::{Array, Buffer, BufferMut, Number, count_of};
use crate::error::{Outcome, ResultOf};
use crate::handles::Rank;
use crate::types::{MPI_Comm, MPI_Datatype, MPI_Op};

/// The buffers of a reduction. With `MPI_IN_PLACE` the data is in the second.
fn operands(
    rank: Rank<'_>,
    sendbuf: Buffer,
    recvbuf: BufferMut,
    count: impl Number,
    datatype: MPI_Datatype,
) -> ResultOf<(Option<Source>, Target)> {
    let send = rank.source_unless_in_place(sendbuf, count, datatype)?;
    let recv = rank.target(recvbuf, count, datatype)?;
    if let Some(send) = &send {
        aliasing::check_whole(rank, send, &recv, SEND_IN_PLACE)?;
    }
    Ok((send, recv))
}

/// `MPI_Reduce`: combines all ranks' data at the root.
#[mpi(large, collective, short, raises = comm)]
fn reduce(
    rank: Rank<'_>,
    sendbuf: Buffer,
    recvbuf: BufferMut,
    count: Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    root: c_int,
    comm: MPI_Comm,
) -> ResultOf<Collective<'_>> {
    let comm = rank.comm(comm)?;
    let role = comm.role(root)?;
    if role.is_proc_null() {
        return Ok(comm.pass_proc_null(Rooted::Reduce, rank.op(op, datatype).ok()));
    }
    let op = rank.op(op, datatype)?;
    if !role.is_root() {
        let send = rank.source(sendbuf, count, datatype)?;
        return Ok(comm.reduce(Some(&send), None, &op, root)?);
    }
    if !role.is_member() {
        let recv = rank.target(recvbuf, count, datatype)?;
        return Ok(comm.reduce(None, Some(&recv), &op, root)?);
    }
    let (send, recv) = operands(rank, sendbuf, recvbuf, count, datatype)?;
    Ok(comm.reduce(send.as_ref(), Some(&recv), &op, root)?)
}

/// `MPI_Allreduce`: combines all ranks' data at all ranks.
#[mpi(large, collective, short, raises = comm)]
fn allreduce(
    rank: Rank<'_>,
    sendbuf: Buffer,
    recvbuf: BufferMut,
    count: Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> ResultOf<Collective<'_>> {
    let comm = rank.comm(comm)?;
    let op = rank.op(op, datatype)?;
    let (send, recv) = operands(rank, sendbuf, recvbuf, count, datatype)?;
    Ok(comm.allreduce(send.as_ref(), &recv, &op)?)
}

/// `MPI_Reduce_scatter`: combines all ranks' data and gives each rank its part.
#[mpi(large, collective, raises = comm)]
fn reduce_scatter(
    rank: Rank<'_>,
    sendbuf: Buffer,
    recvbuf: BufferMut,
    recvcounts: Array<Count>,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> ResultOf<Collective<'_>> {
    let comm = rank.comm(comm)?;
    let op = rank.op(op, datatype)?;
    let counts = recvcounts.counts("recvcounts", "recvcounts", comm.size())?;
    let total = i64::try_from(counts.before(comm.size())).unwrap_or(i64::MAX);
    let send = rank.source_unless_in_place(sendbuf, total, datatype)?;
    let own = match &send {
        Some(_) => counts.count(comm.rank() as usize) as i64,
        None => total,
    };
    let recv = rank.target(recvbuf, own, datatype)?;
    if let Some(send) = &send {
        aliasing::check_whole(rank, send, &recv, SEND_IN_PLACE)?;
    }
    Ok(comm.reduce_scatter(send.as_ref(), &recv, counts, &op)?)
}

/// `MPI_Reduce_scatter_block`: combines all ranks' data and gives each rank an equal part.
#[mpi(large, collective, raises = comm)]
fn reduce_scatter_block(
    rank: Rank<'_>,
    sendbuf: Buffer,
    recvbuf: BufferMut,
    recvcount: Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> ResultOf<Collective<'_>> {
    let comm = rank.comm(comm)?;
    let op = rank.op(op, datatype)?;
    let count = count_of("recvcount", recvcount)?;
    let total = recvcount.wide().saturating_mul(comm.size() as i64);
    let send = rank.source_unless_in_place(sendbuf, total, datatype)?;
    let own = if send.is_some() { recvcount.wide() } else { total };
    let recv = rank.target(recvbuf, own, datatype)?;
    if let Some(send) = &send {
        aliasing::check_whole(rank, send, &recv, SEND_IN_PLACE)?;
    }
    Ok(comm.reduce_scatter_block(send.as_ref(), &recv, count, &op)?)
}

/// `MPI_Scan`: combines at each rank the data of the ranks up to it.
#[mpi(large, collective, raises = comm)]
fn scan(
    rank: Rank<'_>,
    sendbuf: Buffer,
    recvbuf: BufferMut,
    count: Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> ResultOf<Collective<'_>> {
    let comm = rank.comm(comm)?;
    let op = rank.op(op, datatype)?;
    let (send, recv) = operands(rank, sendbuf, recvbuf, count, datatype)?;
    Ok(comm.scan(send.as_ref(), &recv, &op)?)
}

/// `MPI_Exscan`: combines at each rank the data of the ranks before it.
#[mpi(large, collective, raises = comm)]
fn exscan(
    rank: Rank<'_>,
    sendbuf: Buffer,
    recvbuf: BufferMut,
    count: Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> ResultOf<Collective<'_>> {
    let comm = rank.comm(comm)?;
    let op = rank.op(op, datatype)?;
    let (send, recv) = operands(rank, sendbuf, recvbuf, count, datatype)?;
    Ok(comm.exscan(send.as_ref(), &recv, &op)?)
}
