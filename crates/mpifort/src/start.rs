//! What the C library is told about Fortran when MPI starts: the sizes of its types, and the values of its logicals.
//!
//! Each can be said once. Another library of the program may have said it before, which is no error.

use core::ffi::{c_int, c_void};

use crate::foreign::*;

/// The sizes of the default kinds.
const SIZES: [(&core::ffi::CStr, &core::ffi::CStr); 4] = [
    (c"mpi_logical_size", c"4"),
    (c"mpi_integer_size", c"4"),
    (c"mpi_real_size", c"4"),
    (c"mpi_double_precision_size", c"8"),
];

/// The sizes of logicals.
const LOGICALS: [c_int; 5] = [1, 2, 4, 8, 16];

/// Says what is to be said.
#[cold]
pub(crate) fn declare() {
    declare_sizes();
    for size in LOGICALS {
        declare_logical(size);
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
            for (key, value) in SIZES {
                PMPI_Info_set(info, key.as_ptr().cast_mut(), value.as_ptr().cast_mut());
            }
            PMPI_Abi_set_fortran_info(info);
        }
        PMPI_Info_free(&raw mut info);
    }
}

/// Says that true is 1 and false is 0 in logicals of this size.
fn declare_logical(size: c_int) {
    let (mut yes, mut no) = (1_u128.to_le_bytes(), 0_u128.to_le_bytes());
    let (mut known_yes, mut known_no, mut is_set) = (no, no, 0);
    let bytes = |value: &mut [u8; 16]| value.as_mut_ptr().cast::<c_void>();
    // SAFETY:
    // - all values have room for the largest logical.
    unsafe {
        let known =
            PMPI_Abi_get_fortran_booleans(size, bytes(&mut known_yes), bytes(&mut known_no), &raw mut is_set);
        if known == MPI_SUCCESS && is_set == 0 {
            PMPI_Abi_set_fortran_booleans(size, bytes(&mut yes), bytes(&mut no));
        }
    }
}
