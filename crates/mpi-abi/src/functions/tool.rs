//! The tool information interface: initialisation, finalisation and enumerations.

use std::ffi::c_int;

use simurgh_mpi::ThreadLevel;
use simurgh_mpi_abi_macros::mpi;
use simurgh_tool::enumeration::{self, Enumeration};
use simurgh_tool::{ToolError, ToolResult};

use super::initialise::level;
use crate::arguments::{InOut, Out, TextOut};
use crate::constants::MPI_T_ENUM_NULL;
use crate::handles::Rank;
use crate::tool::{Name, Outcome, count, set};
use crate::types::MPI_T_enum;

/// `MPI_T_init_thread`: initialises the interface; allowed at any time and any number of times. A level that the
/// standard does not know counts as the highest.
#[mpi(tool)]
fn t_init_thread(rank: Rank<'_>, required: c_int, provided: Out<c_int>) -> Outcome {
    rank.process
        .promise(level(required).unwrap_or(ThreadLevel::Multiple));
    provided.set_unless_ignored(rank.process.thread_level() as c_int);
    rank.process.tool().init();
    Ok(())
}

/// `MPI_T_finalize`: finalizes one use of the interface; the last one frees all that is left.
#[mpi(tool)]
fn t_finalize(rank: Rank<'_>) -> Outcome {
    if rank.process.tool().finalize()? {
        rank.free_tool_objects();
    }
    Ok(())
}

/// The handle of an enumeration: its index plus one.
pub(super) fn enum_handle(place: Option<usize>) -> MPI_T_enum {
    place.map_or(MPI_T_ENUM_NULL, |place| MPI_T_enum(place + 1))
}

fn enumeration(handle: MPI_T_enum) -> ToolResult<&'static Enumeration> {
    let place = handle.0.checked_sub(1);
    let found = place.and_then(|place| enumeration::all().get(place));
    found.ok_or(ToolError::InvalidHandle)
}

/// `MPI_T_enum_get_info`: the name of an enumeration and the number of its items.
#[mpi(tool)]
fn t_enum_get_info(
    rank: Rank<'_>,
    enumtype: MPI_T_enum,
    num: Out<c_int>,
    name: TextOut,
    name_len: InOut<c_int>,
) -> Outcome {
    rank.tool()?;
    let enumeration = enumeration(enumtype)?;
    num.set_unless_ignored(count(enumeration.items.len()));
    Name {
        room: name,
        length: name_len,
    }
    .set(&enumeration.name)
}

/// `MPI_T_enum_get_item`: the number and the name of an item of an enumeration.
#[mpi(tool)]
fn t_enum_get_item(
    rank: Rank<'_>,
    enumtype: MPI_T_enum,
    indx: c_int,
    value: Out<c_int>,
    name: TextOut,
    name_len: InOut<c_int>,
) -> Outcome {
    rank.tool()?;
    let item = *crate::tool::at(&enumeration(enumtype)?.items, indx)?;
    value.set_unless_ignored(indx);
    Name {
        room: name,
        length: name_len,
    }
    .set(item)
}

/// `MPI_T_category_changed`: a number that would grow if categories changed, which they do not.
#[mpi(tool)]
fn t_category_changed(rank: Rank<'_>, update_number: Out<c_int>) -> Outcome {
    rank.tool()?;
    set(update_number, 0)
}
