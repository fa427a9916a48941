//! Where data comes from and where it goes.

use super::mixed_parts::Place;
use crate::datatype::Datatype;

macro_rules! buffer {
    ($(#[$doc:meta])* $name:ident, $pointer:ty, $promise:literal) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $name {
            address: $pointer,
            count: usize,
            datatype: Datatype,
        }

        // SAFETY:
        // - plain data; the maker promises that the memory may be used from any thread until the operation ends.
        unsafe impl Send for $name {}
        // SAFETY:
        // - as above.
        unsafe impl Sync for $name {}

        impl $name {
            /// `count` elements of `datatype` at `address`.
            ///
            /// # Safety
            ///
            #[doc = $promise]
            /// until the operations that this, its clones and its parts are given to are complete. The address need
            /// not be aligned. For a derived datatype the bytes meant are those the datatype describes, which may lie
            /// before `address`.
            #[inline]
            #[must_use]
            pub unsafe fn new(address: $pointer, count: usize, datatype: Datatype) -> Self {
                Self { address, count, datatype }
            }

            /// Bytes of data.
            #[inline]
            #[must_use]
            pub fn bytes(&self) -> usize {
                // A real buffer is smaller than the address space. The product saturates so that a wrong count
                // cannot wrap around.
                self.count.saturating_mul(self.datatype.size())
            }

            /// Number of elements.
            #[inline]
            #[must_use]
            pub fn count(&self) -> usize {
                self.count
            }

            /// Datatype of the elements.
            #[inline]
            #[must_use]
            pub fn datatype(&self) -> &Datatype {
                &self.datatype
            }

            /// Bytes of data, if the datatype is a predefined one without gaps, and the buffer smaller than the
            /// address space.
            #[inline]
            pub(super) fn dense_bytes(&self) -> Option<usize> {
                match self.datatype {
                    Datatype::Basic(basic) if basic.is_dense() => self.count.checked_mul(basic.size()),
                    _ => None,
                }
            }

            /// Whether the data lies in one piece, from the address on.
            #[inline]
            #[must_use]
            pub fn is_contiguous(&self) -> bool {
                self.datatype.is_contiguous()
            }

            /// Address of the first element.
            #[inline]
            #[must_use]
            pub fn address(&self) -> $pointer {
                self.address
            }

            /// The `len` elements from `start` on, as far as they exist.
            #[inline]
            #[must_use]
            pub fn slice(&self, start: usize, len: usize) -> Self {
                let start = start.min(self.count);
                self.shifted(start as isize, len.min(self.count - start))
            }

            /// Part `index` of an array of equal parts, of which this is the first.
            ///
            /// Only for a buffer that was made as the first of such parts.
            #[inline]
            #[must_use]
            pub fn repeated(&self, index: usize) -> Self {
                self.shifted((self.count * index) as isize, self.count)
            }

            /// `count` elements, the first of them `elements` extents away from this buffer's first.
            ///
            /// Only for a part of a buffer that has these elements.
            #[inline]
            pub(super) fn shifted(&self, elements: isize, count: usize) -> Self {
                let bytes = elements.wrapping_mul(self.datatype.extent());
                Self { address: self.address.wrapping_offset(bytes), count, datatype: self.datatype.clone() }
            }

            /// The elements at a place.
            ///
            /// Only for a place within the memory that the buffer was made for.
            pub(super) fn placed(&self, place: Place<'_>) -> Self {
                let Place { count, displacement, datatype } = place;
                Self { address: self.address.wrapping_offset(displacement), count, datatype: datatype.clone() }
            }
        }
    };
}

buffer! {
    /// Data to be read: `count` elements of a datatype at an address.
    Source, *const u8, "The memory of the elements is readable"
}

buffer! {
    /// Data to be written: `count` elements of a datatype at an address.
    Target, *mut u8, "The memory of the elements is readable and writable"
}

impl Source {
    /// `parts` parts, one after the other, of which `first` was made as the first.
    #[inline]
    pub fn row(first: &Self, parts: usize) -> Self {
        first.shifted(0, first.count * parts)
    }
}

impl Target {
    /// The same memory, to be read.
    #[inline]
    #[must_use]
    pub fn as_source(&self) -> Source {
        Source {
            address: self.address,
            count: self.count,
            datatype: self.datatype.clone(),
        }
    }
}
