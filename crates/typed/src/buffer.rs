//! The values that can be passed to a call as data.

use super::Equivalence;

/// Data to be sent: one value, a slice, or a vector. A text is sent as its bytes.
///
/// An array is one value of an array type. To have its elements treated one by one (in a reduction, say), pass a slice
/// of it: `&array[..]`.
pub trait Buffer {
    /// The type of the values.
    type Item: Equivalence;

    /// The values.
    fn values(&self) -> &[Self::Item];
}

/// Data to be received: one value, a slice, or a vector. A vector keeps its length.
pub trait BufferMut: Buffer {
    /// The values.
    fn values_mut(&mut self) -> &mut [Self::Item];
}

impl<T: Equivalence> Buffer for T {
    type Item = T;

    #[inline]
    fn values(&self) -> &[T] {
        std::slice::from_ref(self)
    }
}

impl<T: Equivalence> BufferMut for T {
    #[inline]
    fn values_mut(&mut self) -> &mut [T] {
        std::slice::from_mut(self)
    }
}

impl<T: Equivalence> Buffer for [T] {
    type Item = T;

    #[inline]
    fn values(&self) -> &[T] {
        self
    }
}

impl<T: Equivalence> BufferMut for [T] {
    #[inline]
    fn values_mut(&mut self) -> &mut [T] {
        self
    }
}

impl<T: Equivalence> Buffer for Vec<T> {
    type Item = T;

    #[inline]
    fn values(&self) -> &[T] {
        self
    }
}

impl<T: Equivalence> BufferMut for Vec<T> {
    #[inline]
    fn values_mut(&mut self) -> &mut [T] {
        self
    }
}

impl Buffer for str {
    type Item = u8;

    #[inline]
    fn values(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl Buffer for String {
    type Item = u8;

    #[inline]
    fn values(&self) -> &[u8] {
        self.as_bytes()
    }
}
