//! Rust types as MPI datatypes.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use simurgh_datatype::{Basic, Datatype};

/// A type whose values can be sent and received.
///
/// Implemented for the integers, `f32`, `f64` and arrays of such types. For structs there is `#[derive(Equivalence)]`.
/// `bool`, `char`, references and enums are excluded, because a message could bring bytes that are not a value of such
/// a type: send them as [`Coded`](crate::Coded).
///
/// # Safety
///
/// * Behind the address of a value lie [`COUNT`](Self::COUNT) elements of the datatype, one extent apart,
///   which together have the size of the type.
/// * The bytes that the datatype describes are always initialised (they are no padding) and change only through `&mut`.
/// * Whatever bytes are written there, the result is a value of the type.
pub unsafe trait Equivalence: Copy + Send + Sync + 'static {
    /// The number of elements of the datatype in one value.
    const COUNT: usize;

    /// The datatype of the elements.
    fn datatype() -> Datatype;
}

macro_rules! primitives {
    ($($rust:ty => $basic:ident,)*) => {$(
        // SAFETY:
        // - the predefined datatype has the size and extent of the type, which has no padding;
        // - every bit pattern is a number.
        unsafe impl Equivalence for $rust {
            const COUNT: usize = 1;

            #[inline]
            fn datatype() -> Datatype {
                Datatype::Basic(Basic::$basic)
            }
        }
    )*};
}

primitives! {
    i8 => Int8,
    i16 => Int16,
    i32 => Int32,
    i64 => Int64,
    isize => Aint,
    u8 => Uint8,
    u16 => Uint16,
    u32 => Uint32,
    u64 => Uint64,
    usize => Uint64,
    f32 => Float,
    f64 => Double,
}

// `isize` and `usize` are mapped to datatypes of eight bytes.
const _: () = assert!(size_of::<usize>() == 8);

// SAFETY:
// - an array is its elements one behind the other, each of which keeps the promises.
unsafe impl<T: Equivalence, const N: usize> Equivalence for [T; N] {
    const COUNT: usize = N * T::COUNT;

    #[inline]
    fn datatype() -> Datatype {
        T::datatype()
    }
}

/// The datatype of `T`, which `make` makes at the first call. For types with parameters, which cannot have statics.
pub fn once_for<T: 'static>(make: impl FnOnce() -> Datatype) -> Datatype {
    static MADE: LazyLock<Mutex<HashMap<TypeId, Datatype>>> = LazyLock::new(Mutex::default);
    let made = || MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let key = TypeId::of::<T>();
    if let Some(datatype) = made().get(&key) {
        return datatype.clone();
    }
    // The lock is free meanwhile: the fields may be of such types, too.
    let datatype = make();
    made().entry(key).or_insert(datatype).clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits<T: Equivalence>() {
        let datatype = T::datatype();
        assert_eq!(datatype.extent() * T::COUNT as isize, size_of::<T>() as isize);
        assert!(datatype.is_contiguous());
    }

    #[test]
    fn datatypes_have_the_size_of_their_types() {
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
        fits::<[[f64; 2]; 3]>();
        fits::<[u16; 0]>();
    }
}
