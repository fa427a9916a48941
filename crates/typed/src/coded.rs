//! Values of types that not all bytes are a value of, as numbers.

use std::fmt;
use std::marker::PhantomData;

use super::Equivalence;
use simurgh_datatype::Datatype;
use simurgh_mpi::{Error, ErrorClass, Result};

/// A type each of whose values has a number: `bool`, `char`, and enums without fields that derive it.
pub trait Code: Copy + 'static {
    /// The type of the numbers.
    type Number: Equivalence + Eq + fmt::Debug;

    /// The number of this value.
    fn number(self) -> Self::Number;

    /// The value with a number, if there is one.
    fn from_number(number: Self::Number) -> Option<Self>;
}

impl Code for bool {
    type Number = u8;

    fn number(self) -> u8 {
        u8::from(self)
    }

    fn from_number(number: u8) -> Option<Self> {
        match number {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

impl Code for char {
    type Number = u32;

    fn number(self) -> u32 {
        u32::from(self)
    }

    fn from_number(number: u32) -> Option<Self> {
        Self::from_u32(number)
    }
}

/// A value of `T` in a message, in a window, or in a file: its number. Any bytes may be received; that they are the
/// number of a value is checked by [`get`](Self::get).
#[repr(transparent)]
pub struct Coded<T: Code>(T::Number, PhantomData<fn() -> T>);

// SAFETY:
// - the value is its number, which keeps the promises.
unsafe impl<T: Code> Equivalence for Coded<T> {
    const COUNT: usize = <T::Number as Equivalence>::COUNT;

    #[inline]
    fn datatype() -> Datatype {
        T::Number::datatype()
    }
}

impl<T: Code> Coded<T> {
    /// The value.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Type`] if the bytes that were received are the number of no value.
    pub fn get(self) -> Result<T> {
        T::from_number(self.0).ok_or_else(|| {
            let (number, name) = (self.0, std::any::type_name::<T>());
            let message = format!("{number:?} is not the number of a {name}");
            Error::new(ErrorClass::Type, message)
        })
    }
}

impl<T: Code> From<T> for Coded<T> {
    fn from(value: T) -> Self {
        Self(value.number(), PhantomData)
    }
}

impl<T: Code> Clone for Coded<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Code> Copy for Coded<T> {}

impl<T: Code> PartialEq for Coded<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<T: Code> Eq for Coded<T> {}

impl<T: Code> fmt::Debug for Coded<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Coded").field(&self.0).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_no_value_are_refused() {
        assert_eq!(Coded::from('ä').get(), Ok('ä'));
        assert_eq!(Coded::from(true).get(), Ok(true));
        let number = |number| Coded::<bool>(number, PhantomData);
        assert_eq!(number(0).get(), Ok(false));
        assert_eq!(number(2).get().unwrap_err().class(), ErrorClass::Type);
        let surrogate = Coded::<char>(0xd800, PhantomData);
        assert_eq!(surrogate.get().unwrap_err().class(), ErrorClass::Type);
    }
}
