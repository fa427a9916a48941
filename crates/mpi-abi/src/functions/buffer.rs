//! The buffers for buffered sends: of the process, of a communicator, of a session.

use std::ptr;

use simurgh_mpi::limits::BSEND_OVERHEAD;
use simurgh_mpi::{BufferSpace, ErrorClass, SendBuffer};
use simurgh_mpi_abi_macros::mpi;

use super::nonblocking::give_out;
use crate::arguments::{BufferMut, Number, Out, count_of};
use crate::constants::{MPI_BSEND_OVERHEAD, MPI_BUFFER_AUTOMATIC, MPI_COMM_SELF};
use crate::error::{CallError, Outcome};
use crate::handles::Rank;
use crate::types::{MPI_Comm, MPI_Request, MPI_Session};

// A program that uses the standard's constant has enough room.
const _: () = assert!(BSEND_OVERHEAD <= MPI_BSEND_OVERHEAD as usize);

/// Attaches memory of the program, or `MPI_BUFFER_AUTOMATIC`, with which the size means nothing.
fn attach(to: &SendBuffer, buffer: BufferMut, size: impl Number) -> Outcome {
    let address = buffer.address().expose_provenance();
    let space = if address == MPI_BUFFER_AUTOMATIC.addr() {
        BufferSpace::Automatic
    } else {
        let size = count_of("size", size)?;
        if address == 0 && size > 0 {
            let reason = format!("buffer is NULL, but size is {size}: pass memory, or MPI_BUFFER_AUTOMATIC");
            return Err(CallError::new(ErrorClass::Buffer, reason));
        }
        BufferSpace::Fixed { address, size }
    };
    Ok(to.attach(space)?)
}

/// Detaches the buffer, and returns its address and size to the program.
fn detach<C: Number>(
    from: &SendBuffer,
    buffer_addr: BufferMut,
    size: Out<C>,
    call_for_large: &str,
) -> Outcome {
    size.check("size")?;
    let (address, bytes) = match from.detach()? {
        BufferSpace::Fixed { address, size } => (address, size),
        BufferSpace::Automatic => (MPI_BUFFER_AUTOMATIC.addr(), 0),
    };
    let Some(bytes) = i64::try_from(bytes).ok().and_then(Number::narrow) else {
        return Err(CallError::new(
            ErrorClass::ValueTooLarge,
            format!("the size does not fit: call {call_for_large}"),
        ));
    };
    size.set("size", bytes)?;
    buffer_addr.set_pointer("buffer_addr", ptr::with_exposed_provenance_mut(address))
}

/// `MPI_Buffer_attach`: gives memory for buffered sends, or `MPI_BUFFER_AUTOMATIC`.
#[mpi(large)]
fn buffer_attach(rank: Rank<'_>, buffer: BufferMut, size: Count) -> Outcome {
    attach(rank.process.buffer(), buffer, size)
}

/// `MPI_Buffer_detach`: takes the memory back once its messages have been received.
#[mpi(large)]
fn buffer_detach(rank: Rank<'_>, buffer_addr: BufferMut, size: Out<Count>) -> Outcome {
    detach(rank.process.buffer(), buffer_addr, size, "MPI_Buffer_detach_c")
}

/// `MPI_Buffer_flush`: waits until the messages in the process's buffer have been received.
#[mpi]
fn buffer_flush(rank: Rank<'_>) -> Outcome {
    rank.process.buffer().flush();
    Ok(())
}

/// `MPI_Buffer_iflush`: starts to wait until the messages in the process's buffer have been received.
#[mpi]
fn buffer_iflush(rank: Rank<'_>, request: Out<MPI_Request>) -> Outcome {
    request.check("request")?;
    give_out(rank, rank.process.buffer().iflush(), MPI_COMM_SELF, request)
}

/// `MPI_Comm_attach_buffer`: gives memory for buffered sends on one communicator.
#[mpi(large, raises = comm)]
fn comm_attach_buffer(rank: Rank<'_>, comm: MPI_Comm, buffer: BufferMut, size: Count) -> Outcome {
    attach(rank.comm(comm)?.buffer(), buffer, size)
}

/// `MPI_Comm_detach_buffer`: takes the memory of a communicator back once its messages have been received.
#[mpi(large, raises = comm)]
fn comm_detach_buffer(rank: Rank<'_>, comm: MPI_Comm, buffer_addr: BufferMut, size: Out<Count>) -> Outcome {
    detach(
        rank.comm(comm)?.buffer(),
        buffer_addr,
        size,
        "MPI_Comm_detach_buffer_c",
    )
}

/// `MPI_Comm_flush_buffer`: waits until the messages in a communicator's buffer have been received.
#[mpi(raises = comm)]
fn comm_flush_buffer(rank: Rank<'_>, comm: MPI_Comm) -> Outcome {
    rank.comm(comm)?.buffer().flush();
    Ok(())
}

/// `MPI_Comm_iflush_buffer`: starts to wait until the messages in a communicator's buffer have been received.
#[mpi(raises = comm)]
fn comm_iflush_buffer(rank: Rank<'_>, comm: MPI_Comm, request: Out<MPI_Request>) -> Outcome {
    request.check("request")?;
    give_out(rank, rank.comm(comm)?.buffer().iflush(), comm, request)
}

/// `MPI_Session_attach_buffer`: gives memory for buffered sends on the communicators of a session.
#[mpi(large, raises = session)]
fn session_attach_buffer(rank: Rank<'_>, session: MPI_Session, buffer: BufferMut, size: Count) -> Outcome {
    attach(rank.session(session)?.buffer(), buffer, size)
}

/// `MPI_Session_detach_buffer`: takes the memory of a session back once its messages have been received.
#[mpi(large, raises = session)]
fn session_detach_buffer(
    rank: Rank<'_>,
    session: MPI_Session,
    buffer_addr: BufferMut,
    size: Out<Count>,
) -> Outcome {
    detach(
        rank.session(session)?.buffer(),
        buffer_addr,
        size,
        "MPI_Session_detach_buffer_c",
    )
}

/// `MPI_Session_flush_buffer`: waits until the messages in a session's buffer have been received.
#[mpi(raises = session)]
fn session_flush_buffer(rank: Rank<'_>, session: MPI_Session) -> Outcome {
    rank.session(session)?.buffer().flush();
    Ok(())
}

/// `MPI_Session_iflush_buffer`: starts to wait until the messages in a session's buffer have been received.
#[mpi(raises = session)]
fn session_iflush_buffer(rank: Rank<'_>, session: MPI_Session, request: Out<MPI_Request>) -> Outcome {
    request.check("request")?;
    give_out(
        rank,
        rank.session(session)?.buffer().iflush(),
        MPI_COMM_SELF,
        request,
    )
}
