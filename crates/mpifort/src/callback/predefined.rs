//! The standard's own callbacks, which programs pass by name and may call as well.
//!
//! They are procedures like those of programs. A module declares them as external ones, so all modules and `mpif.h`
//! have the same.

use core::arch::global_asm;
use core::ffi::{c_int, c_void};

use crate::foreign::*;

/// Exports a callback under the names that compilers give it.
macro_rules! export {
    ($($symbol:ident $lower:literal $upper:literal: fn($($name:ident: $type:ty),*) $body:block)*) => {$(
        /// The callback of this name.
        ///
        /// # Safety
        ///
        /// The arguments are those of a callback of this kind.
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $symbol($($name: $type),*) {
            // SAFETY:
            // - the addresses are those of variables that belong to the callback.
            unsafe { $body }
        }
        export!(weak $lower $symbol);
        export!(weak $upper $symbol);
        global_asm!(concat!(".weak ", $lower, "__\n.set ", $lower, "__, ", stringify!($symbol)));
    )*};
    (weak $name:literal $symbol:ident) => {
        global_asm!(concat!(".weak ", $name, "\n.set ", $name, ", ", stringify!($symbol)));
    };
}

/// Exports the three callbacks for attributes of a kind of objects, whose values have this type.
macro_rules! for_attributes {
    ($integer:ty:
     $dup:ident $dup_lower:literal $dup_upper:literal,
     $copy:ident $copy_lower:literal $copy_upper:literal,
     $delete:ident $delete_lower:literal $delete_upper:literal) => {
        export! {
            $dup $dup_lower $dup_upper: fn(
                _object: *mut c_int, _keyval: *mut c_int, _extra_state: *mut $integer, given: *mut $integer,
                copied: *mut $integer, flag: *mut c_int, ierror: *mut c_int
            ) {
                *copied = *given;
                *flag = 1;
                *ierror = MPI_SUCCESS;
            }
            $copy $copy_lower $copy_upper: fn(
                _object: *mut c_int, _keyval: *mut c_int, _extra_state: *mut $integer, _given: *mut $integer,
                _copied: *mut $integer, flag: *mut c_int, ierror: *mut c_int
            ) {
                *flag = 0;
                *ierror = MPI_SUCCESS;
            }
            $delete $delete_lower $delete_upper: fn(
                _object: *mut c_int, _keyval: *mut c_int, _value: *mut $integer, _extra_state: *mut $integer,
                ierror: *mut c_int
            ) {
                *ierror = MPI_SUCCESS;
            }
        }
    };
}

for_attributes!(c_int:
    mpi_dup_fn_ "mpi_dup_fn" "MPI_DUP_FN",
    mpi_null_copy_fn_ "mpi_null_copy_fn" "MPI_NULL_COPY_FN",
    mpi_null_delete_fn_ "mpi_null_delete_fn" "MPI_NULL_DELETE_FN");
for_attributes!(isize:
    mpi_comm_dup_fn_ "mpi_comm_dup_fn" "MPI_COMM_DUP_FN",
    mpi_comm_null_copy_fn_ "mpi_comm_null_copy_fn" "MPI_COMM_NULL_COPY_FN",
    mpi_comm_null_delete_fn_ "mpi_comm_null_delete_fn" "MPI_COMM_NULL_DELETE_FN");
for_attributes!(isize:
    mpi_type_dup_fn_ "mpi_type_dup_fn" "MPI_TYPE_DUP_FN",
    mpi_type_null_copy_fn_ "mpi_type_null_copy_fn" "MPI_TYPE_NULL_COPY_FN",
    mpi_type_null_delete_fn_ "mpi_type_null_delete_fn" "MPI_TYPE_NULL_DELETE_FN");
for_attributes!(isize:
    mpi_win_dup_fn_ "mpi_win_dup_fn" "MPI_WIN_DUP_FN",
    mpi_win_null_copy_fn_ "mpi_win_null_copy_fn" "MPI_WIN_NULL_COPY_FN",
    mpi_win_null_delete_fn_ "mpi_win_null_delete_fn" "MPI_WIN_NULL_DELETE_FN");

// Data representations pass these to say that they have no conversion function. They convert nothing.
export! {
    mpi_conversion_fn_null_ "mpi_conversion_fn_null" "MPI_CONVERSION_FN_NULL": fn(
        _userbuf: *mut c_void, _datatype: *mut c_int, _count: *mut c_int, _filebuf: *mut c_void,
        _position: *mut i64, _extra_state: *mut isize, ierror: *mut c_int
    ) {
        *ierror = MPI_ERR_CONVERSION;
    }
    mpi_conversion_fn_null_c_ "mpi_conversion_fn_null_c" "MPI_CONVERSION_FN_NULL_C": fn(
        _userbuf: *mut c_void, _datatype: *mut c_int, _count: *mut i64, _filebuf: *mut c_void,
        _position: *mut i64, _extra_state: *mut isize, ierror: *mut c_int
    ) {
        *ierror = MPI_ERR_CONVERSION;
    }
}
