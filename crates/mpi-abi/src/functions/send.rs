//! Blocking sends.

use std::ffi::c_int;

use simurgh_mpi_abi_macros::mpi;

use crate::arguments::Buffer;
use crate::error::Outcome;
use crate::handles::Rank;
use crate::types::{MPI_Comm, MPI_Datatype};

#[mpi(large, raises = comm, modes(
    send = Standard: "sends and returns when the buffer may be used again.",
    ssend = Synchronous: "sends and returns when the receive has been matched.",
    bsend = Buffered: "sends through the attached buffer and returns at once.",
    rsend = Ready: "sends to a receive that has been posted.",
))]
fn send_in(
    rank: Rank<'_>,
    buf: Buffer,
    count: Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
) -> Outcome {
    let comm = rank.comm(comm)?;
    Ok(comm.send_in(MODE, &rank.source(buf, count, datatype)?, dest, tag)?)
}
