//! Files: opening, closing, and what concerns them as a whole.

use std::ffi::c_int;

use simurgh_mpi::File;
use simurgh_mpi_abi_macros::mpi;

use super::{group, info};
use crate::arguments::{InOut, Out, Text};
use crate::constants::MPI_FILE_NULL;
use crate::error::{CallError, Outcome};
use crate::handles::{Rank, handle_of};
use crate::types::{MPI_Comm, MPI_File, MPI_Group, MPI_Info, MPI_Offset};

/// `MPI_File_open`: opens a file. Errors are raised on the null file.
#[mpi]
fn file_open(
    rank: Rank<'_>,
    comm: MPI_Comm,
    filename: Text,
    amode: c_int,
    info: MPI_Info,
    fh: Out<MPI_File>,
) -> Outcome {
    let open = || {
        fh.check("fh")?;
        let (comm, hints) = (rank.comm(comm)?, rank.hints(info)?);
        let (files, name) = (&rank.tables.files, filename.bytes("filename")?);
        let handler = files.default_errhandler();
        let made = File::open(comm, &files.system, name, amode, &hints, handler)?;
        fh.set("fh", MPI_File(handle_of(&files.open, made)?))
    };
    open().map_err(|fault: Box<CallError>| fault.on(MPI_FILE_NULL))
}

/// `MPI_File_close`: closes the file.
#[mpi]
fn file_close(rank: Rank<'_>, fh: InOut<MPI_File>) -> Outcome {
    let handle = fh.get("fh")?;
    let file = rank.file(handle).map_err(|fault| fault.on(handle))?;
    let closed = file.close();
    closed.map_err(|error| Box::<CallError>::from(error).on(handle))?;
    rank.tables.files.open.remove(handle.0);
    fh.set(MPI_FILE_NULL);
    Ok(())
}

/// `MPI_File_delete`: deletes a file. Errors are raised on the null file.
#[mpi]
fn file_delete(rank: Rank<'_>, filename: Text, info: MPI_Info) -> Outcome {
    let delete = || {
        rank.hints(info)?;
        let name = filename.bytes("filename")?;
        Ok(File::delete(&*rank.tables.files.system, name)?)
    };
    delete().map_err(|fault: Box<CallError>| fault.on(MPI_FILE_NULL))
}

/// `MPI_File_set_size`: cuts or extends the file.
#[mpi(raises = fh)]
fn file_set_size(rank: Rank<'_>, fh: MPI_File, size: MPI_Offset) -> Outcome {
    Ok(rank.file(fh)?.set_size(size)?)
}

/// `MPI_File_preallocate`: sees to it that there is room for the file.
#[mpi(raises = fh)]
fn file_preallocate(rank: Rank<'_>, fh: MPI_File, size: MPI_Offset) -> Outcome {
    Ok(rank.file(fh)?.preallocate(size)?)
}

/// `MPI_File_get_size`: the size of the file in bytes.
#[mpi(raises = fh)]
fn file_get_size(rank: Rank<'_>, fh: MPI_File, size: Out<MPI_Offset>) -> Outcome {
    size.set("size", rank.file(fh)?.size()?.cast_signed())
}

/// `MPI_File_get_group`: the group of the processes that have opened the file.
#[mpi(raises = fh)]
fn file_get_group(rank: Rank<'_>, fh: MPI_File, group: Out<MPI_Group>) -> Outcome {
    group::give_out(rank, rank.file(fh)?.group().clone(), group)
}

/// `MPI_File_get_amode`: the mode in which the file was opened.
#[mpi(raises = fh)]
fn file_get_amode(rank: Rank<'_>, fh: MPI_File, amode: Out<c_int>) -> Outcome {
    amode.set("amode", rank.file(fh)?.amode().bits())
}

/// `MPI_File_set_info`: sets hints.
#[mpi(raises = fh)]
fn file_set_info(rank: Rank<'_>, fh: MPI_File, info: MPI_Info) -> Outcome {
    rank.file(fh)?.set_info(&rank.hints(info)?);
    Ok(())
}

/// `MPI_File_get_info`: the hints in use.
#[mpi(raises = fh)]
fn file_get_info(rank: Rank<'_>, fh: MPI_File, info_used: Out<MPI_Info>) -> Outcome {
    info::give_out(rank, rank.file(fh)?.info(), info_used)
}

/// `MPI_File_set_atomicity`: sets whether accesses of different processes are atomic.
#[mpi(raises = fh)]
fn file_set_atomicity(rank: Rank<'_>, fh: MPI_File, flag: c_int) -> Outcome {
    Ok(rank.file(fh)?.set_atomicity(flag != 0)?)
}

/// `MPI_File_get_atomicity`: whether accesses of different processes are atomic.
#[mpi(raises = fh)]
fn file_get_atomicity(rank: Rank<'_>, fh: MPI_File, flag: Out<c_int>) -> Outcome {
    flag.set("flag", c_int::from(rank.file(fh)?.is_atomic()))
}

/// `MPI_File_sync`: waits until what was written is on the device and can be seen by all.
#[mpi(raises = fh)]
fn file_sync(rank: Rank<'_>, fh: MPI_File) -> Outcome {
    Ok(rank.file(fh)?.sync()?)
}
