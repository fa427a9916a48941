//! The loops of the predefined operations, one for each operation and representation.
//!
//! An operation is a type, so that each loop is compiled, and vectorised, by itself.

use std::ops::{Add, BitAnd, BitOr, BitXor, Mul};

use super::GROUP;
use crate::memory::{
    CombineBytes, Complex, Element, F80, F128, Number, Operation, Plain, Source, Target, combine,
    combine_bytes,
};

/// The loops of an operation: `inout = input op inout` for the elements that all buffers have, one input after the
/// other.
#[derive(Clone, Copy)]
pub struct Kernel {
    /// With one input.
    pub(super) one: fn([&Source; 1], &Target),
    /// With one input, on bytes of elements without gaps; none where the loop depends on the datatype.
    pub(super) dense: Option<CombineBytes>,
    /// With several inputs. Where that is quicker, all are read at a time: `inout` is read and written only once.
    pub(super) several: fn([&Source; GROUP], &Target),
}

/// The loops of an operation on elements.
pub(super) fn each<E: Element, O: Operation<E::Value>>() -> Kernel {
    Kernel {
        one: |inputs, inout| combine::<E, 1>(inputs, inout, O::apply),
        dense: Some(combine_bytes::<E, O>),
        several: |inputs, inout| {
            if E::GROUPS {
                combine::<E, GROUP>(inputs, inout, O::apply);
            } else {
                for input in inputs {
                    combine::<E, 1>([input], inout, O::apply);
                }
            }
        },
    }
}

/// Numbers that are added and multiplied. Integers wrap around.
pub(super) trait Arithmetic: Plain {
    fn sum(self, other: Self) -> Self;
    fn product(self, other: Self) -> Self;
}

macro_rules! wrapping {
    ($($type:ty),*) => { $(
        impl Arithmetic for $type {
            #[inline]
            fn sum(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline]
            fn product(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
        }
    )* };
}

macro_rules! rounding {
    ($($type:ty),*) => { $(
        impl Arithmetic for $type {
            #[inline]
            fn sum(self, other: Self) -> Self {
                self.add(other)
            }

            #[inline]
            fn product(self, other: Self) -> Self {
                self.mul(other)
            }
        }
    )* };
}

wrapping!(i8, i16, i32, i64, i128, u8, u16, u32, u64);
rounding!(f32, f64, F80, F128);
rounding!(Complex<f32>, Complex<f64>, Complex<F80>, Complex<F128>);

/// Words as truth values: zero is false, all else true, and true is written as one.
pub(super) trait Truth: Plain + PartialEq {
    fn truth(self) -> bool;
    fn of(truth: bool) -> Self;
    /// The lowest bits of a wider word.
    fn cut(word: u128) -> Self;
}

macro_rules! truth {
    ($($type:ty),*) => { $(
        impl Truth for $type {
            #[inline]
            fn truth(self) -> bool {
                self != 0
            }

            #[inline]
            fn of(truth: bool) -> Self {
                Self::from(truth)
            }

            #[inline]
            fn cut(word: u128) -> Self {
                word as Self
            }
        }
    )* };
}

truth!(u8, u16, u32, u64, u128);

macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident<$type:ident: $bound:path>($left:ident, $right:ident) = $result:expr;)*) => { $(
        $(#[$doc])*
        pub(super) struct $name;

        impl<$type: $bound> Operation<$type> for $name {
            #[inline(always)]
            fn apply($left: $type, $right: $type) -> $type {
                $result
            }
        }
    )* };
}

operations! {
    /// MPI_SUM.
    Sum<T: Arithmetic>(left, right) = left.sum(right);
    /// MPI_PROD.
    Prod<T: Arithmetic>(left, right) = left.product(right);
    /// MPI_MIN.
    Min<T: PartialOrd>(left, right) = if left < right { left } else { right };
    /// MPI_MAX.
    Max<T: PartialOrd>(left, right) = if left > right { left } else { right };
    /// MPI_LAND.
    Land<T: Truth>(left, right) = T::of(Land::connect(left.truth(), right.truth()));
    /// MPI_LOR.
    Lor<T: Truth>(left, right) = T::of(Lor::connect(left.truth(), right.truth()));
    /// MPI_LXOR.
    Lxor<T: Truth>(left, right) = T::of(Lxor::connect(left.truth(), right.truth()));
    /// MPI_BAND.
    Band<T: Bits>(left, right) = left & right;
    /// MPI_BOR.
    Bor<T: Bits>(left, right) = left | right;
    /// MPI_BXOR.
    Bxor<T: Bits>(left, right) = left ^ right;
}

/// A logical operation.
pub(super) trait Connective {
    fn connect(left: bool, right: bool) -> bool;
}

impl Connective for Land {
    #[inline(always)]
    fn connect(left: bool, right: bool) -> bool {
        left & right
    }
}

impl Connective for Lor {
    #[inline(always)]
    fn connect(left: bool, right: bool) -> bool {
        left | right
    }
}

impl Connective for Lxor {
    #[inline(always)]
    fn connect(left: bool, right: bool) -> bool {
        left ^ right
    }
}

/// The loops of a logical operation on logicals, which are words. The datatype of `inout` says which words stand for
/// true and false. Inputs of ranks that have other words for true are understood, as long as all have the same for
/// false.
pub(super) fn logical<W: Truth, O: Connective + Operation<W>>() -> Kernel {
    Kernel {
        one: connect::<W, O, 1>,
        dense: None,
        several: connect::<W, O, GROUP>,
    }
}

fn connect<W: Truth, O: Connective + Operation<W>, const N: usize>(inputs: [&Source; N], inout: &Target) {
    match inout.datatype().truth_values() {
        None => combine::<Number<W>, N>(inputs, inout, O::apply),
        Some(values) => {
            let (yes, no) = (W::cut(values.yes), W::cut(values.no));
            let apply = |left, right| {
                if O::connect(left != no, right != no) {
                    yes
                } else {
                    no
                }
            };
            combine::<Number<W>, N>(inputs, inout, apply);
        }
    }
}

/// Words as sets of bits.
pub(super) trait Bits:
    Plain + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self>
{
}

impl<T: Plain + BitAnd<Output = T> + BitOr<Output = T> + BitXor<Output = T>> Bits for T {}

/// MPI_MINLOC: the lower value; among equals the lower index.
pub(super) struct Minloc;

/// MPI_MAXLOC: the higher value; among equals the lower index.
pub(super) struct Maxloc;

impl<V: PartialOrd, I: PartialOrd> Operation<(V, I)> for Minloc {
    #[inline(always)]
    fn apply(left: (V, I), right: (V, I)) -> (V, I) {
        // Without branches, so that it can be vectorised.
        let first = (left.0 < right.0) | ((left.0 == right.0) & (left.1 < right.1));
        if first { left } else { right }
    }
}

impl<V: PartialOrd, I: PartialOrd> Operation<(V, I)> for Maxloc {
    #[inline(always)]
    fn apply(left: (V, I), right: (V, I)) -> (V, I) {
        let first = (left.0 > right.0) | ((left.0 == right.0) & (left.1 < right.1));
        if first { left } else { right }
    }
}
