//! The fast path of short collectives: it does not make the `Collective` value that a collective otherwise is, since
//! that would be most of the cost.
//!
//! The functions return `None` if an argument is special or wrong; then the collective goes the usual way.

use std::ffi::c_int;

use simurgh_mpi::Comm;
use simurgh_mpi::memory::{Source, Target};
use simurgh_mpi::op::Op;

use crate::arguments::{Buffer, BufferMut, Number};
use crate::error::Outcome;
use crate::handles::Rank;
use crate::types::{MPI_Comm, MPI_Datatype, MPI_Op};

/// The arguments of a reduction without special values.
struct Plain<'a> {
    comm: &'a Comm,
    op: Op,
    send: Source,
    recv: Option<Target>,
}

impl<'a> Plain<'a> {
    #[inline(always)]
    fn of(
        rank: Rank<'a>,
        (sendbuf, recvbuf): (Buffer, Option<BufferMut>),
        (count, datatype): (impl Number, MPI_Datatype),
        op: MPI_Op,
        comm: &'a Comm,
    ) -> Option<Self> {
        let op = Op::Builtin(rank.predefined_op(op)?);
        let recv = match recvbuf {
            Some(recvbuf) => Some(rank.plain_target(recvbuf, count, datatype)?),
            None => None,
        };
        let send = match &recv {
            Some(recv) if sendbuf.is_in_place() => recv.as_source(),
            Some(recv) if sendbuf.address() == recv.address().cast_const() => return None,
            _ => rank.plain_source(sendbuf, count, datatype)?,
        };
        Some(Self { comm, op, send, recv })
    }

    #[inline(always)]
    fn reduce(&self, root: Option<i32>) -> Option<Outcome> {
        let result = self
            .comm
            .reduce_by_value(&self.send, self.recv.as_ref(), &self.op, root)?;
        Some(result.map_err(Into::into))
    }
}

/// `MPI_Barrier`.
#[inline(always)]
pub(crate) fn barrier(rank: Rank<'_>, comm: MPI_Comm) -> Option<Outcome> {
    let result = rank.comm(comm).ok()?.barrier_at_once()?;
    Some(result.map_err(Into::into))
}

/// `MPI_Allreduce`.
#[inline(always)]
pub(crate) fn allreduce(
    rank: Rank<'_>,
    sendbuf: Buffer,
    recvbuf: BufferMut,
    count: impl Number,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> Option<Outcome> {
    let comm = rank.comm(comm).ok()?;
    let plain = Plain::of(rank, (sendbuf, Some(recvbuf)), (count, datatype), op, comm)?;
    if let Some(outcome) = plain.reduce(None) {
        return Some(outcome);
    }
    let recv = plain.recv.as_ref().filter(|_| !sendbuf.is_in_place())?;
    let result = comm.allreduce_at_once(&plain.send, recv, &plain.op)?;
    Some(result.map_err(Into::into))
}

/// `MPI_Reduce`.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "the standard's arguments")]
pub(crate) fn reduce(
    rank: Rank<'_>,
    sendbuf: Buffer,
    recvbuf: BufferMut,
    count: impl Number,
    datatype: MPI_Datatype,
    op: MPI_Op,
    root: c_int,
    comm: MPI_Comm,
) -> Option<Outcome> {
    let comm = rank.comm(comm).ok()?;
    let recvbuf = (root == comm.rank()).then_some(recvbuf);
    Plain::of(rank, (sendbuf, recvbuf), (count, datatype), op, comm)?.reduce(Some(root))
}

/// `MPI_Bcast`.
#[inline(always)]
pub(crate) fn bcast(
    rank: Rank<'_>,
    buffer: BufferMut,
    count: impl Number,
    datatype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> Option<Outcome> {
    let comm = rank.comm(comm).ok()?;
    let result = comm.bcast_at_once(&rank.plain_target(buffer, count, datatype)?, root)?;
    Some(result.map_err(Into::into))
}

/// `MPI_Alltoall`.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "the standard's arguments")]
pub(crate) fn alltoall(
    rank: Rank<'_>,
    sendbuf: Buffer,
    sendcount: impl Number,
    sendtype: MPI_Datatype,
    recvbuf: BufferMut,
    recvcount: impl Number,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> Option<Outcome> {
    if sendbuf.is_in_place() {
        return None;
    }
    let comm = rank.comm(comm).ok()?;
    if sendbuf.address() == recvbuf.address().cast_const() {
        return None;
    }
    let send = rank.plain_source(sendbuf, sendcount, sendtype)?;
    let result = comm.alltoall_at_once(&send, &rank.plain_target(recvbuf, recvcount, recvtype)?)?;
    Some(result.map_err(Into::into))
}
