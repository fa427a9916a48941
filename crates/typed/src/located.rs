//! Values with an index, of which reductions find the smallest or the largest.

use super::{Equivalence, once_for};
use simurgh_datatype::{Basic, Datatype};

/// Types of which reductions find the smallest and the largest value with its index: the integers, `f32` and `f64`.
pub trait Locatable: Equivalence + sealed::Sealed {}

mod sealed {
    /// Values of other types have no datatype of which pairs are compared.
    pub trait Sealed {}
}

macro_rules! locatable {
    ($($type:ty),*) => { $(
        impl sealed::Sealed for $type {}
        impl Locatable for $type {}
    )* };
}

locatable!(i8, i16, i32, i64, isize, u8, u16, u32, u64, usize, f32, f64);

/// A value, and the index that says where it is: of a rank, of an element or whatever the program counts (section 6.9.4
/// of the standard).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Located<T: Locatable> {
    value: T,
    index: i64,
}

impl<T: Locatable> Located<T> {
    /// A value with its index.
    ///
    /// # Panics
    ///
    /// If the index is larger than `i64::MAX`.
    #[must_use]
    pub fn new(value: T, index: usize) -> Self {
        let index = i64::try_from(index).expect("an index is below 2^63");
        Self { value, index }
    }

    /// The value.
    #[must_use]
    pub fn value(&self) -> T {
        self.value
    }

    /// The index. What another rank has sent may be a negative number, which is none; then it is `usize::MAX`.
    #[must_use]
    pub fn index(&self) -> usize {
        usize::try_from(self.index).unwrap_or(usize::MAX)
    }
}

// SAFETY:
// - the value has one element, of a predefined datatype, since no other types are `Locatable`;
// - the datatype is that of a C structure with these fields, which is where they are, and has the size of the type: a
//   test compares them. It does not describe the padding;
// - any bytes are numbers.
unsafe impl<T: Locatable> Equivalence for Located<T> {
    const COUNT: usize = 1;

    fn datatype() -> Datatype {
        once_for::<Self>(|| {
            let Datatype::Basic(value) = T::datatype() else {
                unreachable!("the types are those of this file, whose datatypes are predefined");
            };
            let pair = Datatype::value_index(value, Basic::Int64);
            let pair = pair.expect("a pair of numbers fits in memory");
            pair.expect("the types are those of which pairs are compared")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use simurgh_datatype::Datatype;

    fn fits<T: Locatable>() {
        let datatype = Located::<T>::datatype();
        assert_eq!(datatype.extent(), size_of::<Located<T>>() as isize);
        assert_eq!(datatype.size(), size_of::<T>() + 8);
        let Datatype::Basic(value) = T::datatype() else {
            panic!("the datatype is predefined");
        };
        assert_eq!(
            value.size().next_multiple_of(8),
            std::mem::offset_of!(Located<T>, index)
        );
    }

    #[test]
    fn pairs_lie_where_their_datatype_says() {
        fits::<i8>();
        fits::<i16>();
        fits::<i32>();
        fits::<i64>();
        fits::<isize>();
        fits::<u8>();
        fits::<u16>();
        fits::<u32>();
        fits::<u64>();
        fits::<usize>();
        fits::<f32>();
        fits::<f64>();
    }

    #[test]
    fn an_index_is_a_number_of_something() {
        assert_eq!(Located::new(1.5, 7).index(), 7);
        assert_eq!(
            Located {
                value: 1_u8,
                index: -1
            }
            .index(),
            usize::MAX
        );
        assert!(std::panic::catch_unwind(|| Located::new(0_u8, usize::MAX)).is_err());
    }
}
