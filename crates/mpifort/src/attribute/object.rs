//! The kinds of objects that have attributes.

use core::ffi::{c_int, c_void};

use super::Value;
use crate::foreign::*;

/// The handle of an object that may have attributes.
pub(crate) trait Object: Convert {
    /// What Fortran gets for the attribute that C has got under this key.
    ///
    /// # Safety
    ///
    /// The attribute is one of an object of this kind under this key.
    unsafe fn integer_of(keyval: c_int, attribute: *mut c_void) -> isize;
}

impl Object for MPI_Comm {
    unsafe fn integer_of(keyval: c_int, attribute: *mut c_void) -> isize {
        match keyval {
            // SAFETY:
            // - the predefined attributes of communicators are addresses of an `int`.
            MPI_TAG_UB..=MPI_UNIVERSE_SIZE => unsafe { *attribute.cast::<c_int>() as isize },
            _ => Value::of(attribute).integer(),
        }
    }
}

impl Object for MPI_Win {
    unsafe fn integer_of(keyval: c_int, attribute: *mut c_void) -> isize {
        match keyval {
            // The base address is the attribute itself.
            MPI_WIN_BASE => attribute.expose_provenance().cast_signed(),
            // SAFETY:
            // - the size is the address of an address-sized integer.
            MPI_WIN_SIZE => unsafe { *attribute.cast::<isize>() },
            // SAFETY:
            // - the other predefined attributes of windows are addresses of an `int`.
            MPI_WIN_DISP_UNIT | MPI_WIN_CREATE_FLAVOR | MPI_WIN_MODEL => unsafe {
                *attribute.cast::<c_int>() as isize
            },
            _ => Value::of(attribute).integer(),
        }
    }
}

impl Object for MPI_Datatype {
    unsafe fn integer_of(_: c_int, attribute: *mut c_void) -> isize {
        Value::of(attribute).integer()
    }
}
