//! Predefined datatypes, found by the values that they can hold.

use std::ffi::c_int;

use simurgh_mpi::ErrorClass;
use simurgh_mpi::datatype::{Datatype, MatchClass, match_size};
use simurgh_mpi_abi_macros::mpi;

use crate::arguments::{Out, length_of};
use crate::constants::{MPI_DATATYPE_NULL, MPI_TYPECLASS_COMPLEX, MPI_TYPECLASS_INTEGER, MPI_TYPECLASS_REAL};
use crate::error::{CallError, Outcome};
use crate::handles::Rank;
use crate::types::MPI_Datatype;

/// `MPI_Type_create_f90_integer`: integers of `r` decimal digits.
#[mpi]
fn type_create_f90_integer(rank: Rank<'_>, r: c_int, newtype: Out<MPI_Datatype>) -> Outcome {
    let made = Datatype::f90_integer(r, &|basic| rank.tables.fortran.has_kind(basic))?;
    newtype.set("newtype", rank.datatype_handle(made)?)
}

/// `MPI_Type_create_f90_real`: reals of `p` decimal digits and exponents of `r`.
#[mpi]
fn type_create_f90_real(rank: Rank<'_>, p: c_int, r: c_int, newtype: Out<MPI_Datatype>) -> Outcome {
    let made = Datatype::f90_real(p, r, &|basic| rank.tables.fortran.has_kind(basic))?;
    newtype.set("newtype", rank.datatype_handle(made)?)
}

/// `MPI_Type_create_f90_complex`: complex numbers of `p` decimal digits and exponents of `r`.
#[mpi]
fn type_create_f90_complex(rank: Rank<'_>, p: c_int, r: c_int, newtype: Out<MPI_Datatype>) -> Outcome {
    let made = Datatype::f90_complex(p, r, &|basic| rank.tables.fortran.has_kind(basic))?;
    newtype.set("newtype", rank.datatype_handle(made)?)
}

/// `MPI_Type_match_size`: the predefined datatype of a class that has `size` bytes.
#[mpi]
fn type_match_size(rank: Rank<'_>, typeclass: c_int, size: c_int, datatype: Out<MPI_Datatype>) -> Outcome {
    let class = match typeclass {
        MPI_TYPECLASS_INTEGER => MatchClass::Integer,
        MPI_TYPECLASS_REAL => MatchClass::Real,
        MPI_TYPECLASS_COMPLEX => MatchClass::Complex,
        _ => {
            let reason = format!(
                "typeclass is {typeclass}: pass MPI_TYPECLASS_INTEGER, MPI_TYPECLASS_REAL or MPI_TYPECLASS_COMPLEX"
            );
            return Err(CallError::new(ErrorClass::Arg, reason));
        }
    };
    let has = |basic| rank.tables.fortran.datatype(basic).is_some();
    let found = match_size(class, length_of("size", size)?, &has).ok_or_else(|| {
        let reason = format!("size is {size}: no datatype of that class is {size} bytes long");
        CallError::new(ErrorClass::Arg, reason)
    })?;
    datatype.set("datatype", MPI_Datatype(found.handle()))
}

/// `MPI_Type_get_value_index`: the predefined datatype of such pairs, or the null datatype if there is none.
#[mpi]
fn type_get_value_index(
    rank: Rank<'_>,
    value_type: MPI_Datatype,
    index_type: MPI_Datatype,
    pair_type: Out<MPI_Datatype>,
) -> Outcome {
    pair_type.check("pair_type")?;
    let value = rank.any_datatype("value_type", value_type)?;
    let index = rank.any_datatype("index_type", index_type)?;
    let pair = match (value, index) {
        (Datatype::Basic(value), Datatype::Basic(index)) => Datatype::value_index(value, index)?,
        _ => None,
    };
    let handle = match pair {
        Some(pair) => rank.datatype_handle(pair)?,
        None => MPI_DATATYPE_NULL,
    };
    pair_type.set("pair_type", handle)
}
