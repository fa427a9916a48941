//! Accesses to files at explicit offsets.

use simurgh_mpi::Positioning;
use simurgh_mpi_abi_macros::mpi;

use super::nonblocking::give_out;
use crate::arguments::{Buffer, BufferMut, Out, StatusOut};
use crate::error::Outcome;
use crate::functions::receive::tell;
use crate::handles::Rank;
use crate::types::{MPI_Datatype, MPI_File, MPI_Offset, MPI_Request};

/// `MPI_File_read_at`: reads at an offset.
#[mpi(large, raises = fh)]
fn file_read_at(
    rank: Rank<'_>,
    fh: MPI_File,
    offset: MPI_Offset,
    buf: BufferMut,
    count: Count,
    datatype: MPI_Datatype,
    status: StatusOut,
) -> Outcome {
    let target = rank.target(buf, count, datatype)?;
    tell(rank.file(fh)?.read(Positioning::At(offset), &target), status)
}

/// `MPI_File_iread_at`: starts to read at an offset.
#[mpi(large, raises = fh)]
fn file_iread_at(
    rank: Rank<'_>,
    fh: MPI_File,
    offset: MPI_Offset,
    buf: BufferMut,
    count: Count,
    datatype: MPI_Datatype,
    request: Out<MPI_Request>,
) -> Outcome {
    request.check("request")?;
    let target = rank.target(buf, count, datatype)?;
    let started = rank.file(fh)?.start_read(Positioning::At(offset), &target)?;
    give_out(rank, started, fh, request)
}

/// `MPI_File_write_at`: writes at an offset.
#[mpi(large, raises = fh)]
fn file_write_at(
    rank: Rank<'_>,
    fh: MPI_File,
    offset: MPI_Offset,
    buf: Buffer,
    count: Count,
    datatype: MPI_Datatype,
    status: StatusOut,
) -> Outcome {
    let source = rank.source(buf, count, datatype)?;
    tell(rank.file(fh)?.write(Positioning::At(offset), &source), status)
}

/// `MPI_File_iwrite_at`: starts to write at an offset.
#[mpi(large, raises = fh)]
fn file_iwrite_at(
    rank: Rank<'_>,
    fh: MPI_File,
    offset: MPI_Offset,
    buf: Buffer,
    count: Count,
    datatype: MPI_Datatype,
    request: Out<MPI_Request>,
) -> Outcome {
    request.check("request")?;
    let source = rank.source(buf, count, datatype)?;
    let started = rank.file(fh)?.start_write(Positioning::At(offset), &source)?;
    give_out(rank, started, fh, request)
}
