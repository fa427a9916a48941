//! Data representations.

use core::ffi::{c_int, c_void};
use core::mem::transmute;
use core::ptr::null_mut;

use super::predefined::{mpi_conversion_fn_null_, mpi_conversion_fn_null_c_};
use super::trampoline::Procedure;
use crate::foreign::*;
use crate::memory;
use crate::text::Text;

/// A conversion function of Fortran. Its count is an INTEGER or, in large ones, one of MPI_COUNT_KIND.
type Conversion<C> = unsafe extern "C" fn(
    userbuf: *mut c_void,
    datatype: *mut c_int,
    count: *mut C,
    filebuf: *mut c_void,
    position: *mut i64,
    extra_state: *mut isize,
    ierror: *mut c_int,
);

/// A function of Fortran that tells extents.
type Extent = unsafe extern "C" fn(
    datatype: *mut c_int,
    extent: *mut isize,
    extra_state: *mut isize,
    ierror: *mut c_int,
);

/// The procedures of a representation, and the state that they get. Representations stay until the rank ends, and so do
/// their records.
struct Record {
    read: Procedure,
    write: Procedure,
    extent: Procedure,
    extra_state: isize,
}

/// Calls a conversion function.
unsafe fn convert<C>(
    procedure: Procedure,
    (userbuf, datatype, mut count): (*mut c_void, MPI_Datatype, C),
    (filebuf, mut position): (*mut c_void, i64),
    mut extra_state: isize,
) -> c_int {
    let (mut datatype, mut ierror) = (datatype.integer(), MPI_SUCCESS);
    // SAFETY:
    // - the program has passed a conversion function with a count of this type; the buffers are those that MPI passes.
    unsafe {
        transmute::<Procedure, Conversion<C>>(procedure)(
            userbuf,
            &raw mut datatype,
            &raw mut count,
            filebuf,
            &raw mut position,
            &raw mut extra_state,
            &raw mut ierror,
        );
    }
    ierror
}

/// The function of C for one of the conversions of a record.
macro_rules! conversion {
    ($name:ident, $count:ty, $which:ident) => {
        unsafe extern "C" fn $name(
            userbuf: *mut c_void,
            datatype: MPI_Datatype,
            count: $count,
            filebuf: *mut c_void,
            position: i64,
            extra_state: *mut c_void,
        ) -> c_int {
            // SAFETY:
            // - the extra state is a record, of such procedures.
            unsafe {
                let record = &*extra_state.cast::<Record>();
                let elements = (userbuf, datatype, count);
                convert(
                    record.$which,
                    elements,
                    (filebuf, position),
                    record.extra_state,
                )
            }
        }
    };
}

conversion!(read, c_int, read);
conversion!(write, c_int, write);
conversion!(read_large, i64, read);
conversion!(write_large, i64, write);

unsafe extern "C" fn extent(datatype: MPI_Datatype, extent: *mut isize, extra_state: *mut c_void) -> c_int {
    let (mut datatype, mut ierror) = (datatype.integer(), MPI_SUCCESS);
    // SAFETY:
    // - the extra state is a record, whose procedure takes these arguments; MPI passes the address of an extent.
    unsafe {
        let record = &*extra_state.cast::<Record>();
        let mut state = record.extra_state;
        transmute::<Procedure, Extent>(record.extent)(
            &raw mut datatype,
            extent,
            &raw mut state,
            &raw mut ierror,
        );
    }
    ierror
}

/// The function of C for a procedure: none for the null conversion.
fn unless_null(procedure: Procedure, null: Procedure, function: *mut c_void) -> *mut c_void {
    if procedure == null { null_mut() } else { function }
}

/// `MPI_REGISTER_DATAREP`: registers a data representation with conversion functions that take INTEGER counts.
///
/// # Safety
///
/// The arguments are what the MPI standard asks for.
pub(crate) unsafe fn register_datarep(
    datarep: *mut u8,
    read_conversion_fn: Procedure,
    write_conversion_fn: Procedure,
    dtype_file_extent_fn: Procedure,
    extra_state: *mut isize,
    datarep_length: usize,
) -> c_int {
    let null = mpi_conversion_fn_null_ as *mut c_void;
    // SAFETY:
    // - the caller's promise; the functions are those for such procedures.
    unsafe {
        let record = record(
            read_conversion_fn,
            write_conversion_fn,
            dtype_file_extent_fn,
            extra_state,
        );
        let code = MPI_Register_datarep(
            Text::without_trailing(datarep, datarep_length).as_mut_ptr(),
            unless_null(read_conversion_fn, null, read as *mut c_void),
            unless_null(write_conversion_fn, null, write as *mut c_void),
            extent as *mut c_void,
            record,
        );
        keep_if(code, record)
    }
}

/// `MPI_Register_datarep_c`: registers a data representation with conversion functions that take large counts.
///
/// # Safety
///
/// The arguments are what the MPI standard asks for.
pub(crate) unsafe fn register_datarep_c(
    datarep: *mut u8,
    read_conversion_fn: Procedure,
    write_conversion_fn: Procedure,
    dtype_file_extent_fn: Procedure,
    extra_state: *mut isize,
    datarep_length: usize,
) -> c_int {
    let null = mpi_conversion_fn_null_c_ as *mut c_void;
    // SAFETY:
    // - as above.
    unsafe {
        let record = record(
            read_conversion_fn,
            write_conversion_fn,
            dtype_file_extent_fn,
            extra_state,
        );
        let code = MPI_Register_datarep_c(
            Text::without_trailing(datarep, datarep_length).as_mut_ptr(),
            unless_null(read_conversion_fn, null, read_large as *mut c_void),
            unless_null(write_conversion_fn, null, write_large as *mut c_void),
            extent as *mut c_void,
            record,
        );
        keep_if(code, record)
    }
}

/// A record of these procedures.
///
/// # Safety
///
/// `extra_state` is the address of an integer.
unsafe fn record(
    read: Procedure,
    write: Procedure,
    extent: Procedure,
    extra_state: *mut isize,
) -> *mut c_void {
    let record: *mut Record = memory::allocate(size_of::<Record>()).cast();
    // SAFETY:
    // - the memory has the size of a record, and nobody else has its address; the caller's promise.
    unsafe {
        record.write(Record {
            read,
            write,
            extent,
            extra_state: *extra_state,
        });
    }
    record.cast()
}

/// Frees a record that MPI has not taken.
///
/// # Safety
///
/// The record was made for the call that has returned this code.
unsafe fn keep_if(code: c_int, record: *mut c_void) -> c_int {
    if code != MPI_SUCCESS {
        // SAFETY:
        // - the caller's promise: nobody else has it.
        unsafe { memory::free(record) };
    }
    code
}
