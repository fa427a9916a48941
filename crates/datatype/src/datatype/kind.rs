//! The representations of predefined datatypes in memory.

use std::ffi::c_char;

/// The representation of a predefined datatype on this machine (x86-64, System V ABI).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Uninterpreted byte.
    Byte,
    /// Signed integer, 8 bits.
    I8,
    /// Signed integer, 16 bits.
    I16,
    /// Signed integer, 32 bits.
    I32,
    /// Signed integer, 64 bits.
    I64,
    /// Signed integer, 128 bits.
    I128,
    /// Unsigned integer, 8 bits.
    U8,
    /// Unsigned integer, 16 bits.
    U16,
    /// Unsigned integer, 32 bits.
    U32,
    /// Unsigned integer, 64 bits.
    U64,
    /// IEEE binary16.
    F16,
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
    /// Extended precision of the x87: 10 bytes, which occupy 16.
    F80,
    /// IEEE binary128.
    F128,
    /// Complex of binary16.
    C16,
    /// Complex of binary32.
    C32,
    /// Complex of binary64.
    C64,
    /// Complex of extended precision.
    C80,
    /// Complex of binary128.
    C128,
    /// Logical in 8 bits.
    L8,
    /// Logical in 16 bits.
    L16,
    /// Logical in 32 bits.
    L32,
    /// Logical in 64 bits.
    L64,
    /// Logical in 128 bits.
    L128,
    /// `struct { float; int; }`.
    F32I32,
    /// `struct { double; int; }`.
    F64I32,
    /// `struct { long; int; }`.
    I64I32,
    /// `struct { int; int; }`.
    I32I32,
    /// `struct { short; int; }`.
    I16I32,
    /// `struct { long double; int; }`.
    F80I32,
    /// Two binary32, of which the second is an index.
    F32F32,
    /// Two binary64, of which the second is an index.
    F64F64,
    /// Two binary16, of which the second is an index.
    F16F16,
    /// Two binary128, of which the second is an index.
    F128F128,
    /// Two integers of 8 bits.
    I8I8,
    /// Two integers of 16 bits.
    I16I16,
    /// Two integers of 64 bits.
    I64I64,
    /// Two integers of 128 bits.
    I128I128,
}

impl Kind {
    /// The representation of C's `char`, which is signed on some platforms and unsigned on others.
    pub const C_CHAR: Kind = match c_char::MIN {
        0 => Kind::U8,
        _ => Kind::I8,
    };

    /// The number of bytes of data.
    #[inline]
    #[must_use]
    pub const fn size(self) -> usize {
        match self {
            Kind::Byte | Kind::I8 | Kind::U8 | Kind::L8 => 1,
            Kind::I16 | Kind::U16 | Kind::F16 | Kind::L16 | Kind::I8I8 => 2,
            Kind::I32 | Kind::U32 | Kind::F32 | Kind::L32 | Kind::C16 => 4,
            Kind::F16F16 | Kind::I16I16 => 4,
            Kind::I64 | Kind::U64 | Kind::F64 | Kind::L64 | Kind::C32 => 8,
            Kind::F32I32 | Kind::I32I32 | Kind::F32F32 => 8,
            Kind::I128 | Kind::F80 | Kind::F128 | Kind::C64 | Kind::L128 | Kind::F64F64 | Kind::I64I64 => 16,
            Kind::C80 | Kind::C128 | Kind::F128F128 | Kind::I128I128 => 32,
            Kind::I16I32 => 6,
            Kind::F64I32 | Kind::I64I32 => 12,
            Kind::F80I32 => 20,
        }
    }

    /// The number of bytes from one element of an array to the next.
    #[inline]
    #[must_use]
    pub const fn extent(self) -> usize {
        match self {
            Kind::I16I32 => 8,
            Kind::F64I32 | Kind::I64I32 => 16,
            Kind::F80I32 => 32,
            _ => self.size(),
        }
    }

    /// The alignment in C.
    #[inline]
    #[must_use]
    pub const fn alignment(self) -> usize {
        match self {
            Kind::I16I32 | Kind::F32I32 | Kind::I32I32 | Kind::F32F32 | Kind::C32 => 4,
            Kind::F64I32 | Kind::I64I32 | Kind::F64F64 | Kind::I64I64 | Kind::C64 => 8,
            Kind::F80I32 | Kind::C80 | Kind::C128 | Kind::F128F128 | Kind::I128I128 => 16,
            Kind::C16 | Kind::F16F16 | Kind::I16I16 => 2,
            Kind::I8I8 => 1,
            _ => self.size(),
        }
    }
}
