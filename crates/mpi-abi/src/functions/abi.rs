//! The binary interface, and what a Fortran layer above it declares.

use std::ffi::c_int;

use simurgh_mpi::{Info, Result};
use simurgh_mpi_abi_macros::mpi;

use super::info;
use crate::arguments::{BufferMut, Out};
use crate::constants::{MPI_ABI_SUBVERSION, MPI_ABI_VERSION, MPI_INFO_NULL};
use crate::error::Outcome;
use crate::handles::Rank;
use crate::types::{MPI_Aint, MPI_Count, MPI_Info, MPI_Offset};

/// `MPI_Abi_get_version`: the version of the binary interface.
#[mpi]
fn abi_get_version(abi_major: Out<c_int>, abi_minor: Out<c_int>) -> Outcome {
    abi_major.set("abi_major", MPI_ABI_VERSION)?;
    abi_minor.set("abi_minor", MPI_ABI_SUBVERSION)
}

fn sizes() -> Result<Info> {
    let mut sizes = Info::new();
    for (key, size) in [
        ("mpi_aint_size", size_of::<MPI_Aint>()),
        ("mpi_count_size", size_of::<MPI_Count>()),
        ("mpi_offset_size", size_of::<MPI_Offset>()),
    ] {
        sizes.set(key, size.to_string())?;
    }
    Ok(sizes)
}

/// `MPI_Abi_get_info`: an info object with the sizes of the interface's integer types.
#[mpi(early)]
fn abi_get_info(rank: Rank<'_>, info: Out<MPI_Info>) -> Outcome {
    info::give_out(rank, sizes()?, info)
}

/// `MPI_Abi_get_fortran_info`: what has been declared about Fortran's types; the null handle if nothing has.
#[mpi(early)]
fn abi_get_fortran_info(rank: Rank<'_>, info: Out<MPI_Info>) -> Outcome {
    match rank.tables.fortran.info() {
        Some(said) => info::give_out(rank, said.clone(), info),
        None => info.set("info", MPI_INFO_NULL),
    }
}

/// `MPI_Abi_set_fortran_info`: declares, once, which types the Fortran compiler has.
#[mpi(early)]
fn abi_set_fortran_info(rank: Rank<'_>, info: MPI_Info) -> Outcome {
    let said = rank.read_info(info, Info::clone)?;
    rank.tables.fortran.set_info(said)
}

/// `MPI_Abi_get_fortran_booleans`: the values that stand for true and false in logicals of this size, if they have been
/// declared.
#[mpi(early)]
fn abi_get_fortran_booleans(
    rank: Rank<'_>,
    logical_size: c_int,
    logical_true: BufferMut,
    logical_false: BufferMut,
    is_set: Out<c_int>,
) -> Outcome {
    is_set.check("is_set")?;
    let known = rank.tables.fortran.booleans(logical_size)?;
    if let Some(known) = known {
        logical_true.set_all("logical_true", &known.yes)?;
        logical_false.set_all("logical_false", &known.no)?;
    }
    is_set.set("is_set", c_int::from(known.is_some()))
}

/// `MPI_Abi_set_fortran_booleans`: declares, once, which values stand for true and false in logicals of this size.
#[mpi(early)]
fn abi_set_fortran_booleans(
    rank: Rank<'_>,
    logical_size: c_int,
    logical_true: BufferMut,
    logical_false: BufferMut,
) -> Outcome {
    rank.tables.fortran.set_booleans(logical_size, |size| {
        Ok([
            logical_true.as_const().bytes("logical_true", size)?.into(),
            logical_false.as_const().bytes("logical_false", size)?.into(),
        ])
    })
}
