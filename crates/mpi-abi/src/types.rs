//! The types of the C interface, as the standard ABI lays them out.
//!
//! A handle is a pointer to an incomplete type in C, and an opaque word here: it is never dereferenced, only looked
//! up. The header generator turns each handle into `typedef struct MPI_ABI_… *`.

#![allow(
    missing_docs,
    non_camel_case_types,
    non_snake_case,
    reason = "names and meaning are the standard's"
)]

use std::ffi::{c_int, c_void};

use simurgh_mpi::Status;

/// An address, or the difference between two.
pub type MPI_Aint = isize;
/// A position in a file.
pub type MPI_Offset = i64;
/// A number of things; at least as wide as [`MPI_Aint`] and [`MPI_Offset`].
pub type MPI_Count = i64;

/// An `INTEGER` of Fortran.
pub type MPI_Fint = c_int;

/// The status of a completed operation or a probed message.
///
/// Words 0 and 1 of `MPI_internal` hold the number of bytes, and word 2 the cancellation flag.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MPI_Status {
    pub MPI_SOURCE: c_int,
    pub MPI_TAG: c_int,
    pub MPI_ERROR: c_int,
    pub MPI_internal: [c_int; 5],
}

/// A status of Fortran's module `mpi_f08`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MPI_F08_status {
    pub MPI_SOURCE: MPI_Fint,
    pub MPI_TAG: MPI_Fint,
    pub MPI_ERROR: MPI_Fint,
    pub MPI_internal: [MPI_Fint; 5],
}

impl From<&Status> for MPI_Status {
    fn from(status: &Status) -> Self {
        Self {
            MPI_SOURCE: status.source,
            MPI_TAG: status.tag,
            MPI_ERROR: status.error.number(),
            MPI_internal: Self::internal(status.bytes, status.cancelled),
        }
    }
}

impl MPI_Status {
    /// The internal words for these facts.
    pub(crate) fn internal(bytes: u64, cancelled: bool) -> [c_int; 5] {
        [
            bytes as c_int,
            (bytes >> 32) as c_int,
            c_int::from(cancelled),
            0,
            0,
        ]
    }

    /// Number of bytes of the message.
    pub(crate) fn bytes(&self) -> u64 {
        u64::from(self.MPI_internal[0].cast_unsigned())
            | u64::from(self.MPI_internal[1].cast_unsigned()) << 32
    }

    /// Whether the operation was cancelled.
    pub(crate) fn cancelled(&self) -> bool {
        self.MPI_internal[2] != 0
    }
}

macro_rules! handles {
    ($($name:ident)*) => {$(
        /// An opaque handle.
        #[repr(transparent)]
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct $name(pub usize);
    )*};
}

handles! {
    MPI_Op MPI_Comm MPI_Group MPI_Win MPI_File MPI_Session MPI_Message MPI_Info MPI_Errhandler MPI_Request
    MPI_Datatype
    MPI_T_enum MPI_T_cvar_handle MPI_T_pvar_handle MPI_T_pvar_session MPI_T_event_registration MPI_T_event_instance
}

/// The level of safety that the code of a tool's callback needs.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MPI_T_cb_safety {
    MPI_T_CB_REQUIRE_NONE = 0x00,
    MPI_T_CB_REQUIRE_MPI_RESTRICTED = 0x03,
    MPI_T_CB_REQUIRE_THREAD_SAFE = 0x0f,
    MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE = 0x3f,
}

/// Whether the events of a source come in the order of their time stamps.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MPI_T_source_order {
    MPI_T_SOURCE_ORDERED = 1,
    MPI_T_SOURCE_UNORDERED = 2,
}

// Reductions
pub type MPI_User_function = unsafe extern "C" fn(
    invec: *mut c_void,
    inoutvec: *mut c_void,
    len: *mut c_int,
    datatype: *mut MPI_Datatype,
);
pub type MPI_User_function_c = unsafe extern "C" fn(
    invec: *mut c_void,
    inoutvec: *mut c_void,
    len: *mut MPI_Count,
    datatype: *mut MPI_Datatype,
);

// Error handlers
pub type MPI_Comm_errhandler_function =
    unsafe extern "C" fn(comm: *mut MPI_Comm, error_code: *mut c_int, ...);
pub type MPI_File_errhandler_function =
    unsafe extern "C" fn(file: *mut MPI_File, error_code: *mut c_int, ...);
pub type MPI_Win_errhandler_function = unsafe extern "C" fn(win: *mut MPI_Win, error_code: *mut c_int, ...);
pub type MPI_Session_errhandler_function =
    unsafe extern "C" fn(session: *mut MPI_Session, error_code: *mut c_int, ...);

