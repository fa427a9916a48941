//! What the C library is told about Fortran when MPI starts: the sizes of its types, and the values of its logicals.
//!
//! Each can be said once. Another library of the program may have said it before, which is no error.

use core::ffi::{CStr, c_int};

use crate::foreign::*;
use crate::sentinel::blocks;

/// The sizes of the default kinds, unless the program has been compiled with others.
const SIZES: [(&CStr, &CStr); 4] = [
    (c"mpi_logical_size", c"4"),
    (c"mpi_integer_size", c"4"),
    (c"mpi_real_size", c"4"),
    (c"mpi_double_precision_size", c"8"),
];

/// The size of a kind: its number in bytes, with all compilers that the wrapper knows. Kind 10 has no datatype of its
/// own among default types.
fn size_of_kind(kind: c_int) -> Option<&'static CStr> {
    Some(match kind {
        1 => c"1",
        2 => c"2",
        4 => c"4",
        8 => c"8",
        16 => c"16",
        _ => return None,
    })
}

/// The size of the default logical, which is said first; then the others that there are.
const LOGICALS: [c_int; 5] = [4, 1, 2, 8, 16];

/// Says what is to be said.
#[cold]
pub(crate) fn declare() {
    declare_sizes();
    // The words are declared once, for one size. Logicals of other sizes have the same ones.
    if !LOGICALS.into_iter().any(logical_is_declared) {
        let (mut yes, mut no): (c_int, c_int) = (1, 0);
        // SAFETY:
        // - both have the size of the default logical.
        unsafe {
            PMPI_Abi_set_fortran_booleans(LOGICALS[0], (&raw mut yes).cast(), (&raw mut no).cast());
        }
    }
}

fn declare_sizes() {
    let mut info = MPI_INFO_NULL;
    // SAFETY:
    // - results are stored in variables of this function, and the strings end in null bytes.
    unsafe {
        if PMPI_Abi_get_fortran_info(&raw mut info) != MPI_SUCCESS {
            return;
        }
        if info == MPI_INFO_NULL && PMPI_Info_create(&raw mut info) == MPI_SUCCESS {
            for ((key, usual), kind) in SIZES.into_iter().zip(blocks::default_kinds()) {
                let value = size_of_kind(kind).unwrap_or(usual);
                PMPI_Info_set(info, key.as_ptr().cast_mut(), value.as_ptr().cast_mut());
            }
            PMPI_Abi_set_fortran_info(info);
        }
        PMPI_Info_free(&raw mut info);
    }
}

/// Whether the words for true and false in logicals of this size have been declared.
fn logical_is_declared(size: c_int) -> bool {
    let (mut yes, mut no, mut is_set) = (0_u128, 0_u128, 0);
    // SAFETY:
    // - both have room for the largest logical.
    let code = unsafe {
        PMPI_Abi_get_fortran_booleans(size, (&raw mut yes).cast(), (&raw mut no).cast(), &raw mut is_set)
    };
    code == MPI_SUCCESS && is_set != 0
}
