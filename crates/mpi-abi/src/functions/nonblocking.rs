//! Nonblocking sends and receives.

use std::ffi::c_int;
use std::sync::Arc;

use simurgh_mpi::{Irecv, Request, Started};
use simurgh_mpi_abi_macros::mpi;

use super::aliasing;
use crate::arguments::{Buffer, BufferMut, InOut, Out};
use crate::constants::MPI_MESSAGE_NULL;
use crate::error::{Outcome, RaisedOn};
use crate::handles::{COMPLETED_SEND, Rank, handle_of_completed_send};
use crate::types::{MPI_Comm, MPI_Datatype, MPI_Message, MPI_Request};

/// Stores the handle of a request that a call on an object has made.
#[inline(never)]
pub(crate) fn give_out(
    rank: Rank<'_>,
    made: Arc<Request>,
    object: impl Into<RaisedOn>,
    request: Out<MPI_Request>,
) -> Outcome {
    request.set("request", rank.request_handle(made, object)?)
}

#[mpi(large, raises = comm, modes(
    isend = Standard: "starts a send.",
    issend = Synchronous: "starts a synchronous send.",
    ibsend = Buffered: "starts a buffered send.",
    irsend = Ready: "starts a send to a receive that has been posted.",
))]
fn isend_in(
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
    match rank.comm(comm)?.isend(MODE, &source, dest, tag)? {
        Started::Done => request.set("request", COMPLETED_SEND),
        Started::Buffered(completed) => {
            request.set("request", handle_of_completed_send(rank.process.id(), completed))
        }
        Started::Waiting(started) => give_out(rank, started, comm, request),
    }
}

/// `MPI_Irecv`: starts a receive.
#[mpi(large, raises = comm)]
fn irecv(
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
    let target = rank.target(buf, count, datatype)?;
    let complete = |status: &_| rank.tables.completed_receives.handle(status);
    let handle = match rank.comm(comm)?.irecv_with(&target, source, tag, complete)? {
        Irecv::Complete(handle) => handle,
        // As `give_out`, inlined.
        Irecv::Waiting(started) => rank.request_handle(started, comm)?,
    };
    request.set("request", handle)
}

/// `MPI_Isendrecv`: starts to send one message and to receive another.
#[mpi(large, raises = comm)]
fn isendrecv(
    rank: Rank<'_>,
    sendbuf: Buffer,
    sendcount: Count,
    sendtype: MPI_Datatype,
    dest: c_int,
    sendtag: c_int,
    recvbuf: BufferMut,
    recvcount: Count,
    recvtype: MPI_Datatype,
    source: c_int,
    recvtag: c_int,
    comm: MPI_Comm,
    request: Out<MPI_Request>,
) -> Outcome {
    request.check("request")?;
    let sent = rank.source(sendbuf, sendcount, sendtype)?;
    let target = rank.target(recvbuf, recvcount, recvtype)?;
    aliasing::check_exchange(rank, (&sent, dest), (&target, source))?;
    let started = rank
        .comm(comm)?
        .isendrecv(&sent, dest, sendtag, &target, source, recvtag)?;
    give_out(rank, started, comm, request)
}

/// `MPI_Isendrecv_replace`: starts to send the contents of the buffer and to receive into it.
#[mpi(large, raises = comm)]
fn isendrecv_replace(
    rank: Rank<'_>,
    buf: BufferMut,
    count: Count,
    datatype: MPI_Datatype,
    dest: c_int,
    sendtag: c_int,
    source: c_int,
    recvtag: c_int,
    comm: MPI_Comm,
    request: Out<MPI_Request>,
) -> Outcome {
    request.check("request")?;
    let target = rank.target(buf, count, datatype)?;
    let started = rank
        .comm(comm)?
        .isendrecv_replace(&target, dest, sendtag, source, recvtag)?;
    give_out(rank, started, comm, request)
}

/// `MPI_Imrecv`: starts to receive a message that a matching probe has returned.
#[mpi(large)]
fn imrecv(
    rank: Rank<'_>,
    buf: BufferMut,
    count: Count,
    datatype: MPI_Datatype,
    message: InOut<MPI_Message>,
    request: Out<MPI_Request>,
) -> Outcome {
    request.check("request")?;
    let target = rank.target(buf, count, datatype)?;
    let taken = rank.take_message(message.get("message")?)?;
    message.set(MPI_MESSAGE_NULL);
    give_out(
        rank,
        taken.message.irecv(rank.process, &target),
        taken.comm,
        request,
    )
}
