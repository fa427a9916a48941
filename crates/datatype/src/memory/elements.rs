//! User data as numbers.
//!
//! Elements are read and written unaligned, which costs nothing on x86-64. The loops over them are plain, for the
//! compiler to vectorise; each is compiled for several instruction sets (`simd.rs`).

use super::buffer::{Source, Target};
use super::complex::Complex;
use super::f80::F80;
use super::f128::F128;
use super::simd::{self, Level};

/// A type of which every bit pattern is a valid value.
///
/// # Safety
///
/// * Any bytes of the type's size are a valid value, padding aside.
pub(crate) unsafe trait Plain: Copy {
    /// Whether the machine has vector instructions for it.
    const VECTORS: bool = true;
}

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
    f64
);

macro_rules! plain_in_software {
    ($($type:ty),*) => { $(
        // SAFETY:
        // - a number: every bit pattern is one.
        unsafe impl Plain for $type {
            const VECTORS: bool = false;
        }
    )* };
}

plain_in_software!(F80, F128);

// SAFETY:
// - two numbers, without padding.
unsafe impl<T: Plain> Plain for Complex<T> {
    const VECTORS: bool = T::VECTORS;
}

/// An element of a user's buffer, at any address, as reductions combine it.
///
/// # Safety
///
/// * Any bytes of the type's size are a valid value, padding aside, at any address.
pub(crate) unsafe trait Element: Copy {
    /// The value that operations work on.
    type Value: Copy;

    /// Whether loops over it gain by wider vector instructions. If not, they are compiled for the baseline only.
    const VECTORS: bool;

    /// Whether one loop over several inputs is quicker than a loop for each. If not, it is not compiled.
    const GROUPS: bool;

    /// The value.
    fn get(&self) -> Self::Value;

    /// Writes the value. Gaps within the element stay as they are.
    fn set(&mut self, value: Self::Value);

    /// Combines each element of `inout` with those of the inputs, one input after the other: `inout = input op inout`.
    ///
    /// `F16C`: the machine has the instructions that convert 16-bit numbers.
    #[inline(always)]
    fn fold<const F16C: bool, const N: usize>(
        inputs: [&[Self]; N],
        inout: &mut [Self],
        operation: impl Fn(Self::Value, Self::Value) -> Self::Value + Copy,
    ) {
        // A loop that looks whether an element is there would leave the last ones, up to 256 bytes, to be combined one
        // by one.
        if let [input] = inputs.as_slice() {
            for (place, input) in inout.iter_mut().zip(*input) {
                place.set(operation(input.get(), place.get()));
            }
            return;
        }
        let inputs = inputs.map(|input| &input[..inout.len()]);
        for (index, place) in inout.iter_mut().enumerate() {
            let mut value = place.get();
            for input in &inputs {
                value = operation(input[index].get(), value);
            }
            place.set(value);
        }
    }
}

/// An operation on values of a type.
pub(crate) trait Operation<T> {
    /// `left op right`.
    fn apply(left: T, right: T) -> T;
}

/// A number at any address.
#[derive(Clone, Copy)]
#[repr(C, packed)]
pub(crate) struct Number<T>(T);

// SAFETY:
// - every bit pattern of a plain type is a value, and the structure is packed.
unsafe impl<T: Plain> Element for Number<T> {
    type Value = T;

    const VECTORS: bool = T::VECTORS;

    const GROUPS: bool = T::VECTORS;

    #[inline(always)]
    fn get(&self) -> T {
        self.0
    }

    #[inline(always)]
    fn set(&mut self, value: T) {
        self.0 = value;
    }
}

/// A value and an index, as C lays them out, at any address.
#[derive(Clone, Copy)]
#[repr(C, packed)]
pub(crate) struct Pair<V, I>(Fields<V, I>);

#[derive(Clone, Copy)]
#[repr(C)]
struct Fields<V, I> {
    value: V,
    index: I,
}

// SAFETY:
// - every bit pattern of the fields is a value, and the structure is packed.
unsafe impl<V: Plain, I: Plain> Element for Pair<V, I> {
    type Value = (V, I);

    // Measured: with a value and an index of different sizes the compiler finds nothing better than one pair at a time.
    const VECTORS: bool = V::VECTORS && size_of::<V>() == size_of::<I>();

    // Measured: four inputs at once take as long as four loops, or up to a half longer.
    const GROUPS: bool = false;

