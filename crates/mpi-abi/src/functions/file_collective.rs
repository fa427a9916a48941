//! Collective accesses to files.

use simurgh_mpi::{Positioning, Split};
use simurgh_mpi_abi_macros::mpi;

use super::nonblocking::give_out;
use crate::arguments::{Buffer, BufferMut, Out, StatusOut};
use crate::error::Outcome;
use crate::functions::receive::tell;
use crate::handles::Rank;
use crate::types::{MPI_Datatype, MPI_File, MPI_Offset, MPI_Request};

/// `MPI_File_read_at_all`: reads at an offset, together with all other processes.
#[mpi(large, raises = fh)]
fn file_read_at_all(
    rank: Rank<'_>,
    fh: MPI_File,
    offset: MPI_Offset,
    buf: BufferMut,
    count: Count,
    datatype: MPI_Datatype,
    status: StatusOut,
) -> Outcome {
    let target = rank.target(buf, count, datatype)?;
    tell(rank.file(fh)?.read_all(Positioning::At(offset), &target), status)
}

/// `MPI_File_iread_at_all`: starts to read at an offset, together with all other processes.
#[mpi(large, raises = fh)]
fn file_iread_at_all(
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
    let started = rank.file(fh)?.start_read_all(Positioning::At(offset), &target)?;
    give_out(rank, started, fh, request)
}

/// `MPI_File_read_at_all_begin`: begins to read at an offset, together with all other processes.
#[mpi(large, raises = fh)]
fn file_read_at_all_begin(
    rank: Rank<'_>,
    fh: MPI_File,
    offset: MPI_Offset,
    buf: BufferMut,
    count: Count,
    datatype: MPI_Datatype,
) -> Outcome {
    let target = rank.target(buf, count, datatype)?;
    Ok(rank
        .file(fh)?
        .begin_split_read(Split::ReadAtAll, Positioning::At(offset), &target)?)
}

/// `MPI_File_read_at_all_end`: ends what `MPI_File_read_at_all_begin` has begun.
#[mpi(raises = fh)]
fn file_read_at_all_end(rank: Rank<'_>, fh: MPI_File, buf: BufferMut, status: StatusOut) -> Outcome {
    let _ = buf;
    tell(rank.file(fh)?.end_split(Split::ReadAtAll), status)
}

/// `MPI_File_read_all`: reads at the individual file pointer, together with all other processes.
#[mpi(large, raises = fh)]
fn file_read_all(
    rank: Rank<'_>,
    fh: MPI_File,
    buf: BufferMut,
    count: Count,
    datatype: MPI_Datatype,
    status: StatusOut,
) -> Outcome {
    let target = rank.target(buf, count, datatype)?;
    tell(rank.file(fh)?.read_all(Positioning::Individual, &target), status)
}

/// `MPI_File_iread_all`: starts to read at the individual file pointer, together with all other processes.
#[mpi(large, raises = fh)]
fn file_iread_all(
    rank: Rank<'_>,
    fh: MPI_File,
    buf: BufferMut,
    count: Count,
    datatype: MPI_Datatype,
    request: Out<MPI_Request>,
) -> Outcome {
    request.check("request")?;
    let target = rank.target(buf, count, datatype)?;
    let started = rank.file(fh)?.start_read_all(Positioning::Individual, &target)?;
    give_out(rank, started, fh, request)
}

/// `MPI_File_read_all_begin`: begins to read at the individual file pointer, together with all other processes.
#[mpi(large, raises = fh)]
fn file_read_all_begin(
    rank: Rank<'_>,
    fh: MPI_File,
    buf: BufferMut,
    count: Count,
    datatype: MPI_Datatype,
) -> Outcome {
    let target = rank.target(buf, count, datatype)?;
    Ok(rank
        .file(fh)?
        .begin_split_read(Split::ReadAll, Positioning::Individual, &target)?)
}

