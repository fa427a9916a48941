//! Blocking sends and the buffer for buffered ones.

use std::ffi::c_int;

use simurgh_mpi_abi_macros::mpi;

use crate::boundary::Buffer;
use crate::fault::Outcome;
use crate::tables::Rank;
use crate::types::{MPI_Comm, MPI_Datatype};

/// `MPI_Send`: sends and returns when the buffer may be used again.
#[mpi(large, raises = comm)]
fn send(
    rank: Rank<'_>,
    buf: Buffer,
    count: Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
) -> Outcome {
    let comm = rank.comm(comm)?;
    Ok(comm.send(&rank.source(buf, count, datatype)?, dest, tag)?)
}

/// `MPI_Ssend`: sends and returns when the receive has been matched.
#[mpi(large, raises = comm)]
fn ssend(
    rank: Rank<'_>,
    buf: Buffer,
    count: Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
) -> Outcome {
    let comm = rank.comm(comm)?;
    Ok(comm.ssend(&rank.source(buf, count, datatype)?, dest, tag)?)
}

/// `MPI_Bsend`: sends through the attached buffer and returns at once.
#[mpi(large, raises = comm)]
fn bsend(
    rank: Rank<'_>,
    buf: Buffer,
    count: Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
) -> Outcome {
    let comm = rank.comm(comm)?;
    Ok(comm.bsend(&rank.source(buf, count, datatype)?, dest, tag)?)
}

/// `MPI_Rsend`: sends to a receive that has been posted.
#[mpi(large, raises = comm)]
fn rsend(
    rank: Rank<'_>,
    buf: Buffer,
    count: Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
) -> Outcome {
    let comm = rank.comm(comm)?;
    Ok(comm.rsend(&rank.source(buf, count, datatype)?, dest, tag)?)
}