// Generalised requests
pub type MPI_Grequest_query_function =
    unsafe extern "C" fn(extra_state: *mut c_void, status: *mut MPI_Status) -> c_int;
pub type MPI_Grequest_free_function = unsafe extern "C" fn(extra_state: *mut c_void) -> c_int;
pub type MPI_Grequest_cancel_function =
    unsafe extern "C" fn(extra_state: *mut c_void, complete: c_int) -> c_int;

// Attributes: the first two are the deprecated names
pub type MPI_Copy_function = unsafe extern "C" fn(
    comm: MPI_Comm,
    keyval: c_int,
    extra_state: *mut c_void,
    attribute_val_in: *mut c_void,
    attribute_val_out: *mut c_void,
    flag: *mut c_int,
) -> c_int;
pub type MPI_Delete_function = unsafe extern "C" fn(
    comm: MPI_Comm,
    keyval: c_int,
    attribute_val: *mut c_void,
    extra_state: *mut c_void,
) -> c_int;
pub type MPI_Comm_copy_attr_function = unsafe extern "C" fn(
    comm: MPI_Comm,
    keyval: c_int,
    extra_state: *mut c_void,
    attribute_val_in: *mut c_void,
    attribute_val_out: *mut c_void,
    flag: *mut c_int,
) -> c_int;
pub type MPI_Comm_delete_attr_function = unsafe extern "C" fn(
    comm: MPI_Comm,
    keyval: c_int,
    attribute_val: *mut c_void,
    extra_state: *mut c_void,
) -> c_int;
pub type MPI_Type_copy_attr_function = unsafe extern "C" fn(
    datatype: MPI_Datatype,
    keyval: c_int,
    extra_state: *mut c_void,
    attribute_val_in: *mut c_void,
    attribute_val_out: *mut c_void,
    flag: *mut c_int,
) -> c_int;
pub type MPI_Type_delete_attr_function = unsafe extern "C" fn(
    datatype: MPI_Datatype,
    keyval: c_int,
    attribute_val: *mut c_void,
    extra_state: *mut c_void,
) -> c_int;
pub type MPI_Win_copy_attr_function = unsafe extern "C" fn(
    win: MPI_Win,
    keyval: c_int,
    extra_state: *mut c_void,
    attribute_val_in: *mut c_void,
    attribute_val_out: *mut c_void,
    flag: *mut c_int,
) -> c_int;
pub type MPI_Win_delete_attr_function = unsafe extern "C" fn(
    win: MPI_Win,
    keyval: c_int,
    attribute_val: *mut c_void,
    extra_state: *mut c_void,
) -> c_int;

// Data representations of files
pub type MPI_Datarep_extent_function =
    unsafe extern "C" fn(datatype: MPI_Datatype, extent: *mut MPI_Aint, extra_state: *mut c_void) -> c_int;
pub type MPI_Datarep_conversion_function = unsafe extern "C" fn(
    userbuf: *mut c_void,
    datatype: MPI_Datatype,
    count: c_int,
    filebuf: *mut c_void,
    position: MPI_Offset,
    extra_state: *mut c_void,
) -> c_int;
pub type MPI_Datarep_conversion_function_c = unsafe extern "C" fn(
    userbuf: *mut c_void,
    datatype: MPI_Datatype,
    count: MPI_Count,
    filebuf: *mut c_void,
    position: MPI_Offset,
    extra_state: *mut c_void,
) -> c_int;

// Tool information interface
pub type MPI_T_event_cb_function = unsafe extern "C" fn(
    event_instance: MPI_T_event_instance,
    event_registration: MPI_T_event_registration,
    cb_safety: MPI_T_cb_safety,
    user_data: *mut c_void,
);
pub type MPI_T_event_free_cb_function = unsafe extern "C" fn(
    event_registration: MPI_T_event_registration,
    cb_safety: MPI_T_cb_safety,
    user_data: *mut c_void,
);
pub type MPI_T_event_dropped_cb_function = unsafe extern "C" fn(
    count: MPI_Count,
    event_registration: MPI_T_event_registration,
    source_index: c_int,
    cb_safety: MPI_T_cb_safety,
    user_data: *mut c_void,
);

// The older spelling of the error handler types
pub type MPI_Comm_errhandler_fn = MPI_Comm_errhandler_function;
pub type MPI_File_errhandler_fn = MPI_File_errhandler_function;
pub type MPI_Win_errhandler_fn = MPI_Win_errhandler_function;
pub type MPI_Session_errhandler_fn = MPI_Session_errhandler_function;