    #[inline(always)]
    fn get(&self) -> (V, I) {
        (self.0.value, self.0.index)
    }

    #[inline(always)]
    fn set(&mut self, (value, index): (V, I)) {
        self.0.value = value;
        self.0.index = index;
    }
}

/// Combines the elements of `inout` with those of the inputs, one input after the other: `inout = operation(input,
/// inout)`. As many elements are combined as all buffers have.
///
/// # Panics
///
/// When the elements of the buffers have different sizes, or do not consist of `E`s.
#[inline]
pub(crate) fn combine<E: Element, const N: usize>(
    inputs: [&Source; N],
    inout: &Target,
    operation: impl Fn(E::Value, E::Value) -> E::Value + Copy,
) {
    combine_at::<E, N>(Level::best(), inputs, inout, operation);
}

/// [`combine`] with the instructions of a level.
fn combine_at<E: Element, const N: usize>(
    level: Level,
    inputs: [&Source; N],
    inout: &Target,
    operation: impl Fn(E::Value, E::Value) -> E::Value + Copy,
) {
    let count = common_count(&inputs, inout, size_of::<E>());
    if count == 0 {
        return; // Without elements an address may be null.
    }
    if is_apart(&inputs, inout, count * size_of::<E>()) {
        // SAFETY:
        // - `count` is not above the count of any buffer, whose elements are `E`s, or several, without gaps, valid by
        //   the promises of their makers; any address and bit pattern will do for an `E`;
        // - what is written overlaps nothing that is read.
        let (inputs, inout) = unsafe {
            (
                slices::<E, N>(&inputs, count),
                std::slice::from_raw_parts_mut(inout.address().cast::<E>(), count),
            )
        };
        simd::fold(level, inputs, inout, operation);
    } else {
        one_by_one::<E>(&inputs, inout, count, operation);
    }
}

/// [`combine`] of so many bytes of elements without gaps with an input.
///
/// # Safety
///
/// * There are so many bytes of `E`s at both addresses, which do not overlap. Nobody else accesses those that change.
#[inline]
pub(crate) unsafe fn combine_bytes<E: Element, O: Operation<E::Value>>(
    input: *const u8,
    inout: *mut u8,
    bytes: usize,
) {
    let count = bytes / size_of::<E>();
    // SAFETY:
    // - as demanded of the caller; any address and bit pattern will do for an `E`.
    let (input, inout) = unsafe {
        (
            std::slice::from_raw_parts(input.cast::<E>(), count),
            std::slice::from_raw_parts_mut(inout.cast::<E>(), count),
        )
    };
    simd::fold(Level::best(), [input], inout, O::apply);
}

// The following do not depend on the operation, so they are compiled once and not for each.

/// The number of elements of this size that all buffers have.
///
/// # Panics
///
/// When the elements of the buffers have different sizes, or do not consist of such elements.
fn common_count(inputs: &[&Source], inout: &Target, size: usize) -> usize {
    let count = inputs
        .iter()
        .fold(inout.count(), |count, input| count.min(input.count()));
    let extent = inout.datatype().extent();
    assert!(
        extent % size as isize == 0 && inputs.iter().all(|input| input.datatype().extent() == extent),
        "a kernel was given elements of another size"
    );
    count * (extent.unsigned_abs() / size)
}

/// Whether so many bytes of `inout` overlap nothing of the inputs.
fn is_apart(inputs: &[&Source], inout: &Target, bytes: usize) -> bool {
    let apart = |input: &&Source| input.address().addr().abs_diff(inout.address().addr()) >= bytes;
    inputs.iter().all(apart)
}

/// The inputs as slices.
///
/// # Safety
///
/// * Each has at least `count` elements, which are `E`s, and which nobody writes while the slices live.
unsafe fn slices<'a, E: Element, const N: usize>(inputs: &[&'a Source; N], count: usize) -> [&'a [E]; N] {
    let mut slices: [&[E]; N] = [&[]; N];
    for (slice, input) in slices.iter_mut().zip(inputs) {
        // SAFETY:
        // - as demanded of the caller.
        *slice = unsafe { std::slice::from_raw_parts(input.address().cast::<E>(), count) };
    }
    slices
}

