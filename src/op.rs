//! Reduction operations.

use simurgh_mpi::Result;
use simurgh_mpi::op::BuiltinOp;
use simurgh_typed::{self as typed, Coded, Locatable, Located, Operator};

use crate::{BufferMut, Equivalence};

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

/// Types of truth values: the integers, which are true unless they are zero, `Coded<bool>`, and arrays of them.
pub trait Logical: Equivalence + sealed::Sealed {}

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

mark!(Logical: i8, i16, i32, i64, isize, u8, u16, u32, u64, usize);

impl sealed::Sealed for Coded<bool> {}
impl Logical for Coded<bool> {}

impl<T: sealed::Sealed, const N: usize> sealed::Sealed for [T; N] {}
impl<T: Logical, const N: usize> Logical for [T; N] {}
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

impl<T: Logical> Op<T> {
    /// Logical and: whether both are true (`MPI_LAND`). An integer is true unless it is zero.
    ///
    /// ```
    /// # use simurgh::{Coded, Op};
    /// # simurgh::Builder::new().ranks(4).run(|world| {
    /// let mut are_all = Coded::from(false);
    /// world.all_reduce(&Coded::from(world.rank() < 3), &mut are_all, &Op::logical_and())?;
    /// assert!(!are_all.get()?);
    /// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    #[must_use]
    pub fn logical_and() -> Self {
        Self(Operator::builtin(BuiltinOp::Land))
    }

    /// Logical or: whether one of them is true (`MPI_LOR`).
    #[must_use]
    pub fn logical_or() -> Self {
        Self(Operator::builtin(BuiltinOp::Lor))
    }

    /// Logical exclusive or: whether only one of them is true (`MPI_LXOR`).
    #[must_use]
    pub fn logical_xor() -> Self {
        Self(Operator::builtin(BuiltinOp::Lxor))
    }
}

impl<T: Locatable> Op<Located<T>> {
    /// The smallest value and its index; of equal ones the smallest index (`MPI_MINLOC`).
    ///
    /// ```
    /// # use simurgh::{Located, Op};
    /// # simurgh::Builder::new().ranks(4).run(|world| {
    /// let distance = (world.rank() as f64 - 1.8).abs();
    /// let mut nearest = Located::default();
    /// world.all_reduce(&Located::new(distance, world.rank()), &mut nearest, &Op::min_located())?;
    /// assert_eq!(nearest.index(), 2);
    /// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    #[must_use]
    pub fn min_located() -> Self {
        Self(Operator::builtin(BuiltinOp::Minloc))
    }

    /// The largest value and its index; of equal ones the smallest index (`MPI_MAXLOC`).
    #[must_use]
    pub fn max_located() -> Self {
        Self(Operator::builtin(BuiltinOp::Maxloc))
    }
}

impl<T: Equivalence> Op<T> {
    /// Combines values of the calling rank alone: each of `values` becomes its combination with that of `earlier`,
    /// which is the left operand (`MPI_Reduce_local`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Count`](crate::ErrorClass::Count) if there are not as many of both.
    ///
    /// # Panics
    ///
    /// If the function of a user-defined operation panics.
    ///
    /// ```
    /// let mut values = [1, 5, 3];
    /// simurgh::Op::max().reduce_local(&[2, 4, 6][..], &mut values[..])?;
    /// assert_eq!(values, [2, 5, 6]);
    /// # Ok::<(), simurgh::Error>(())
    /// ```
    pub fn reduce_local<B: BufferMut<Item = T> + ?Sized>(&self, earlier: &B, values: &mut B) -> Result<()> {
        typed::reduce_local(earlier.values(), values.values_mut(), &self.0)
    }

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
