//! Accesses to files at individual file pointers.

use simurgh_mpi::Positioning;
use simurgh_mpi_abi_macros::mpi;

use super::nonblocking::give_out;
use crate::arguments::{Buffer, BufferMut, Out, StatusOut};
use crate::error::Outcome;
use crate::functions::receive::tell;
use crate::handles::Rank;
use crate::types::{MPI_Datatype, MPI_File, MPI_Request};

/// `MPI_File_read`: reads at the individual file pointer.
#[mpi(large, raises = fh)]
fn file_read(
    rank: Rank<'_>,
    fh: MPI_File,
    buf: BufferMut,
    count: Count,
    datatype: MPI_Datatype,
    status: StatusOut,
) -> Outcome {
    let target = rank.target(buf, count, datatype)?;
    tell(rank.file(fh)?.read(Positioning::Individual, &target), status)
}

/// `MPI_File_iread`: starts to read at the individual file pointer.
#[mpi(large, raises = fh)]
fn file_iread(
    rank: Rank<'_>,
    fh: MPI_File,
    buf: BufferMut,
    count: Count,
    datatype: MPI_Datatype,
    request: Out<MPI_Request>,
) -> Outcome {
    request.check("request")?;
    let target = rank.target(buf, count, datatype)?;
    let started = rank.file(fh)?.start_read(Positioning::Individual, &target)?;
    give_out(rank, started, fh, request)
}

/// `MPI_File_write`: writes at the individual file pointer.
#[mpi(large, raises = fh)]
fn file_write(
    rank: Rank<'_>,
    fh: MPI_File,
    buf: Buffer,
    count: Count,
    datatype: MPI_Datatype,
    status: StatusOut,
) -> Outcome {
    let source = rank.source(buf, count, datatype)?;
    tell(rank.file(fh)?.write(Positioning::Individual, &source), status)
}

/// `MPI_File_iwrite`: starts to write at the individual file pointer.
#[mpi(large, raises = fh)]
fn file_iwrite(
    rank: Rank<'_>,
    fh: MPI_File,
    buf: Buffer,
    count: Count,
    datatype: MPI_Datatype,
    request: Out<MPI_Request>,
) -> Outcome {
    request.check("request")?;
    let source = rank.source(buf, count, datatype)?;
    let started = rank.file(fh)?.start_write(Positioning::Individual, &source)?;
    give_out(rank, started, fh, request)
}
