//! Derived datatypes, and what datatypes look like.

use std::ffi::c_int;

use simurgh_mpi::ErrorClass;
use simurgh_mpi::datatype::Datatype;
use simurgh_mpi_abi_macros::mpi;

use crate::boundary::{InOut, Number, Out, TextOut, count_of};
use crate::constants::{MPI_DATATYPE_NULL, MPI_MAX_OBJECT_NAME, MPI_UNDEFINED};
use crate::fault::{Fault, Outcome, ResultOf};
use crate::tables::{Rank, handle_of};
use crate::types::MPI_Datatype;

/// Stores the handle of a datatype that a call has made.
fn give_out(rank: Rank<'_>, made: Datatype, newtype: Out<MPI_Datatype>) -> Outcome {
    newtype.set("newtype", MPI_Datatype(handle_of(&rank.tables.datatypes, made)?))
}

/// Stores a number of bytes, or `MPI_UNDEFINED` if it does not fit, as the standard asks.
fn set_bytes<C: Number>(place: Out<C>, name: &str, bytes: isize) -> Outcome {
    let undefined = || C::narrow(i64::from(MPI_UNDEFINED));
    match C::narrow(bytes as i64).or_else(undefined) {
        Some(bytes) => place.set(name, bytes),
        None => Ok(()),
    }
}

fn signed(name: &str, count: impl Number) -> ResultOf<isize> {
    let count = count.wide();
    isize::try_from(count)
        .map_err(|_| Fault::new(ErrorClass::Arg, format!("{name} is {count}, which is too large")))
}

/// `MPI_Type_contiguous`: `count` elements behind each other.
#[mpi(large)]
fn type_contiguous(
    rank: Rank<'_>,
    count: Count,
    oldtype: MPI_Datatype,
    newtype: Out<MPI_Datatype>,
) -> Outcome {
    newtype.check("newtype")?;
    let old = rank.any_datatype("oldtype", oldtype)?;
    give_out(
        rank,
        Datatype::contiguous(count_of("count", count)?, &old)?,
        newtype,
    )
}

/// `MPI_Type_vector`: blocks whose starts are `stride` elements apart.
#[mpi(large)]
fn type_vector(
    rank: Rank<'_>,
    count: Count,
    blocklength: Count,
    stride: Count,
    oldtype: MPI_Datatype,
    newtype: Out<MPI_Datatype>,
) -> Outcome {
    newtype.check("newtype")?;
    let old = rank.any_datatype("oldtype", oldtype)?;
    let (count, block) = (count_of("count", count)?, count_of("blocklength", blocklength)?);
    give_out(
        rank,
        Datatype::vector(count, block, signed("stride", stride)?, &old)?,
        newtype,
    )
}

/// `MPI_Type_create_hvector`: blocks whose starts are `stride` bytes apart.
#[mpi(large)]
fn type_create_hvector(
    rank: Rank<'_>,
    count: Count,
    blocklength: Count,
    stride: Extent,
    oldtype: MPI_Datatype,
    newtype: Out<MPI_Datatype>,
) -> Outcome {
    newtype.check("newtype")?;
    let old = rank.any_datatype("oldtype", oldtype)?;
    let (count, block) = (count_of("count", count)?, count_of("blocklength", blocklength)?);
    give_out(
        rank,
        Datatype::hvector(count, block, signed("stride", stride)?, &old)?,
        newtype,
    )
}

/// `MPI_Type_commit`: declares that the datatype will be used in communication.
#[mpi]
fn type_commit(rank: Rank<'_>, datatype: InOut<MPI_Datatype>) -> Outcome {
    rank.any_datatype("datatype", datatype.get("datatype")?)?.commit();
    Ok(())
}

/// `MPI_Type_dup`: another handle to the same layout, committed if the first is.
#[mpi]
fn type_dup(rank: Rank<'_>, oldtype: MPI_Datatype, newtype: Out<MPI_Datatype>) -> Outcome {
    newtype.check("newtype")?;
    let made = rank.any_datatype("oldtype", oldtype)?;
    let handle = handle_of(&rank.tables.datatypes, made)?;
    if let Err(error) = rank.tables.cache.copy(oldtype.0, handle) {
        rank.tables.datatypes.remove(handle);
        newtype.set("newtype", MPI_DATATYPE_NULL)?;
        return Err(error.into());
    }
    newtype.set("newtype", MPI_Datatype(handle))
}

/// `MPI_Type_free`: gives the datatype back; pending operations keep it.
#[mpi]
fn type_free(rank: Rank<'_>, datatype: InOut<MPI_Datatype>) -> Outcome {
    let handle = datatype.get("datatype")?;
    if let Some(basic) = rank.predefined_datatype(handle) {
        let reason = format!(
            "datatype is {}, which is predefined: it cannot be freed",
            basic.name()
        );
        return Err(Fault::new(ErrorClass::Type, reason));
    }
    rank.any_datatype("datatype", handle)?;
    rank.tables.cache.delete_all(handle.0)?;
    rank.tables.datatypes.remove(handle.0);
    datatype.set(MPI_DATATYPE_NULL);
    Ok(())
}

/// `MPI_Type_get_name`: the standard's name of a predefined datatype; the others have none.
#[mpi]
fn type_get_name(
    rank: Rank<'_>,
    datatype: MPI_Datatype,
    type_name: TextOut,
    resultlen: Out<c_int>,
) -> Outcome {
    rank.any_datatype("datatype", datatype)?;
    let name = rank
        .predefined_datatype(datatype)
        .map_or("", |basic| basic.name());
    type_name.set("type_name", name, MPI_MAX_OBJECT_NAME, resultlen)
}

/// `MPI_Type_size`: bytes of data in an element.
#[mpi(large, also_x)]
fn type_size(rank: Rank<'_>, datatype: MPI_Datatype, size: Out<Count>) -> Outcome {
    set_bytes(
        size,
        "size",
        rank.any_datatype("datatype", datatype)?.size() as isize,
    )
}

/// `MPI_Type_get_extent`: lower bound, and bytes from one element to the next.
#[mpi(large, also_x)]
fn type_get_extent(rank: Rank<'_>, datatype: MPI_Datatype, lb: Out<Extent>, extent: Out<Extent>) -> Outcome {
    let datatype = rank.any_datatype("datatype", datatype)?;
    set_bytes(lb, "lb", datatype.lb())?;
    set_bytes(extent, "extent", datatype.extent())
}

/// `MPI_Type_get_true_extent`: where the data begins, and bytes from its first to its last.
#[mpi(large, also_x)]
fn type_get_true_extent(
    rank: Rank<'_>,
    datatype: MPI_Datatype,
    true_lb: Out<Extent>,
    true_extent: Out<Extent>,
) -> Outcome {
    let datatype = rank.any_datatype("datatype", datatype)?;
    set_bytes(true_lb, "true_lb", datatype.true_lb())?;
    set_bytes(true_extent, "true_extent", datatype.true_extent())
}