/// [`combine`] for buffers that overlap. The standard forbids them; the result is not defined, but nothing outside of
/// the buffers is touched.
#[cold]
fn one_by_one<E: Element>(
    inputs: &[&Source],
    inout: &Target,
    count: usize,
    operation: impl Fn(E::Value, E::Value) -> E::Value,
) {
    for input in inputs {
        for index in 0..count {
            // SAFETY:
            // - as in `combine_at`; the element is read before the one in `inout` is borrowed.
            unsafe {
                let element: E = input.address().cast::<E>().add(index).read();
                let place = &mut *inout.address().cast::<E>().add(index);
                place.set(operation(element.get(), place.get()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datatype::{Basic, Datatype};
    use crate::memory::{ComplexHalf, Half};

    /// Elements of small values, from an odd address on.
    fn filled<E: Element>(count: usize, seed: usize, value: impl Fn(u8) -> E::Value) -> Vec<u8> {
        let mut bytes = vec![0xa5; count * size_of::<E>() + 1];
        for index in 0..count {
            let place = bytes[1 + index * size_of::<E>()..].as_mut_ptr().cast::<E>();
            // SAFETY:
            // - `bytes` has room for `count` elements from the second byte on; any bit pattern is one.
            unsafe { (*place).set(value((index * 7 + seed * 13) as u8 % 11)) };
        }
        bytes
    }

    /// Every loop gives what a loop over the inputs gives that takes one element at a time.
    fn check<E: Element>(
        basic: Basic,
        value: impl Fn(u8) -> E::Value + Copy,
        operation: impl Fn(E::Value, E::Value) -> E::Value + Copy,
    ) {
        let datatype = Datatype::Basic(basic);
        for count in [0, 1, 2, 3, 15, 16, 17, 63, 64, 65, 200] {
            let inputs: [_; 4] = std::array::from_fn(|seed| filled::<E>(count, seed + 1, value));
            // SAFETY:
            // - the bytes hold `count` elements from the second one on and outlive the buffers.
            let sources = inputs
                .each_ref()
                .map(|input| unsafe { Source::new(input.as_ptr().wrapping_add(1), count, datatype.clone()) });
            let combined = |level: Option<Level>| {
                let mut inout = filled::<E>(count, 0, value);
                // SAFETY:
                // - as above.
                let target =
                    unsafe { Target::new(inout.as_mut_ptr().wrapping_add(1), count, datatype.clone()) };
                match level {
                    Some(level) => combine_at::<E, 4>(level, sources.each_ref(), &target, operation),
                    None => one_by_one::<E>(&sources.each_ref(), &target, count, operation),
                }
                inout
            };
            let expected = combined(None);
            for level in Level::all() {
                assert!(
                    combined(Some(level)) == expected,
                    "{level:?}, {count} of {}",
                    basic.name()
                );
            }
        }
    }

    #[test]
    fn every_instruction_set_computes_the_same() {
        check::<Number<u8>>(Basic::Uint8, |value| value, u8::wrapping_mul);
        check::<Number<i16>>(Basic::Int16, i16::from, i16::wrapping_add);
        check::<Number<i32>>(Basic::Int, i32::from, i32::max);
        check::<Number<i64>>(Basic::Int64, i64::from, i64::wrapping_mul);
        check::<Number<f32>>(
            Basic::Float,
            |value| f32::from(value) / 3.0,
            |left, right| left + right,
        );
        check::<Number<f64>>(
            Basic::Double,
            |value| f64::from(value) / 3.0,
            |left, right| left * right,
        );
        let complex = |value| Complex {
            re: f32::from(value),
            im: 0.5,
        };
        check::<Number<Complex<f32>>>(Basic::CFloatComplex, complex, |left, right| left * right);
        check::<Half>(
            Basic::Real2,
            |value| f32::from(value) / 3.0,
            |left, right| left + right,
        );
        check::<ComplexHalf>(Basic::Complex4, complex, |left, right| left * right);
        let least = |left: (f64, i32), right| if left < right { left } else { right };
        check::<Pair<f64, i32>>(Basic::DoubleInt, |value| (f64::from(value), 9), least);
    }

    #[test]
    fn an_input_may_be_the_output() {
        let mut bytes: Vec<u8> = (0..100).collect();
        // SAFETY:
        // - the memory is that of `bytes`, which outlives the buffer.
        let target = unsafe { Target::new(bytes.as_mut_ptr(), 100, Datatype::Basic(Basic::Uint8)) };
        combine::<Number<u8>, 1>([&target.as_source()], &target, u8::wrapping_add);
        assert!(
            bytes
                .iter()
                .enumerate()
                .all(|(index, byte)| usize::from(*byte) == index * 2)
        );
    }
}
