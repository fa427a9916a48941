//! Serialisation of the values that hosts send each other.
//!
//! The format is little-endian and without padding; lengths have 32 bits. All hosts of a job run the same version,
//! which the launcher checks. Input is validated all the same: malformed values are `None`.

use crate::error::{Error, ErrorCode, Result};

/// A value that can be sent to another host.
pub trait Portable: Sized {
    /// Appends the value.
    fn write(&self, out: &mut Vec<u8>);

    /// Reads the value from the front of the input; `None` if it is malformed.
    fn read(input: &mut &[u8]) -> Option<Self>;
}

/// The bytes of a value.
pub fn pack(value: &impl Portable) -> Vec<u8> {
    let mut out = Vec::new();
    value.write(&mut out);
    out
}

/// The value with these bytes; `None` if they are malformed, or more than one value.
pub fn unpack<T: Portable>(mut bytes: &[u8]) -> Option<T> {
    let value = T::read(&mut bytes)?;
    bytes.is_empty().then_some(value)
}

/// Implements [`Portable`] for structs, field by field.
///
/// `portable! { Pair { left, right } }` for each struct, `{ 0, 1 }` for the fields of a tuple struct.
#[macro_export]
macro_rules! portable_struct {
    ($($name:ident { $($field:tt),* })*) => {$(
        impl $crate::portable::Portable for $name {
            #[inline]
            fn write(&self, out: &mut Vec<u8>) {
                $($crate::portable::Portable::write(&self.$field, out);)*
            }

            #[inline]
            fn read(input: &mut &[u8]) -> Option<Self> {
                Some(Self { $($field: $crate::portable::Portable::read(input)?),* })
            }
        }
    )*};
}

pub use crate::portable_struct as portable;

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Portable for $number {
            #[inline]
            fn write(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }

            #[inline]
            fn read(input: &mut &[u8]) -> Option<Self> {
                let (bytes, rest) = input.split_first_chunk()?;
                *input = rest;
                Some(Self::from_le_bytes(*bytes))
            }
        }
    )*};
}

numbers!(u8, u32, i32, u64);

impl Portable for usize {
    #[inline]
    fn write(&self, out: &mut Vec<u8>) {
        (*self as u64).write(out);
    }

    #[inline]
    fn read(input: &mut &[u8]) -> Option<Self> {
        Self::try_from(u64::read(input)?).ok()
    }
}

impl Portable for bool {
    #[inline]
    fn write(&self, out: &mut Vec<u8>) {
        u8::from(*self).write(out);
    }

    #[inline]
    fn read(input: &mut &[u8]) -> Option<Self> {
        match u8::read(input)? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

impl Portable for () {
    #[inline]
    fn write(&self, _out: &mut Vec<u8>) {}

    #[inline]
    fn read(_input: &mut &[u8]) -> Option<Self> {
        Some(())
    }
}

impl<A: Portable, B: Portable> Portable for (A, B) {
    #[inline]
    fn write(&self, out: &mut Vec<u8>) {
        self.0.write(out);
        self.1.write(out);
    }

    #[inline]
    fn read(input: &mut &[u8]) -> Option<Self> {
        Some((A::read(input)?, B::read(input)?))
    }
}

impl<A: Portable, B: Portable, C: Portable> Portable for (A, B, C) {
    #[inline]
    fn write(&self, out: &mut Vec<u8>) {
        self.0.write(out);
        self.1.write(out);
        self.2.write(out);
    }

    #[inline]
    fn read(input: &mut &[u8]) -> Option<Self> {
        Some((A::read(input)?, B::read(input)?, C::read(input)?))
    }
}

impl<T: Portable> Portable for Option<T> {
    #[inline]
    fn write(&self, out: &mut Vec<u8>) {
        self.is_some().write(out);
        if let Some(value) = self {
            value.write(out);
        }
    }

    #[inline]
    fn read(input: &mut &[u8]) -> Option<Self> {
        Some(if bool::read(input)? {
            Some(T::read(input)?)
        } else {
            None
        })
    }
}

impl<T: Portable> Portable for Vec<T> {
    #[inline]
    fn write(&self, out: &mut Vec<u8>) {
        let length = u32::try_from(self.len()).expect("what ranks exchange has fewer than 2^32 parts");
        length.write(out);
        self.iter().for_each(|value| value.write(out));
    }

    #[inline]
    fn read(input: &mut &[u8]) -> Option<Self> {
        // The elements are collected one by one, so that a wrong length allocates nothing.
        (0..u32::read(input)?).map(|_| T::read(input)).collect()
    }
}

impl Portable for String {
    #[inline]
    fn write(&self, out: &mut Vec<u8>) {
        let length = u32::try_from(self.len()).expect("no text is so long");
        length.write(out);
        out.extend_from_slice(self.as_bytes());
    }

    #[inline]
    fn read(input: &mut &[u8]) -> Option<Self> {
        let length = u32::read(input)?;
        let (text, rest) = input.split_at_checked(length as usize)?;
        *input = rest;
        Self::from_utf8(text.to_vec()).ok()
    }
}

/// Written without the status, because errors of exchanges are not errors of messages.
impl Portable for Error {
    #[inline]
    fn write(&self, out: &mut Vec<u8>) {
        self.code().number().write(out);
        self.message().to_owned().write(out);
    }

    #[inline]
    fn read(input: &mut &[u8]) -> Option<Self> {
        let code = ErrorCode::new(i32::read(input)?);
        Some(Self::new(code, String::read(input)?))
    }
}

impl<T: Portable> Portable for Result<T> {
    #[inline]
    fn write(&self, out: &mut Vec<u8>) {
        self.is_ok().write(out);
        match self {
            Ok(value) => value.write(out),
            Err(error) => error.write(out),
        }
    }

    #[inline]
    fn read(input: &mut &[u8]) -> Option<Self> {
        Some(if bool::read(input)? {
            Ok(T::read(input)?)
        } else {
            Err(Error::read(input)?)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorClass;
    use proptest::prelude::*;

    fn there_and_back<T: Portable>(value: &T) -> T {
        unpack(&pack(value)).expect("what was packed can be unpacked")
    }

    #[test]
    fn values_arrive_as_they_were() {
        let value = (7_i32, Some("sieben".to_owned()), vec![(true, 3_usize)]);
        assert_eq!(there_and_back(&value), value);
        let error: Result<()> = Err(Error::new(ErrorClass::Group, "nobody is there"));
        let told = there_and_back(&error).unwrap_err();
        assert_eq!(
            (told.class(), told.message()),
            (ErrorClass::Group, "nobody is there")
        );
    }

    #[test]
    fn what_is_left_over_or_missing_makes_no_value() {
        assert_eq!(unpack::<u32>(&[1, 2, 3]), None);
        assert_eq!(unpack::<u32>(&[1, 2, 3, 4, 5]), None);
        assert_eq!(unpack::<bool>(&[2]), None);
        assert_eq!(unpack::<Vec<u64>>(&[255; 20]), None);
        assert_eq!(unpack::<String>(&[1, 0, 0, 0, 0xff]), None);
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_are_read_without_harm(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            drop(unpack::<(Option<u64>, Vec<String>, Result<Vec<(i32, bool)>>)>(&bytes));
        }
    }
}
