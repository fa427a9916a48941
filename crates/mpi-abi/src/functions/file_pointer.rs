//! File pointers.

use std::ffi::c_int;

use simurgh_mpi::{ErrorClass, Whence};
use simurgh_mpi_abi_macros::mpi;

use crate::arguments::Out;
use crate::constants::{MPI_SEEK_CUR, MPI_SEEK_END, MPI_SEEK_SET};
use crate::error::{CallError, Outcome, ResultOf};
use crate::handles::Rank;
use crate::types::{MPI_File, MPI_Offset};

fn whence_of(whence: c_int) -> ResultOf<Whence> {
    match whence {
        MPI_SEEK_SET => Ok(Whence::Set),
        MPI_SEEK_CUR => Ok(Whence::Current),
        MPI_SEEK_END => Ok(Whence::End),
        _ => {
            let reason = format!("whence is {whence}: pass MPI_SEEK_SET, MPI_SEEK_CUR or MPI_SEEK_END");
            Err(CallError::new(ErrorClass::Arg, reason))
        }
    }
}

/// `MPI_File_seek`: moves the individual file pointer.
#[mpi(raises = fh)]
fn file_seek(rank: Rank<'_>, fh: MPI_File, offset: MPI_Offset, whence: c_int) -> Outcome {
    Ok(rank.file(fh)?.seek(offset, whence_of(whence)?)?)
}

/// `MPI_File_seek_shared`: moves the shared file pointer.
#[mpi(raises = fh)]
fn file_seek_shared(rank: Rank<'_>, fh: MPI_File, offset: MPI_Offset, whence: c_int) -> Outcome {
    Ok(rank.file(fh)?.seek_shared(offset, whence_of(whence)?)?)
}

/// `MPI_File_get_position`: the individual file pointer.
#[mpi(raises = fh)]
fn file_get_position(rank: Rank<'_>, fh: MPI_File, offset: Out<MPI_Offset>) -> Outcome {
    offset.set("offset", rank.file(fh)?.position()?)
}

/// `MPI_File_get_position_shared`: the shared file pointer.
#[mpi(raises = fh)]
fn file_get_position_shared(rank: Rank<'_>, fh: MPI_File, offset: Out<MPI_Offset>) -> Outcome {
    offset.check("offset")?;
    offset.set("offset", rank.file(fh)?.position_shared()?)
}

/// `MPI_File_get_byte_offset`: the place in the file of an offset in the view.
#[mpi(raises = fh)]
fn file_get_byte_offset(rank: Rank<'_>, fh: MPI_File, offset: MPI_Offset, disp: Out<MPI_Offset>) -> Outcome {
    disp.set("disp", rank.file(fh)?.byte_offset(offset)?)
}
