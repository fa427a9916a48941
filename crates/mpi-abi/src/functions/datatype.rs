//! All datatypes: commit, duplicate, free, names and measures.

use std::ffi::c_int;

use simurgh_mpi::ErrorClass;
use simurgh_mpi::datatype::{Combiner, Contents, Datatype, Width};
use simurgh_mpi_abi_macros::mpi;

use crate::arguments::{InOut, Number, Out, Text, TextOut};
use crate::constants::{MPI_DATATYPE_NULL, MPI_MAX_OBJECT_NAME, MPI_UNDEFINED};
use crate::error::{CallError, Outcome};
use crate::handles::Rank;
use crate::types::{MPI_Aint, MPI_Datatype};

/// Stores a number of bytes, or `MPI_UNDEFINED` if it does not fit, as the standard says.
pub(super) fn set_bytes<C: Number>(place: Out<C>, name: &str, bytes: isize) -> Outcome {
    let undefined = || C::narrow(i64::from(MPI_UNDEFINED));
    match C::narrow(bytes as i64).or_else(undefined) {
        Some(bytes) => place.set(name, bytes),
        None => Ok(()),
    }
}

/// Stores a measure of a datatype in bytes.
fn set_measure<C: Number>(
    rank: Rank<'_>,
    datatype: MPI_Datatype,
    (place, name): (Out<C>, &str),
    measure: fn(&Datatype) -> isize,
) -> Outcome {
    set_bytes(place, name, measure(&rank.any_datatype("datatype", datatype)?))
}

/// `MPI_Type_commit`: declares that the datatype will be used in communication.
#[mpi]
fn type_commit(rank: Rank<'_>, datatype: InOut<MPI_Datatype>) -> Outcome {
    rank.any_datatype("datatype", datatype.get("datatype")?)?.commit();
    Ok(())
}

/// `MPI_Type_dup`: another datatype with the same layout, committed if the first is.
#[mpi]
fn type_dup(rank: Rank<'_>, oldtype: MPI_Datatype, newtype: Out<MPI_Datatype>) -> Outcome {
    newtype.check("newtype")?;
    let old = rank.any_datatype("oldtype", oldtype)?;
    let contents = Contents::new(Combiner::Dup, Width::Narrow).of([old.clone()]);
    let made = Datatype::duplicate(&old).with_contents(contents);
    let handle = rank.datatype_handle(made)?;
    if let Err(error) = rank.tables.cache.copy(oldtype.0, handle.0) {
        rank.tables.datatypes.remove(handle.0);
        newtype.set("newtype", MPI_DATATYPE_NULL)?;
        return Err(error.into());
    }
    newtype.set("newtype", handle)
}

/// `MPI_Type_free`: frees the datatype; pending operations keep it.
#[mpi]
fn type_free(rank: Rank<'_>, datatype: InOut<MPI_Datatype>) -> Outcome {
    let handle = datatype.get("datatype")?;
    let freed = rank.any_datatype("datatype", handle)?;
    if freed.is_predefined() {
        let name = freed.name();
        let reason = format!("datatype {name} is predefined: it cannot be freed");
        return Err(CallError::new(ErrorClass::Type, reason));
    }
    rank.tables.cache.delete_all(handle.0)?;
    rank.tables.datatypes.remove(handle.0);
    rank.tables.datatype_names.forget(handle);
    datatype.set(MPI_DATATYPE_NULL);
    Ok(())
}

/// `MPI_Type_set_name`: gives the datatype a name.
#[mpi]
fn type_set_name(rank: Rank<'_>, datatype: MPI_Datatype, type_name: Text) -> Outcome {
    rank.any_datatype("datatype", datatype)?;
    let mut name = type_name.read("type_name")?;
    name.truncate(name.floor_char_boundary(MPI_MAX_OBJECT_NAME as usize - 1));
    rank.tables.datatype_names.give(datatype, name);
    Ok(())
}

/// `MPI_Type_get_name`: the name the program has given to the datatype, or the standard's if it is predefined.
#[mpi]
fn type_get_name(
    rank: Rank<'_>,
    datatype: MPI_Datatype,
    type_name: TextOut,
    resultlen: Out<c_int>,
) -> Outcome {
    if datatype == MPI_DATATYPE_NULL {
        return type_name.set("type_name", "MPI_DATATYPE_NULL", MPI_MAX_OBJECT_NAME, resultlen);
    }
    let standard = match rank.lacking(datatype) {
        Some(basic) => basic.name(),
        None => rank.any_datatype("datatype", datatype)?.name(),
    };
    let given = rank.tables.datatype_names.given(datatype);
    let name = given.as_deref().unwrap_or(standard);
    type_name.set("type_name", name, MPI_MAX_OBJECT_NAME, resultlen)
}

/// `MPI_Type_size`: the bytes of data in an element; `MPI_UNDEFINED` for a type that the Fortran compiler does not
/// have.
#[mpi(large, also_x)]
fn type_size(rank: Rank<'_>, datatype: MPI_Datatype, size: Out<Count>) -> Outcome {
    if rank.lacking(datatype).is_some() {
        return set_bytes(size, "size", MPI_UNDEFINED as isize);
    }
    set_measure(rank, datatype, (size, "size"), |datatype| {
        datatype.size() as isize
    })
}

/// `MPI_Type_get_extent`: the lower bound, and the distance from one element to the next.
#[mpi(large, also_x)]
fn type_get_extent(rank: Rank<'_>, datatype: MPI_Datatype, lb: Out<Extent>, extent: Out<Extent>) -> Outcome {
    let datatype = rank.any_datatype("datatype", datatype)?;
    set_bytes(lb, "lb", datatype.lb())?;
    set_bytes(extent, "extent", datatype.extent())
}

/// `MPI_Type_extent`: the distance from one element to the next.
#[mpi(replaced_by = type_get_extent)]
fn type_extent(rank: Rank<'_>, datatype: MPI_Datatype, extent: Out<MPI_Aint>) -> Outcome {
    set_measure(rank, datatype, (extent, "extent"), Datatype::extent)
}

/// `MPI_Type_lb`: the lower bound.
#[mpi(replaced_by = type_get_extent)]
fn type_lb(rank: Rank<'_>, datatype: MPI_Datatype, displacement: Out<MPI_Aint>) -> Outcome {
    set_measure(rank, datatype, (displacement, "displacement"), Datatype::lb)
}

/// `MPI_Type_ub`: the upper bound.
#[mpi(replaced_by = type_get_extent)]
fn type_ub(rank: Rank<'_>, datatype: MPI_Datatype, displacement: Out<MPI_Aint>) -> Outcome {
    set_measure(rank, datatype, (displacement, "displacement"), Datatype::ub)
}

/// `MPI_Type_get_true_extent`: where the data begins, and the bytes from its first to its last.
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
