//! Memory that is lent to an operation.
//!
//! The engine knows the memory by its address. A slice that somebody makes of it meanwhile would take the address the
//! right to access it (Stacked Borrows). So the memory of an operation is known by its address alone, from the time at
//! which the operation is prepared until it is complete. It is that of a slice that was borrowed, or that of an
//! operation which owns its memory ([`Persistent`](super::Persistent)).

use std::marker::PhantomData;

use simurgh_datatype::memory::{Source, Target};

use super::Equivalence;

/// Values that an operation reads.
#[derive(Clone, Copy, Debug)]
pub struct Sent<'a, T> {
    values: *const [T],
    borrow: PhantomData<&'a [T]>,
}

/// Values that an operation writes.
#[derive(Debug)]
pub struct Received<'a, T> {
    values: *mut [T],
    borrow: PhantomData<&'a mut [T]>,
}

impl<'a, T> From<&'a [T]> for Sent<'a, T> {
    #[inline]
    fn from(values: &'a [T]) -> Self {
        Self {
            values,
            borrow: PhantomData,
        }
    }
}

impl<'a, T> From<&'a mut [T]> for Received<'a, T> {
    #[inline]
    fn from(values: &'a mut [T]) -> Self {
        Self {
            values,
            borrow: PhantomData,
        }
    }
}

impl<T: Equivalence> Sent<'_, T> {
    /// Values that are known by their address.
    ///
    /// # Safety
    ///
    /// * Nobody writes the values, or frees them, while an operation to which they are lent is under way.
    pub(super) unsafe fn from_raw(values: *const [T]) -> Self {
        Self {
            values,
            borrow: PhantomData,
        }
    }

    /// The number of values.
    #[inline]
    pub(super) fn len(self) -> usize {
        self.values.len()
    }

    /// `len` of the values, from `start` on.
    pub(super) fn part(self, start: usize, len: usize) -> Self {
        assert!(start + len <= self.len(), "a part is within the values");
        Self {
            // It is within the values, so the address is that of a value, or of their end.
            values: std::ptr::slice_from_raw_parts(self.values.cast::<T>().wrapping_add(start), len),
            borrow: PhantomData,
        }
    }

    /// The values as the source of operations.
    ///
    /// # Safety
    ///
    /// * The operations are complete before the lifetime of the values ends.
    #[inline]
    pub(super) unsafe fn source(self) -> Source {
        // SAFETY:
        // - the values are `COUNT` elements each, readable while they are lent.
        unsafe { Source::new(self.values.cast(), self.len() * T::COUNT, T::datatype()) }
    }

    /// The address of the values.
    #[inline]
    pub(super) fn address(self) -> *const T {
        self.values.cast()
    }
}

impl<T: Equivalence> Received<'_, T> {
    /// Values that are known by their address.
    ///
    /// # Safety
    ///
    /// * Nobody uses the values, or frees them, while an operation to which they are lent is under way.
    pub(super) unsafe fn from_raw(values: *mut [T]) -> Self {
        Self {
            values,
            borrow: PhantomData,
        }
    }

    /// The number of values.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    /// `len` of the values, from `start` on.
    pub(super) fn part(&self, start: usize, len: usize) -> Received<'_, T> {
        assert!(start + len <= self.len(), "a part is within the values");
        Received {
            // It is within the values, so the address is that of a value, or of their end.
            values: std::ptr::slice_from_raw_parts_mut(self.values.cast::<T>().wrapping_add(start), len),
            borrow: PhantomData,
        }
    }

    /// The values as the target of operations.
    ///
    /// # Safety
    ///
    /// * The operations are complete before the lifetime of the values ends, and nobody uses the values until then.
    #[inline]
    pub(super) unsafe fn target(&self) -> Target {
        // SAFETY:
        // - the values are `COUNT` elements each, writable while they are lent.
        unsafe { Target::new(self.values.cast(), self.len() * T::COUNT, T::datatype()) }
    }

    /// The same values, to be read by an operation that does not write them.
    pub(super) fn as_sent(&self) -> Sent<'_, T> {
        Sent {
            values: self.values,
            borrow: PhantomData,
        }
    }

    /// The address of the values.
    #[inline]
    pub(super) fn address(&self) -> *mut T {
        self.values.cast()
    }

    /// The values.
    #[inline]
    pub(super) fn into_raw(self) -> *mut [T] {
        self.values
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::{even_targets, sources, targets};
    use simurgh_datatype::memory::{Parts, transfer};

    /// Copies part after part.
    fn copy(sources: &Parts<Source>, targets: &Parts<Target>, parts: usize) {
        for part in 0..parts {
            transfer(&sources.part(part).unwrap(), &targets.part(part).unwrap());
        }
    }

    #[test]
    fn all_parts_are_accessed_through_the_address_of_the_whole() {
        let (sent, mut received) = ([1_u16, 2, 3, 4, 5, 6], [0_u16; 6]);
        let (from, into) = (Sent::from(&sent[..]), Received::from(&mut received[..]));
        // SAFETY:
        // - the arrays are there until the end, and nobody else uses them before the copies are made.
        unsafe {
            let from = sources(from, &[3, 0, 2], 3).unwrap();
            copy(&from, &targets(&into, &[3, 0, 2], 3).unwrap(), 3);
            let from = sources(Sent::from(&sent[..3]), &[2, 1], 2).unwrap();
            copy(&from, &even_targets(&into.part(2, 4), 2).unwrap(), 2);
        }
        assert_eq!(received, [1, 2, 1, 2, 3, 0]);
    }

    #[test]
    #[should_panic(expected = "a part is within the values")]
    fn parts_are_within_the_values() {
        Sent::from(&[0_u8; 4][..]).part(2, 3);
    }
}
