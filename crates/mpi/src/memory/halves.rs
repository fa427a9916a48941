//! Numbers of 16 bits: combined as numbers of 32 bits, and rounded after each operation.

use half::f16;
use half::slice::HalfFloatSliceExt;

use super::elements::Element;
use crate::op::Complex;

/// Numbers converted at a time.
const BLOCK: usize = 64;

/// An element made of 16-bit numbers.
trait Narrow: Element {
    /// Its numbers, from the first on.
    fn read(self, into: &mut [f16]);

    /// An element made of these numbers.
    fn written(from: &[f16]) -> Self;

    /// What operations see of the numbers.
    fn widened(from: &[f32]) -> Self::Value;

    /// The numbers of a value.
    fn spread(value: Self::Value, into: &mut [f32]);
}

/// A 16-bit number, wherever it lies.
#[derive(Clone, Copy)]
#[repr(C, packed)]
pub(crate) struct Half(f16);

impl Narrow for Half {
    #[inline(always)]
    fn read(self, into: &mut [f16]) {
        into[0] = self.0;
    }

    #[inline(always)]
    fn written(from: &[f16]) -> Self {
        Half(from[0])
    }

    #[inline(always)]
    fn widened(from: &[f32]) -> f32 {
        from[0]
    }

    #[inline(always)]
    fn spread(value: f32, into: &mut [f32]) {
        into[0] = value;
    }
}

/// A complex number of two 16-bit numbers, wherever it lies.
#[derive(Clone, Copy)]
#[repr(C, packed)]
pub(crate) struct ComplexHalf(Complex<f16>);

impl Narrow for ComplexHalf {
    #[inline(always)]
    fn read(self, into: &mut [f16]) {
        let Complex { re, im } = self.0;
        (into[0], into[1]) = (re, im);
    }

    #[inline(always)]
    fn written(from: &[f16]) -> Self {
        ComplexHalf(Complex {
            re: from[0],
            im: from[1],
        })
    }

    #[inline(always)]
    fn widened(from: &[f32]) -> Complex<f32> {
        Complex {
            re: from[0],
            im: from[1],
        }
    }

    #[inline(always)]
    fn spread(value: Complex<f32>, into: &mut [f32]) {
        (into[0], into[1]) = (value.re, value.im);
    }
}

macro_rules! narrow_elements {
    ($($type:ty as $value:ty),*) => { $(
        // SAFETY:
        // - every bit pattern of a 16-bit number is a value, and the structure is packed.
        unsafe impl Element for $type {
            type Value = $value;

            const VECTORS: bool = true;

            #[inline]
            fn get(self) -> $value {
                let (mut narrow, mut wide) = ([f16::ZERO; 2], [0.0; 2]);
                self.read(&mut narrow);
                narrow.convert_to_f32_slice(&mut wide);
                Self::widened(&wide)
            }

            #[inline]
            fn set(&mut self, value: $value) {
                let (mut narrow, mut wide) = ([f16::ZERO; 2], [0.0; 2]);
                Self::spread(value, &mut wide);
                narrow.convert_from_f32_slice(&wide);
                *self = Self::written(&narrow);
            }

            #[inline(always)]
            fn fold<const N: usize>(
                inputs: [&[Self]; N],
                inout: &mut [Self],
                operation: impl Fn(Self::Value, Self::Value) -> Self::Value,
            ) {
                fold(inputs, inout, operation);
            }
        }
    )* };
}

narrow_elements!(Half as f32, ComplexHalf as Complex<f32>);

/// [`Element::fold`], block by block.
#[inline(always)]
fn fold<T: Narrow, const N: usize>(
    inputs: [&[T]; N],
    inout: &mut [T],
    operation: impl Fn(T::Value, T::Value) -> T::Value,
) {
    let lanes = size_of::<T>() / size_of::<f16>();
    for (index, places) in inout.chunks_mut(BLOCK / lanes).enumerate() {
        let start = index * (BLOCK / lanes);
        let mut result = [f16::ZERO; BLOCK];
        gather(places, &mut result);
        for input in &inputs {
            let (mut operand, mut left, mut right) = ([f16::ZERO; BLOCK], [0.0; BLOCK], [0.0; BLOCK]);
            gather(&input[start..start + places.len()], &mut operand);
            operand.convert_to_f32_slice(&mut left);
            result.convert_to_f32_slice(&mut right);
            for (left, right) in left.chunks_exact(lanes).zip(right.chunks_exact_mut(lanes)) {
                T::spread(operation(T::widened(left), T::widened(right)), right);
            }
            result.convert_from_f32_slice(&right);
        }
        for (place, numbers) in places.iter_mut().zip(result.chunks_exact(lanes)) {
            *place = T::written(numbers);
        }
    }
}

/// The numbers of elements, one behind the other.
#[inline(always)]
fn gather<T: Narrow>(elements: &[T], into: &mut [f16; BLOCK]) {
    let lanes = size_of::<T>() / size_of::<f16>();
    for (element, numbers) in elements.iter().zip(into.chunks_exact_mut(lanes)) {
        element.read(numbers);
    }
}
