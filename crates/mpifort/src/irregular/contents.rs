//! What a datatype has been made of.

use core::ffi::c_int;

use crate::foreign::*;
use crate::memory::Temporary;

/// The datatypes that need no memory of their own.
const SHORT: usize = 32;

/// Room for datatypes from C, and how many C will store.
struct Datatypes {
    room: Temporary<MPI_Datatype, SHORT>,
    stored: usize,
}

impl Datatypes {
    fn new(room: i64, stored: i64) -> Self {
        let room = usize::try_from(room).unwrap_or(0);
        Self {
            room: Temporary::new(room),
            stored: usize::try_from(stored).unwrap_or(0).min(room),
        }
    }

    /// Stores their integers.
    ///
    /// # Safety
    ///
    /// `integers` has the room that was asked for, and C has stored its datatypes.
    unsafe fn give(&mut self, integers: *mut c_int) {
        let first = self.room.as_mut_ptr();
        for index in 0..self.stored {
            // SAFETY:
            // - the caller's promise.
            unsafe { integers.add(index).write((*first.add(index)).integer()) };
        }
    }
}

/// `MPI_Type_get_contents`: the arguments of the call that has made a datatype.
///
/// # Safety
///
/// The arguments are those of the standard.
pub(crate) unsafe fn type_get_contents(
    datatype: *mut c_int,
    max_integers: *mut c_int,
    max_addresses: *mut c_int,
    max_datatypes: *mut c_int,
    array_of_integers: *mut c_int,
    array_of_addresses: *mut isize,
    array_of_datatypes: *mut c_int,
) -> c_int {
    // SAFETY:
    // - the caller's promise.
    unsafe {
        let datatype = MPI_Datatype::of(*datatype);
        let (mut integers, mut addresses, mut datatypes, mut combiner) = (0, 0, 0, 0);
        let code = PMPI_Type_get_envelope(
            datatype,
            &raw mut integers,
            &raw mut addresses,
            &raw mut datatypes,
            &raw mut combiner,
        );
        if code != MPI_SUCCESS {
            return code;
        }
        let mut found = Datatypes::new((*max_datatypes).into(), datatypes.into());
        let code = MPI_Type_get_contents(
            datatype,
            *max_integers,
            *max_addresses,
            *max_datatypes,
            array_of_integers,
            array_of_addresses,
            found.room.as_mut_ptr(),
        );
        if code == MPI_SUCCESS {
            found.give(array_of_datatypes);
        }
        code
    }
}

/// `MPI_Type_get_contents_c`: the same with large counts.
///
/// # Safety
///
/// The arguments are those of the standard.
#[allow(clippy::too_many_arguments, reason = "the standard's arguments")]
pub(crate) unsafe fn type_get_contents_c(
    datatype: *mut c_int,
    max_integers: *mut i64,
    max_addresses: *mut i64,
    max_large_counts: *mut i64,
    max_datatypes: *mut i64,
    array_of_integers: *mut c_int,
    array_of_addresses: *mut isize,
    array_of_large_counts: *mut i64,
    array_of_datatypes: *mut c_int,
) -> c_int {
    // SAFETY:
    // - the caller's promise.
    unsafe {
        let datatype = MPI_Datatype::of(*datatype);
        let (mut integers, mut addresses, mut counts, mut datatypes, mut combiner) = (0, 0, 0, 0, 0);
        let code = PMPI_Type_get_envelope_c(
            datatype,
            &raw mut integers,
            &raw mut addresses,
            &raw mut counts,
            &raw mut datatypes,
            &raw mut combiner,
        );
        if code != MPI_SUCCESS {
            return code;
        }
        let mut found = Datatypes::new(*max_datatypes, datatypes);
        let code = MPI_Type_get_contents_c(
            datatype,
            *max_integers,
            *max_addresses,
            *max_large_counts,
            *max_datatypes,
            array_of_integers,
            array_of_addresses,
            array_of_large_counts,
            found.room.as_mut_ptr(),
        );
        if code == MPI_SUCCESS {
            found.give(array_of_datatypes);
        }
        code
    }
}
