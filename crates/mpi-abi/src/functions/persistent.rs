//! Persistent sends and receives.

use std::ffi::c_int;

use simurgh_mpi::ErrorClass;
use simurgh_mpi_abi_macros::mpi;

use super::nonblocking::give_out;
use crate::arguments::{ArrayMut, Buffer, BufferMut, InOut, Out, count_of};
use crate::error::{CallError, Outcome};
use crate::handles::Rank;
use crate::types::{MPI_Comm, MPI_Datatype, MPI_Request};

#[mpi(large, raises = comm, modes(
    send_init = Standard: "sets up a send.",
    ssend_init = Synchronous: "sets up a synchronous send.",
    bsend_init = Buffered: "sets up a buffered send.",
    rsend_init = Ready: "sets up a send to a receive that has been posted.",
))]
fn send_init_in(
    rank: Rank<'_>,
    buf: Buffer,
    count: Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: Out<MPI_Request>,
) -> Outcome {
    request.check("request")?;
    let source = rank.source(buf, count, datatype)?;
    let made = rank.comm(comm)?.send_init(MODE, &source, dest, tag)?;
    give_out(rank, made, comm, request)
}

/// `MPI_Recv_init`: sets up a receive.
#[mpi(large, raises = comm)]
fn recv_init(
    rank: Rank<'_>,
    buf: BufferMut,
    count: Count,
    datatype: MPI_Datatype,
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: Out<MPI_Request>,
) -> Outcome {
    request.check("request")?;
    let made = rank
        .comm(comm)?
        .recv_init(&rank.target(buf, count, datatype)?, source, tag)?;
    give_out(rank, made, comm, request)
}

fn start_one(rank: Rank<'_>, handle: MPI_Request) -> Outcome {
    let Some(entry) = rank.request(handle)? else {
        let reason = "request is MPI_REQUEST_NULL: only a persistent request can be started";
        return Err(CallError::new(ErrorClass::Request, reason));
    };
    entry
        .request
        .start()
        .map_err(|error| Box::<CallError>::from(error).on(entry.raised_on))
}

/// `MPI_Start`: starts a persistent operation.
#[mpi]
fn start(rank: Rank<'_>, request: InOut<MPI_Request>) -> Outcome {
    start_one(rank, request.get("request")?)
}

/// `MPI_Startall`: starts several persistent operations.
#[mpi]
fn startall(rank: Rank<'_>, count: c_int, mut array_of_requests: ArrayMut<MPI_Request>) -> Outcome {
    let requests = array_of_requests.slice("array_of_requests", count_of("count", count)?)?;
    requests.iter().try_for_each(|&request| start_one(rank, request))
}
