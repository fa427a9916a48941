//! Values on the heap that belong to an operation or to a window.

use std::ptr::NonNull;

use simurgh_datatype::memory::{Source, Target};

use super::{Equivalence, Received, Sent};

/// Values on the heap, known by their address alone: others use them, too.
///
/// Its owner says when nobody else does. It leaks what somebody may still use when it goes away.
pub(super) struct Owned<T>(NonNull<[T]>);

impl<T: Equivalence> Owned<T> {
    pub(super) fn new(values: Vec<T>) -> Self {
        Self(NonNull::from(Box::leak(values.into_boxed_slice())))
    }

    /// The number of values.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The first value.
    pub(super) fn address(&self) -> *mut T {
        self.0.as_ptr().cast()
    }

    /// The values as a slice.
    ///
    /// # Safety
    ///
    /// * Nobody writes them while the slice is borrowed.
    pub(super) unsafe fn slice(&self) -> &[T] {
        // SAFETY:
        // - the address is that of a box; as demanded of the caller.
        unsafe { self.0.as_ref() }
    }

    /// The values as a slice, to be changed.
    ///
    /// # Safety
    ///
    /// * Nobody else uses them while the slice is borrowed.
    pub(super) unsafe fn slice_mut(&mut self) -> &mut [T] {
        // SAFETY:
        // - the address is that of a box; as demanded of the caller.
        unsafe { self.0.as_mut() }
    }

    /// The values as a vector.
    ///
    /// # Safety
    ///
    /// * Nobody else uses them any more.
    pub(super) unsafe fn into_vec(self) -> Vec<T> {
        let values = self.0;
        std::mem::forget(self);
        // SAFETY:
        // - the address is that of a box, which nobody else frees; as demanded of the caller.
        unsafe { Box::from_raw(values.as_ptr()) }.into_vec()
    }

    /// The values, to be read by an operation. The owner keeps them while it is under way, and gives nobody a slice of
    /// what is sent then, except for parts which the operation does not use yet.
    pub(super) fn sent<'a>(&self) -> Sent<'a, T> {
        // SAFETY:
        // - the owners are `Persistent`, which does so.
        unsafe { Sent::from_raw(self.0.as_ptr()) }
    }

    /// The values, to be written by an operation, as [`Owned::sent`]. Parts are given away when the operation no longer
    /// uses them.
    pub(super) fn received<'a>(&self) -> Received<'a, T> {
        // SAFETY:
        // - as above.
        unsafe { Received::from_raw(self.0.as_ptr()) }
    }

    /// The values as the source of an operation.
    pub(super) fn source(&self) -> Source {
        // SAFETY:
        // - as for `sent`.
        unsafe { self.sent().source() }
    }

    /// The values as the target of an operation.
    pub(super) fn target(&self) -> Target {
        // SAFETY:
        // - as for `received`.
        unsafe { self.received().target() }
    }
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY:
        // - the address is that of a box; the owner leaks what somebody may still use.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use simurgh_datatype::memory::transfer;

    #[test]
    fn what_was_lent_stays_good_when_slices_have_been_made() {
        let (mut sent, mut received) = (Owned::new(vec![1_u32, 2, 3]), Owned::new(vec![0_u32; 3]));
        // SAFETY:
        // - what is lent here is used by the copies below.
        let (source, target) = unsafe { (sent.sent().source(), received.received().target()) };
        for round in 1..3 {
            transfer(&source, &target);
            // SAFETY:
            // - nobody else uses the values meanwhile.
            unsafe {
                assert_eq!(received.slice(), [round, 2, 3]);
                received.slice_mut().fill(0);
                sent.slice_mut()[0] = round + 1;
            }
        }
    }
}
