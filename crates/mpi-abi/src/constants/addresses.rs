//! Special addresses: values of pointer arguments that point nowhere.

use std::ffi::{c_char, c_int, c_void};
use std::ptr::without_provenance_mut as address;

use crate::callback::Callback;
use crate::types::*;

// Buffers
pub const MPI_BOTTOM: *mut c_void = address(0);
pub const MPI_IN_PLACE: *mut c_void = address(1);
pub const MPI_BUFFER_AUTOMATIC: *mut c_void = address(2);

// Ignored and empty arguments
pub const MPI_ARGV_NULL: *mut *mut c_char = address(0);
pub const MPI_ARGVS_NULL: *mut *mut *mut c_char = address(0);
pub const MPI_ERRCODES_IGNORE: *mut c_int = address(0);
pub const MPI_STATUS_IGNORE: *mut MPI_Status = address(0);
pub const MPI_STATUSES_IGNORE: *mut MPI_Status = address(0);
pub const MPI_F_STATUS_IGNORE: *mut MPI_Fint = address(0);
pub const MPI_F_STATUSES_IGNORE: *mut MPI_Fint = address(0);
pub const MPI_F08_STATUS_IGNORE: *mut MPI_F08_status = address(0);
pub const MPI_F08_STATUSES_IGNORE: *mut MPI_F08_status = address(0);
pub const MPI_UNWEIGHTED: *mut c_int = address(10);
pub const MPI_WEIGHTS_EMPTY: *mut c_int = address(11);

// Callbacks that the library provides
pub const MPI_NULL_COPY_FN: Callback<MPI_Copy_function> = Callback::special(0);
pub const MPI_DUP_FN: Callback<MPI_Copy_function> = Callback::special(1);
pub const MPI_NULL_DELETE_FN: Callback<MPI_Delete_function> = Callback::special(0);
pub const MPI_COMM_NULL_COPY_FN: Callback<MPI_Comm_copy_attr_function> = Callback::special(0);
pub const MPI_COMM_DUP_FN: Callback<MPI_Comm_copy_attr_function> = Callback::special(1);
pub const MPI_COMM_NULL_DELETE_FN: Callback<MPI_Comm_delete_attr_function> = Callback::special(0);
pub const MPI_TYPE_NULL_COPY_FN: Callback<MPI_Type_copy_attr_function> = Callback::special(0);
pub const MPI_TYPE_DUP_FN: Callback<MPI_Type_copy_attr_function> = Callback::special(1);
pub const MPI_TYPE_NULL_DELETE_FN: Callback<MPI_Type_delete_attr_function> = Callback::special(0);
pub const MPI_WIN_NULL_COPY_FN: Callback<MPI_Win_copy_attr_function> = Callback::special(0);
pub const MPI_WIN_DUP_FN: Callback<MPI_Win_copy_attr_function> = Callback::special(1);
pub const MPI_WIN_NULL_DELETE_FN: Callback<MPI_Win_delete_attr_function> = Callback::special(0);
pub const MPI_CONVERSION_FN_NULL: Callback<MPI_Datarep_conversion_function> = Callback::special(0);
pub const MPI_CONVERSION_FN_NULL_C: Callback<MPI_Datarep_conversion_function_c> = Callback::special(0);

// Tool information interface
pub const MPI_T_ENUM_NULL: MPI_T_enum = MPI_T_enum(0);
pub const MPI_T_CVAR_HANDLE_NULL: MPI_T_cvar_handle = MPI_T_cvar_handle(0);
pub const MPI_T_PVAR_SESSION_NULL: MPI_T_pvar_session = MPI_T_pvar_session(0);
pub const MPI_T_PVAR_HANDLE_NULL: MPI_T_pvar_handle = MPI_T_pvar_handle(0);
pub const MPI_T_PVAR_ALL_HANDLES: MPI_T_pvar_handle = MPI_T_pvar_handle(1);

// Files
pub const MPI_DISPLACEMENT_CURRENT: MPI_Offset = -1;
