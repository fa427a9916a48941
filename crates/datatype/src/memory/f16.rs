//! Numbers of 16 bits. They are combined as numbers of 32 bits and rounded after each operation.

use std::arch::x86_64::{__m128i, __m256, _MM_FROUND_TO_NEAREST_INT, _mm256_cvtph_ps, _mm256_cvtps_ph};
use std::mem::transmute;

use half::f16;

use super::complex::Complex;
use super::elements::Element;

/// Elements combined at a time.
const BLOCK: usize = 8;

/// An element made of 16-bit numbers. `F16C`: the machine has the instructions of this name.
trait Narrow: Element {
    /// The values of a block, as operations work on them.
    fn widened<const F16C: bool>(block: [Self; BLOCK]) -> [Self::Value; BLOCK];

    /// The block nearest to these values.
    fn rounded<const F16C: bool>(values: [Self::Value; BLOCK]) -> [Self; BLOCK];
}

/// A 16-bit number at any address.
#[derive(Clone, Copy)]
#[repr(C, packed)]
pub(crate) struct Half(f16);

impl Narrow for Half {
    #[inline(always)]
    fn widened<const F16C: bool>(block: [Self; BLOCK]) -> [f32; BLOCK] {
        widened::<F16C>(block.map(|Half(number)| number))
    }

    #[inline(always)]
    fn rounded<const F16C: bool>(values: [f32; BLOCK]) -> [Self; BLOCK] {
        rounded::<F16C>(values).map(Half)
    }
}

/// A complex number of two 16-bit numbers, at any address.
#[derive(Clone, Copy)]
#[repr(C, packed)]
pub(crate) struct ComplexHalf(Complex<f16>);

impl Narrow for ComplexHalf {
    #[inline(always)]
    fn widened<const F16C: bool>(block: [Self; BLOCK]) -> [Complex<f32>; BLOCK] {
        let re = widened::<F16C>(block.map(|ComplexHalf(number)| number.re));
        let im = widened::<F16C>(block.map(|ComplexHalf(number)| number.im));
        std::array::from_fn(|index| Complex {
            re: re[index],
            im: im[index],
        })
    }

    #[inline(always)]
    fn rounded<const F16C: bool>(values: [Complex<f32>; BLOCK]) -> [Self; BLOCK] {
        let re = rounded::<F16C>(values.map(|number| number.re));
        let im = rounded::<F16C>(values.map(|number| number.im));
        std::array::from_fn(|index| {
            ComplexHalf(Complex {
                re: re[index],
                im: im[index],
            })
        })
    }
}

macro_rules! narrow_elements {
    ($($type:ty as $value:ty),*) => { $(
        // SAFETY:
        // - every bit pattern of a 16-bit number is a value, and the structure is packed.
        unsafe impl Element for $type {
            type Value = $value;

            const VECTORS: bool = true;

            const GROUPS: bool = true;

            fn get(&self) -> $value {
                Self::widened::<false>([*self; BLOCK])[0]
            }

            fn set(&mut self, value: $value) {
                *self = Self::rounded::<false>([value; BLOCK])[0];
            }

            #[inline(always)]
            fn fold<const F16C: bool, const N: usize>(
                inputs: [&[Self]; N],
                inout: &mut [Self],
                operation: impl Fn(Self::Value, Self::Value) -> Self::Value + Copy,
            ) {
                fold::<_, F16C, N>(inputs, inout, operation);
            }
        }
    )* };
}

narrow_elements!(Half as f32, ComplexHalf as Complex<f32>);

/// [`Element::fold`], block by block. The elements that are left at the end are padded to a block.
#[inline(always)]
fn fold<T: Narrow, const F16C: bool, const N: usize>(
    inputs: [&[T]; N],
    inout: &mut [T],
    operation: impl Fn(T::Value, T::Value) -> T::Value + Copy,
) {
    let inputs = inputs.map(<[T]>::as_chunks::<BLOCK>);
    let (blocks, rest) = inout.as_chunks_mut::<BLOCK>();
    for (index, block) in blocks.iter_mut().enumerate() {
        *block = folded::<T, F16C, N>(inputs.map(|(blocks, _)| &blocks[index]), *block, operation);
    }
    if let Some(&last) = rest.last() {
        let padded = |elements: &[T]| std::array::from_fn(|index| *elements.get(index).unwrap_or(&last));
        let inputs = inputs.map(|(_, rest)| padded(rest));
        let block = folded::<T, F16C, N>(inputs.each_ref(), padded(rest), operation);
        rest.copy_from_slice(&block[..rest.len()]);
    }
}

/// A block combined with each of the inputs in turn.
#[inline(always)]
fn folded<T: Narrow, const F16C: bool, const N: usize>(
    inputs: [&[T; BLOCK]; N],
    mut block: [T; BLOCK],
    operation: impl Fn(T::Value, T::Value) -> T::Value,
) -> [T; BLOCK] {
    // A plain loop: the conversions are inlined only into code that is compiled for F16C, which closures of iterators
    // are not.
    for input in inputs {
        let (left, mut right) = (T::widened::<F16C>(*input), T::widened::<F16C>(block));
        for index in 0..BLOCK {
            right[index] = operation(left[index], right[index]);
        }
        block = T::rounded::<F16C>(right);
    }
    block
}

#[inline(always)]
fn widened<const F16C: bool>(numbers: [f16; BLOCK]) -> [f32; BLOCK] {
    if F16C {
        // SAFETY:
        // - the machine has the instructions, as `F16C` says.
        unsafe { widened_f16c(numbers) }
    } else {
        numbers.map(f16::to_f32)
    }
}

#[inline(always)]
fn rounded<const F16C: bool>(numbers: [f32; BLOCK]) -> [f16; BLOCK] {
    if F16C {
        // SAFETY:
        // - the machine has the instructions, as `F16C` says.
        unsafe { rounded_f16c(numbers) }
    } else {
        numbers.map(f16::from_f32)
    }
}

#[inline]
#[target_feature(enable = "avx,f16c")]
fn widened_f16c(numbers: [f16; BLOCK]) -> [f32; BLOCK] {
    // SAFETY:
    // - vectors are as large as the arrays, and any bit pattern is one.
    unsafe { transmute(_mm256_cvtph_ps(transmute::<[f16; BLOCK], __m128i>(numbers))) }
}

#[inline]
#[target_feature(enable = "avx,f16c")]
fn rounded_f16c(numbers: [f32; BLOCK]) -> [f16; BLOCK] {
    // SAFETY:
    // - vectors are as large as the arrays, and any bit pattern is one.
    unsafe {
        transmute(_mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(transmute::<
            [f32; BLOCK],
            __m256,
        >(numbers)))
    }
}
