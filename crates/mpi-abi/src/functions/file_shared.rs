//! Accesses to files at shared file pointers.

use simurgh_mpi::{Positioning, Split};
use simurgh_mpi_abi_macros::mpi;

use super::nonblocking::give_out;
use crate::arguments::{Buffer, BufferMut, Out, StatusOut};
use crate::error::Outcome;
use crate::functions::receive::tell;
use crate::handles::Rank;
use crate::types::{MPI_Datatype, MPI_File, MPI_Request};

/// `MPI_File_read_shared`: reads at the shared file pointer.
#[mpi(large, raises = fh)]
fn file_read_shared(
    rank: Rank<'_>,
    fh: MPI_File,
    buf: BufferMut,
    count: Count,
    datatype: MPI_Datatype,
    status: StatusOut,
) -> Outcome {
    let target = rank.target(buf, count, datatype)?;
    tell(rank.file(fh)?.read(Positioning::Shared, &target), status)
}

/// `MPI_File_iread_shared`: starts to read at the shared file pointer.
#[mpi(large, raises = fh)]
fn file_iread_shared(
    rank: Rank<'_>,
    fh: MPI_File,
    buf: BufferMut,
    count: Count,
    datatype: MPI_Datatype,
    request: Out<MPI_Request>,
) -> Outcome {
    request.check("request")?;
    let target = rank.target(buf, count, datatype)?;
    let started = rank.file(fh)?.start_read(Positioning::Shared, &target)?;
    give_out(rank, started, fh, request)
}

/// `MPI_File_read_ordered`: reads at the shared file pointer, in the order of ranks.
#[mpi(large, raises = fh)]
fn file_read_ordered(
    rank: Rank<'_>,
    fh: MPI_File,
    buf: BufferMut,
    count: Count,
    datatype: MPI_Datatype,
    status: StatusOut,
) -> Outcome {
    let target = rank.target(buf, count, datatype)?;
    tell(rank.file(fh)?.read_all(Positioning::Shared, &target), status)
}

/// `MPI_File_read_ordered_begin`: begins to read at the shared file pointer, in the order of ranks.
#[mpi(large, raises = fh)]
fn file_read_ordered_begin(
    rank: Rank<'_>,
    fh: MPI_File,
    buf: BufferMut,
    count: Count,
    datatype: MPI_Datatype,
) -> Outcome {
    let target = rank.target(buf, count, datatype)?;
    Ok(rank
        .file(fh)?
        .begin_split_read(Split::ReadOrdered, Positioning::Shared, &target)?)
}

/// `MPI_File_read_ordered_end`: ends what `MPI_File_read_ordered_begin` has begun.
#[mpi(raises = fh)]
fn file_read_ordered_end(rank: Rank<'_>, fh: MPI_File, buf: BufferMut, status: StatusOut) -> Outcome {
    let _ = buf;
    tell(rank.file(fh)?.end_split(Split::ReadOrdered), status)
}

/// `MPI_File_write_shared`: writes at the shared file pointer.
#[mpi(large, raises = fh)]
fn file_write_shared(
    rank: Rank<'_>,
    fh: MPI_File,
    buf: Buffer,
    count: Count,
    datatype: MPI_Datatype,
    status: StatusOut,
) -> Outcome {
    let source = rank.source(buf, count, datatype)?;
    tell(rank.file(fh)?.write(Positioning::Shared, &source), status)
}

/// `MPI_File_iwrite_shared`: starts to write at the shared file pointer.
#[mpi(large, raises = fh)]
fn file_iwrite_shared(
    rank: Rank<'_>,
    fh: MPI_File,
    buf: Buffer,
    count: Count,
    datatype: MPI_Datatype,
    request: Out<MPI_Request>,
) -> Outcome {
    request.check("request")?;
    let source = rank.source(buf, count, datatype)?;
    let started = rank.file(fh)?.start_write(Positioning::Shared, &source)?;
    give_out(rank, started, fh, request)
}

/// `MPI_File_write_ordered`: writes at the shared file pointer, in the order of ranks.
#[mpi(large, raises = fh)]
fn file_write_ordered(
    rank: Rank<'_>,
    fh: MPI_File,
    buf: Buffer,
    count: Count,
    datatype: MPI_Datatype,
    status: StatusOut,
) -> Outcome {
    let source = rank.source(buf, count, datatype)?;
    tell(rank.file(fh)?.write_all(Positioning::Shared, &source), status)
}

/// `MPI_File_write_ordered_begin`: begins to write at the shared file pointer, in the order of ranks.
#[mpi(large, raises = fh)]
fn file_write_ordered_begin(
    rank: Rank<'_>,
    fh: MPI_File,
    buf: Buffer,
    count: Count,
    datatype: MPI_Datatype,
) -> Outcome {
    let source = rank.source(buf, count, datatype)?;
    Ok(rank
        .file(fh)?
        .begin_split_write(Split::WriteOrdered, Positioning::Shared, &source)?)
}

/// `MPI_File_write_ordered_end`: ends what `MPI_File_write_ordered_begin` has begun.
#[mpi(raises = fh)]
fn file_write_ordered_end(rank: Rank<'_>, fh: MPI_File, buf: Buffer, status: StatusOut) -> Outcome {
    let _ = buf;
    tell(rank.file(fh)?.end_split(Split::WriteOrdered), status)
}
