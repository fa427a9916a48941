//! Memory allocation.

use simurgh_mpi_abi_macros::mpi;

use crate::arguments::BufferMut;
use crate::error::Outcome;
use crate::handles::{Rank, allocate, give_back};
use crate::types::{MPI_Aint, MPI_Info};

/// `MPI_Alloc_mem`: allocates memory for communication; `info` may ask for an alignment.
#[mpi]
fn alloc_mem(rank: Rank<'_>, size: MPI_Aint, info: MPI_Info, baseptr: BufferMut) -> Outcome {
    let hints = rank.hints(info)?;
    baseptr.check("baseptr")?;
    let allocated = allocate(rank, size, &hints)?;
    baseptr.set_pointer("baseptr", allocated)
}

/// `MPI_Free_mem`: frees memory of `MPI_Alloc_mem`.
#[mpi]
fn free_mem(rank: Rank<'_>, base: BufferMut) -> Outcome {
    give_back(rank, base)
}