/// `MPI_File_read_all_end`: ends what `MPI_File_read_all_begin` has begun.
#[mpi(raises = fh)]
fn file_read_all_end(rank: Rank<'_>, fh: MPI_File, buf: BufferMut, status: StatusOut) -> Outcome {
    let _ = buf;
    tell(rank.file(fh)?.end_split(Split::ReadAll), status)
}

/// `MPI_File_write_at_all`: writes at an offset, together with all other processes.
#[mpi(large, raises = fh)]
fn file_write_at_all(
    rank: Rank<'_>,
    fh: MPI_File,
    offset: MPI_Offset,
    buf: Buffer,
    count: Count,
    datatype: MPI_Datatype,
    status: StatusOut,
) -> Outcome {
    let source = rank.source(buf, count, datatype)?;
    tell(rank.file(fh)?.write_all(Positioning::At(offset), &source), status)
}

/// `MPI_File_iwrite_at_all`: starts to write at an offset, together with all other processes.
#[mpi(large, raises = fh)]
fn file_iwrite_at_all(
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
    let started = rank.file(fh)?.start_write_all(Positioning::At(offset), &source)?;
    give_out(rank, started, fh, request)
}

/// `MPI_File_write_at_all_begin`: begins to write at an offset, together with all other processes.
#[mpi(large, raises = fh)]
fn file_write_at_all_begin(
    rank: Rank<'_>,
    fh: MPI_File,
    offset: MPI_Offset,
    buf: Buffer,
    count: Count,
    datatype: MPI_Datatype,
) -> Outcome {
    let source = rank.source(buf, count, datatype)?;
    Ok(rank
        .file(fh)?
        .begin_split_write(Split::WriteAtAll, Positioning::At(offset), &source)?)
}

/// `MPI_File_write_at_all_end`: ends what `MPI_File_write_at_all_begin` has begun.
#[mpi(raises = fh)]
fn file_write_at_all_end(rank: Rank<'_>, fh: MPI_File, buf: Buffer, status: StatusOut) -> Outcome {
    let _ = buf;
    tell(rank.file(fh)?.end_split(Split::WriteAtAll), status)
}

/// `MPI_File_write_all`: writes at the individual file pointer, together with all other processes.
#[mpi(large, raises = fh)]
fn file_write_all(
    rank: Rank<'_>,
    fh: MPI_File,
    buf: Buffer,
    count: Count,
    datatype: MPI_Datatype,
    status: StatusOut,
) -> Outcome {
    let source = rank.source(buf, count, datatype)?;
    tell(rank.file(fh)?.write_all(Positioning::Individual, &source), status)
}

/// `MPI_File_iwrite_all`: starts to write at the individual file pointer, together with all other processes.
#[mpi(large, raises = fh)]
fn file_iwrite_all(
    rank: Rank<'_>,
    fh: MPI_File,
    buf: Buffer,
    count: Count,
    datatype: MPI_Datatype,
    request: Out<MPI_Request>,
) -> Outcome {
    request.check("request")?;
    let source = rank.source(buf, count, datatype)?;
    let started = rank.file(fh)?.start_write_all(Positioning::Individual, &source)?;
    give_out(rank, started, fh, request)
}

/// `MPI_File_write_all_begin`: begins to write at the individual file pointer, together with all other processes.
#[mpi(large, raises = fh)]
fn file_write_all_begin(
    rank: Rank<'_>,
    fh: MPI_File,
    buf: Buffer,
    count: Count,
    datatype: MPI_Datatype,
) -> Outcome {
    let source = rank.source(buf, count, datatype)?;
    Ok(rank
        .file(fh)?
        .begin_split_write(Split::WriteAll, Positioning::Individual, &source)?)
}

/// `MPI_File_write_all_end`: ends what `MPI_File_write_all_begin` has begun.
#[mpi(raises = fh)]
fn file_write_all_end(rank: Rank<'_>, fh: MPI_File, buf: Buffer, status: StatusOut) -> Outcome {
    let _ = buf;
    tell(rank.file(fh)?.end_split(Split::WriteAll), status)
}
