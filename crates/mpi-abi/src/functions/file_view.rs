//! Views of files.

use simurgh_mpi::ErrorClass;
use simurgh_mpi_abi_macros::mpi;

use crate::arguments::{Out, Text, TextOut};
use crate::constants::MPI_MAX_DATAREP_STRING;
use crate::error::{CallError, Outcome};
use crate::handles::Rank;
use crate::types::{MPI_Datatype, MPI_File, MPI_Info, MPI_Offset};

/// `MPI_File_set_view`: sets which bytes of the file the calling process sees.
#[mpi(raises = fh)]
fn file_set_view(
    rank: Rank<'_>,
    fh: MPI_File,
    disp: MPI_Offset,
    etype: MPI_Datatype,
    filetype: MPI_Datatype,
    datarep: Text,
    info: MPI_Info,
) -> Outcome {
    let (file, hints) = (rank.file(fh)?, rank.hints(info)?);
    let (etype, filetype) = (
        rank.datatype("etype", etype)?,
        rank.datatype("filetype", filetype)?,
    );
    let representation = rank.tables.files.representation(&datarep.read("datarep")?);
    let representation = representation.map_err(simurgh_mpi::Error::from);
    Ok(file.set_view(disp, etype, filetype, representation, &hints)?)
}

/// `MPI_File_get_view`: which bytes of the file the calling process sees. The datatypes are new ones, unless they are
/// predefined.
#[mpi(raises = fh)]
fn file_get_view(
    rank: Rank<'_>,
    fh: MPI_File,
    disp: Out<MPI_Offset>,
    etype: Out<MPI_Datatype>,
    filetype: Out<MPI_Datatype>,
    datarep: TextOut,
) -> Outcome {
    let view = rank.file(fh)?.view();
    disp.set("disp", view.displacement().cast_signed())?;
    etype.check("etype")?;
    filetype.check("filetype")?;
    let room = MPI_MAX_DATAREP_STRING as usize;
    datarep.set_bytes("datarep", view.representation().name().as_bytes(), room)?;
    etype.set("etype", rank.datatype_handle(view.etype().clone())?)?;
    filetype.set("filetype", rank.datatype_handle(view.filetype().clone())?)
}

/// `MPI_File_get_type_extent`: bytes from one element of a datatype to the next in the file.
#[mpi(large, raises = fh)]
fn file_get_type_extent(
    rank: Rank<'_>,
    fh: MPI_File,
    datatype: MPI_Datatype,
    extent: Out<Extent>,
) -> Outcome {
    let datatype = rank.any_datatype("datatype", datatype)?;
    let bytes = rank.file(fh)?.type_extent(&datatype)?;
    let bytes = bytes.try_into().map_err(|_| {
        let reason = format!("extent would be {bytes}, which is more than it can hold");
        CallError::new(ErrorClass::ValueTooLarge, reason)
    })?;
    extent.set("extent", bytes)
}
