//! The C functions, handles and constants of the standard ABI, and the conversion of handles.

#![allow(
    non_snake_case,
    non_camel_case_types,
    dead_code,
    clippy::too_many_arguments,
    reason = "generated for all functions, with the standard's names and arguments"
)]

use core::ffi::{c_char, c_int, c_void};

/// The handles below this number are constants of the ABI: they are their own integers.
const FIRST_MADE: usize = 4096;

/// A handle that has an `INTEGER` in Fortran.
pub(crate) trait Convert: Copy {
    /// The handle of an integer.
    fn of(number: c_int) -> Self;

    /// The integer of the handle.
    fn integer(self) -> c_int;
}

/// Whether an integer is that of a predefined handle, which has the same value.
#[inline(always)]
pub(crate) fn is_predefined(number: c_int) -> bool {
    // A negative number is a large one here.
    (number as u32 as usize) < FIRST_MADE
}

/// An argument of a C function that is passed in a register.
pub(crate) trait Word: Copy {
    /// The content of the register.
    fn word(self) -> usize;
}

impl Word for c_int {
    #[inline(always)]
    fn word(self) -> usize {
        self as usize
    }
}

impl Word for i64 {
    #[inline(always)]
    fn word(self) -> usize {
        self as usize
    }
}

impl<T> Word for *mut T {
    #[inline(always)]
    fn word(self) -> usize {
        self.expose_provenance()
    }
}

macro_rules! convert {
    ($handle:ident, $fromint:ident, $toint:ident) => {
        impl Word for $handle {
            #[inline(always)]
            fn word(self) -> usize {
                self.0
            }
        }

        impl Convert for $handle {
            #[inline(always)]
            fn of(number: c_int) -> Self {
                if is_predefined(number) {
                    return Self(number as usize);
                }
                // SAFETY:
                // - the function takes any number that stands for a handle.
                unsafe { $fromint(number) }
            }

            #[inline(always)]
            fn integer(self) -> c_int {
                if self.0 < FIRST_MADE {
                    return self.0 as c_int;
                }
                // SAFETY:
                // - the handle comes from the library that takes it.
                unsafe { $toint(self) }
            }
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/foreign.rs"));
