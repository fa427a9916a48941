//! Data as calls take it, wherever its values lie.

#[cfg(feature = "ndarray")]
mod arrays;

use super::parts::{even_sources, even_targets};
use super::{Buffer, BufferMut, Equivalence, Received, Sent, source, target};
use simurgh_datatype::memory::{Parts, Source, Target};
use simurgh_mpi::Result;

/// Data that a call can read: every [`Buffer`], and with the feature `ndarray` arrays and views of them, whatever their
/// strides.
///
/// The values of an array are sent in its logical order, the last index first to change, and nothing is copied to
/// bring them together: the array becomes a datatype (section 5.1.2 of the standard, `MPI_Type_create_hvector`). So
/// a column can be received as a row, or as a vector.
///
/// # Safety
///
/// * Sources describe initialised values of [`Item`](Self::Item) that nobody changes while `self` is borrowed.
pub unsafe trait View {
    /// The type of the values.
    type Item: Equivalence;

    /// The number of values.
    #[doc(hidden)]
    fn number(&self) -> usize;

    /// All values.
    ///
    /// # Safety
    ///
    /// * `self` stays borrowed until the operations that get the source are complete.
    #[doc(hidden)]
    unsafe fn source(&self) -> Source;

    /// The values cut into equal parts, an array along its first axis.
    ///
    /// # Safety
    ///
    /// * As for `source`.
    #[doc(hidden)]
    unsafe fn sources(&self, parts: usize) -> Result<Parts<Source>>;
}

/// Data that a call can write: every [`BufferMut`], and with the feature `ndarray` arrays and views of them.
///
/// # Safety
///
/// * Targets describe values of [`Item`](View::Item) that nobody else uses while `self` is borrowed.
pub unsafe trait ViewMut: View {
    /// All values.
    ///
    /// # Safety
    ///
    /// * `self` stays borrowed until the operations that get the target are complete.
    #[doc(hidden)]
    unsafe fn target(&mut self) -> Target;

    /// The values cut into equal parts, an array along its first axis.
    ///
    /// # Safety
    ///
    /// * As for `target`.
    #[doc(hidden)]
    unsafe fn targets(&mut self, parts: usize) -> Result<Parts<Target>>;
}

// SAFETY:
// - the sources describe the slice that the buffer lends.
unsafe impl<B: Buffer + ?Sized> View for B {
    type Item = B::Item;

    #[inline]
    fn number(&self) -> usize {
        self.values().len()
    }

    #[inline]
    unsafe fn source(&self) -> Source {
        // SAFETY:
        // - as demanded of the caller.
        unsafe { source(self.values()) }
    }

    unsafe fn sources(&self, parts: usize) -> Result<Parts<Source>> {
        // SAFETY:
        // - as demanded of the caller.
        unsafe { even_sources(Sent::from(self.values()), parts) }
    }
}

// SAFETY:
// - the targets describe the slice that the buffer lends.
unsafe impl<B: BufferMut + ?Sized> ViewMut for B {
    #[inline]
    unsafe fn target(&mut self) -> Target {
        // SAFETY:
        // - as demanded of the caller.
        unsafe { target(self.values_mut()) }
    }

    unsafe fn targets(&mut self, parts: usize) -> Result<Parts<Target>> {
        // SAFETY:
        // - as demanded of the caller.
        unsafe { even_targets(&Received::from(self.values_mut()), parts) }
    }
}
