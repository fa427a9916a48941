//! The buffer for buffered sends.

use std::ptr;

use simurgh_mpi::BufferSpace;
use simurgh_mpi_abi_macros::mpi;

use crate::boundary::{BufferMut, Number, Out, count_of};
use crate::constants::MPI_BUFFER_AUTOMATIC;
use crate::fault::{Fault, Outcome};
use crate::tables::Rank;
use simurgh_mpi::ErrorClass;

/// `MPI_Buffer_attach`: gives memory for buffered sends, or `MPI_BUFFER_AUTOMATIC`.
#[mpi(large)]
fn buffer_attach(rank: Rank<'_>, buffer: BufferMut, size: Count) -> Outcome {
    let size = count_of("size", size)?;
    let address = buffer.address().expose_provenance();
    let space = if address == MPI_BUFFER_AUTOMATIC.addr() {
        BufferSpace::Automatic
    } else {
        BufferSpace::Fixed { address, size }
    };
    Ok(rank.process.attach_buffer(space)?)
}

/// `MPI_Buffer_detach`: takes the memory back.
#[mpi(large)]
fn buffer_detach(rank: Rank<'_>, buffer_addr: BufferMut, size: Out<Count>) -> Outcome {
    size.check("size")?;
    let (address, bytes) = match rank.process.detach_buffer()? {
        BufferSpace::Fixed { address, size } => (address, size),
        BufferSpace::Automatic => (MPI_BUFFER_AUTOMATIC.addr(), 0),
    };
    let Some(bytes) = i64::try_from(bytes).ok().and_then(Number::narrow) else {
        return Err(Fault::new(
            ErrorClass::ValueTooLarge,
            "the size does not fit: call MPI_Buffer_detach_c",
        ));
    };
    size.set("size", bytes)?;
    buffer_addr.set_pointer("buffer_addr", ptr::with_exposed_provenance_mut(address))
}
