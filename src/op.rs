//! Reduction operations.

use simurgh_mpi::op::BuiltinOp;
use simurgh_typed::Operator;

use crate::Equivalence;

/// An operation that combines values of `T` (section 6.9 of the standard).
///
/// On arrays the operations of the standard work element by element; user-defined operations get the whole array.
///
/// ```
/// use simurgh::{Builder, Op};
///
/// let longest = Op::commutative(|left: [f64; 2], right| {
///     if left[0].hypot(left[1]) >= right[0].hypot(right[1]) { left } else { right }
/// });
/// # drop(longest);
/// ```
#[derive(Clone, Debug)]
pub struct Op<T>(pub(crate) Operator<T>);

/// Types of numbers: the integers, `f32`, `f64` and arrays of them.
pub trait Number: Equivalence + sealed::Sealed {}

/// Types of bit patterns: the integers and arrays of them.
pub trait Bits: Number {}

/// Types of single integers, which are compared and swapped.
pub trait Integer: Bits {}

mod sealed {
    /// Types of other crates have no operations of the standard.
    pub trait Sealed {}
}

macro_rules! mark {
    ($mark:path: $($type:ty),*) => { $(impl $mark for $type {})* };
}

mark!(sealed::Sealed: i8, i16, i32, i64, isize, u8, u16, u32, u64, usize, f32, f64);
mark!(Number: i8, i16, i32, i64, isize, u8, u16, u32, u64, usize, f32, f64);
mark!(Bits: i8, i16, i32, i64, isize, u8, u16, u32, u64, usize);
mark!(Integer: i8, i16, i32, i64, isize, u8, u16, u32, u64, usize);

impl<T: Number, const N: usize> sealed::Sealed for [T; N] {}
impl<T: Number, const N: usize> Number for [T; N] {}
impl<T: Bits, const N: usize> Bits for [T; N] {}

impl<T: Number> Op<T> {
    /// Sum; integers wrap (`MPI_SUM`).
    #[must_use]
    pub fn sum() -> Self {
        Self(Operator::builtin(BuiltinOp::Sum))
    }

    /// Product; integers wrap (`MPI_PROD`).
    #[must_use]
    pub fn product() -> Self {
        Self(Operator::builtin(BuiltinOp::Prod))
    }

    /// Smallest (`MPI_MIN`).
    #[must_use]
    pub fn min() -> Self {
        Self(Operator::builtin(BuiltinOp::Min))
    }

    /// Largest (`MPI_MAX`).
    #[must_use]
    pub fn max() -> Self {
        Self(Operator::builtin(BuiltinOp::Max))
    }
}

impl<T: Bits> Op<T> {
    /// Bitwise and (`MPI_BAND`).
    #[must_use]
    pub fn bit_and() -> Self {
        Self(Operator::builtin(BuiltinOp::Band))
    }

    /// Bitwise or (`MPI_BOR`).
    #[must_use]
    pub fn bit_or() -> Self {
        Self(Operator::builtin(BuiltinOp::Bor))
    }

    /// Bitwise exclusive or (`MPI_BXOR`).
    #[must_use]
    pub fn bit_xor() -> Self {
        Self(Operator::builtin(BuiltinOp::Bxor))
    }
}

impl<T: Equivalence> Op<T> {
    /// A user-defined operation that is associative and commutative (`MPI_Op_create`). It must not call MPI.
    #[must_use]
    pub fn commutative(function: impl Fn(T, T) -> T + Send + Sync + 'static) -> Self {
        Self(Operator::user(function, true))
    }

    /// A user-defined operation that is associative only: the left operand always comes from lower ranks
    /// (`MPI_Op_create`). It must not call MPI.
    #[must_use]
    pub fn ordered(function: impl Fn(T, T) -> T + Send + Sync + 'static) -> Self {
        Self(Operator::user(function, false))
    }
}
