//! Arrays of handles.

use core::ffi::c_int;

use crate::foreign::{Convert, MPI_Request};
use crate::memory::Temporary;
use crate::section::pending;

/// The handles of an array that need no memory of their own.
const SHORT: usize = 32;

/// An array of integers of Fortran as handles, for C.
pub(crate) struct Handles<T> {
    handles: Temporary<T, SHORT>,
    length: usize,
}

impl<T: Convert> Handles<T> {
    /// The handles of the first `length` integers.
    ///
    /// # Safety
    ///
    /// `integers` has `length` elements.
    #[inline(always)]
    pub(crate) unsafe fn of(integers: *const c_int, length: i64) -> Self {
        let length = usize::try_from(length).unwrap_or(0);
        let mut handles = Temporary::<T, SHORT>::new(length);
        let first = handles.as_mut_ptr();
        for index in 0..length {
            // SAFETY:
            // - both arrays have `length` elements.
            unsafe { first.add(index).write(T::of(*integers.add(index))) };
        }
        Self { handles, length }
    }

    /// Their address for C.
    #[inline(always)]
    pub(crate) fn as_mut_ptr(&mut self) -> *mut T {
        self.handles.as_mut_ptr()
    }

    /// Stores the integers of the handles.
    ///
    /// # Safety
    ///
    /// `integers` has room for them, and C has left handles.
    #[inline(always)]
    pub(crate) unsafe fn give(&mut self, integers: *mut c_int) {
        let first = self.handles.as_mut_ptr();
        for index in 0..self.length {
            // SAFETY:
            // - both arrays have `length` elements.
            unsafe { integers.add(index).write((*first.add(index)).integer()) };
        }
    }
}

impl Handles<MPI_Request> {
    /// What happens to the data of requests that a call has left, before [`Handles::give`].
    ///
    /// # Safety
    ///
    /// `integers` has the requests before the call, and C has left handles.
    #[cold]
    pub(crate) unsafe fn left(&mut self, integers: *const c_int) {
        let first = self.handles.as_mut_ptr();
        for index in 0..self.length {
            // SAFETY:
            // - both arrays have `length` elements.
            unsafe { pending::left(*integers.add(index), *first.add(index)) };
        }
    }
}
