//! Blocking receives, exchanges and probes.

use std::ffi::c_int;

use simurgh_mpi::{Message, Result, Status};
use simurgh_mpi_abi_macros::mpi;

use super::aliasing;
use crate::arguments::{Buffer, BufferMut, InOut, Out, StatusOut};
use crate::constants::{MPI_MESSAGE_NO_PROC, MPI_MESSAGE_NULL};
use crate::error::{CallError, Outcome, ResultOf};
use crate::handles::{MessageEntry, Rank, handle_of};
use crate::types::{MPI_Comm, MPI_Datatype, MPI_Message};

/// Stores the status of an operation, also of one that failed after it had moved something.
#[inline]
pub(super) fn tell(received: Result<Status>, status: StatusOut) -> Outcome {
    match received {
        Ok(received) => {
            status.set(&received);
            Ok(())
        }
        Err(error) => {
            if let Some(received) = error.status() {
                status.set(received);
            }
            Err(error.into())
        }
    }
}

/// `MPI_Recv`: receives a message.
#[mpi(large, raises = comm)]
fn recv(
    rank: Rank<'_>,
    buf: BufferMut,
    count: Count,
    datatype: MPI_Datatype,
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    status: StatusOut,
) -> Outcome {
    let comm = rank.comm(comm)?;
    tell(comm.recv(rank.target(buf, count, datatype)?, source, tag), status)
}

/// `MPI_Sendrecv`: sends one message and receives another.
#[mpi(large, raises = comm)]
fn sendrecv(
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
    status: StatusOut,
) -> Outcome {
    let comm = rank.comm(comm)?;
    let sent = rank.source(sendbuf, sendcount, sendtype)?;
    let target = rank.target(recvbuf, recvcount, recvtype)?;
    aliasing::check_exchange(rank, (&sent, dest), (&target, source))?;
    tell(
        comm.sendrecv(&sent, dest, sendtag, &target, source, recvtag),
        status,
    )
}

/// `MPI_Sendrecv_replace`: sends the contents of the buffer, then receives into it.
#[mpi(large, raises = comm)]
fn sendrecv_replace(
    rank: Rank<'_>,
    buf: BufferMut,
    count: Count,
    datatype: MPI_Datatype,
    dest: c_int,
    sendtag: c_int,
    source: c_int,
    recvtag: c_int,
    comm: MPI_Comm,
    status: StatusOut,
) -> Outcome {
    let comm = rank.comm(comm)?;
    let target = rank.target(buf, count, datatype)?;
    tell(
        comm.sendrecv_replace(&target, dest, sendtag, source, recvtag),
        status,
    )
}

/// `MPI_Probe`: waits for a message without receiving it.
#[mpi(raises = comm)]
fn probe(rank: Rank<'_>, source: c_int, tag: c_int, comm: MPI_Comm, status: StatusOut) -> Outcome {
    status.set(&rank.comm(comm)?.probe(source, tag)?);
    Ok(())
}

/// `MPI_Iprobe`: whether a message has arrived.
#[mpi(raises = comm)]
fn iprobe(
    rank: Rank<'_>,
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    flag: Out<c_int>,
    status: StatusOut,
) -> Outcome {
    let found = rank.comm(comm)?.iprobe(source, tag)?;
    if let Some(found) = &found {
        status.set(found);
    }
    flag.set("flag", c_int::from(found.is_some()))
}

/// The handle of a message that a probe on `comm` has taken.
fn message_handle(rank: Rank<'_>, message: Message, comm: MPI_Comm) -> ResultOf<MPI_Message> {
    if message.is_none() {
        return Ok(MPI_MESSAGE_NO_PROC);
    }
    Ok(MPI_Message(handle_of(
        &rank.tables.messages,
        MessageEntry { message, comm },
    )?))
}

/// `MPI_Mprobe`: waits for a message and reserves it for `MPI_Mrecv`.
#[mpi(raises = comm)]
fn mprobe(
    rank: Rank<'_>,
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    message: Out<MPI_Message>,
    status: StatusOut,
) -> Outcome {
    message.check("message")?;
    let (taken, found) = rank.comm(comm)?.mprobe(source, tag)?;
    status.set(&found);
    message.set("message", message_handle(rank, taken, comm)?)
}

/// `MPI_Improbe`: reserves a message for `MPI_Mrecv`, if one has arrived.
#[mpi(raises = comm)]
fn improbe(
    rank: Rank<'_>,
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    flag: Out<c_int>,
    message: Out<MPI_Message>,
    status: StatusOut,
) -> Outcome {
    flag.check("flag")?;
    message.check("message")?;
    let found = rank.comm(comm)?.improbe(source, tag)?;
    flag.set("flag", c_int::from(found.is_some()))?;
    let Some((taken, found)) = found else {
        return Ok(());
    };
    status.set(&found);
    message.set("message", message_handle(rank, taken, comm)?)
}

/// `MPI_Mrecv`: receives a message that a matching probe has returned.
#[mpi(large)]
fn mrecv(
    rank: Rank<'_>,
    buf: BufferMut,
    count: Count,
    datatype: MPI_Datatype,
    message: InOut<MPI_Message>,
    status: StatusOut,
) -> Outcome {
    let target = rank.target(buf, count, datatype)?;
    let taken = rank.take_message(message.get("message")?)?;
    message.set(MPI_MESSAGE_NULL);
    tell(taken.message.recv(&target), status).map_err(|fault: Box<CallError>| fault.on(taken.comm))
}
