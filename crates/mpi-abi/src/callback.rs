//! Pointers to functions of the program, as C passes them.

use std::marker::PhantomData;
use std::mem;

use crate::error::{CallError, ResultOf};

/// A pointer to a function of the program, of the function pointer type `F`; may be null.
#[repr(transparent)]
#[derive(Debug)]
pub struct Callback<F>(usize, PhantomData<F>);

impl<F> Clone for Callback<F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F> Copy for Callback<F> {}

impl<F> PartialEq for Callback<F> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<F: Copy> Callback<F> {
    /// One of the small numbers that stand for functions of the library.
    pub const fn special(number: usize) -> Self {
        Self(number, PhantomData)
    }

    /// The same function as one of type `G`.
    ///
    /// # Safety
    ///
    /// `F` and `G` differ at most in the types of handles, all of which are words.
    pub unsafe fn cast<G>(self) -> Callback<G> {
        Callback(self.0, PhantomData)
    }

    /// The function; `name` is the parameter's, for the error message.
    pub fn get(self, name: &str) -> ResultOf<F> {
        const { assert!(mem::size_of::<F>() == mem::size_of::<usize>()) };
        if self.0 == 0 {
            return Err(CallError::null(name));
        }
        // SAFETY:
        // - `F` is a function pointer type of the size of an address (asserted above);
        // - the C caller passed a function of that type (the MPI standard obliges it to), and it is not null.
        Ok(unsafe { mem::transmute_copy(&self.0) })
    }
}
