//! User data as numbers.
//!
//! The loops read and write elements unaligned, which costs nothing on x86-64 and lets the compiler vectorise them
//! (with a check at run time that input and output do not overlap).

use super::buffer::{Source, Target};
use super::extended::F80;
use super::quad::F128;
use crate::datatype::Datatype;
use crate::op::Complex;

/// A type of which every bit pattern is a value.
///
/// # Safety
///
/// * Any bytes of the type's size are a valid value, padding aside.
pub(crate) unsafe trait Plain: Copy {}

macro_rules! plain {
    ($($type:ty),*) => { $(
        // SAFETY:
        // - a number: every bit pattern is one.
        unsafe impl Plain for $type {}
    )* };
}

plain!(
    i8,
    i16,
    i32,
    i64,
    i128,
    u8,
    u16,
    u32,
    u64,
    u128,
    half::f16,
    f32,
    f64,
    F80,
    F128
);

// SAFETY:
// - two numbers, without padding.
unsafe impl<T: Plain> Plain for Complex<T> {}

/// A value and an index, as C lays them out.
#[derive(Clone, Copy)]
#[repr(C)]
struct Pair<V, I> {
    value: V,
    index: I,
}

/// For each element: `inout = combine(input, inout)`, as many as both have.
///
/// # Panics
///
/// When the elements of either buffer are not as large as `T`, which is the caller's mistake.
#[inline]
pub(crate) fn combine<T: Plain>(input: &Source, inout: &Target, combine: impl Fn(T, T) -> T) {
    let (from, to, count) = elements::<T>(input, inout);
    for index in 0..count {
        // SAFETY:
        // - `index` is below the count of both buffers, whose elements are `T`s without gaps between them, valid by
        //   the promises of their makers; access is unaligned and every bit pattern is a `T`.
        unsafe {
            let output = to.add(index);
            let value = combine(from.add(index).read_unaligned(), output.read_unaligned());
            output.write_unaligned(value);
        }
    }
}

/// [`combine`] for pairs of a value and an index; leaves the gaps between them alone.
#[inline]
pub(crate) fn combine_pairs<V: Plain, I: Plain>(
    input: &Source,
    inout: &Target,
    combine: impl Fn((V, I), (V, I)) -> (V, I),
) {
    let (from, to, count) = elements::<Pair<V, I>>(input, inout);
    for index in 0..count {
        // SAFETY:
        // - as in `combine`; the fields of a pair are `Plain`, and each is accessed unaligned by itself.
        unsafe {
            let (input, output) = (from.add(index), to.add(index));
            let left = (
                (&raw const (*input).value).read_unaligned(),
                (&raw const (*input).index).read_unaligned(),
            );
            let right = (
                (&raw const (*output).value).read_unaligned(),
                (&raw const (*output).index).read_unaligned(),
            );
            let (value, place) = combine(left, right);
            (&raw mut (*output).value).write_unaligned(value);
            (&raw mut (*output).index).write_unaligned(place);
        }
    }
}

/// Both buffers as arrays of `T`, and the elements that both have.
fn elements<T>(input: &Source, inout: &Target) -> (*const T, *mut T, usize) {
    let fits = |datatype: &Datatype| datatype.extent() == size_of::<T>() as isize;
    assert!(
        fits(input.datatype()) && fits(inout.datatype()),
        "a kernel was given elements of another size"
    );
    (
        input.address().cast(),
        inout.address().cast(),
        input.count().min(inout.count()),
    )
}
