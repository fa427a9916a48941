//! IEEE binary128, `REAL(16)` of Fortran, through the compiler's own soft-float routines.
//!
//! Rust's `f128` is not stable. The routines take and return it in SSE registers, which inline assembly can name.

use std::arch::asm;
use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_storeu_si128};
use std::cmp::Ordering;
use std::ops::{Add, Mul, Sub};

unsafe extern "C" {
    // The signatures cannot be written in stable Rust; they are never called but through the assembly below.
    fn __addtf3();
    fn __subtf3();
    fn __multf3();
    fn __unordtf2();
    fn __lttf2();
    fn __gttf2();
}

/// A 128-bit number.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
pub(crate) struct F128([u8; 16]);

impl F128 {
    #[inline]
    fn to_register(self) -> __m128i {
        // SAFETY:
        // - 16 readable bytes; SSE2 is part of x86-64.
        unsafe { _mm_loadu_si128((&raw const self).cast()) }
    }

    #[inline]
    fn from_register(register: __m128i) -> Self {
        let mut number = F128([0; 16]);
        // SAFETY:
        // - 16 writable bytes; SSE2 is part of x86-64.
        unsafe { _mm_storeu_si128((&raw mut number).cast(), register) };
        number
    }
}

macro_rules! arithmetic {
    ($trait:ident, $method:ident, $routine:ident) => {
        impl $trait for F128 {
            type Output = F128;

            #[inline]
            fn $method(self, other: F128) -> F128 {
                let result: __m128i;
                // SAFETY:
                // - the routine takes two numbers in xmm0 and xmm1, returns one in xmm0, and keeps to the C ABI;
                //   the stack is aligned for a call at the entry of a block without `nostack`.
                unsafe {
                    asm!(
                        "call {routine}",
                        routine = sym $routine,
                        inlateout("xmm0") self.to_register() => result,
                        inlateout("xmm1") other.to_register() => _,
                        clobber_abi("C"),
                    );
                }
                F128::from_register(result)
            }
        }
    };
}

arithmetic!(Add, add, __addtf3);
arithmetic!(Sub, sub, __subtf3);
arithmetic!(Mul, mul, __multf3);

macro_rules! comparison {
    ($name:ident, $routine:ident) => {
        #[inline]
        fn $name(left: F128, right: F128) -> i32 {
            let result: i32;
            // SAFETY:
            // - the routine takes two numbers in xmm0 and xmm1, returns an int in eax, and keeps to the C ABI; the
            //   stack is aligned for a call at the entry of a block without `nostack`.
            unsafe {
                asm!(
                    "call {routine}",
                    routine = sym $routine,
                    inlateout("xmm0") left.to_register() => _,
                    inlateout("xmm1") right.to_register() => _,
                    lateout("eax") result,
                    clobber_abi("C"),
                );
            }
            result
        }
    };
}

comparison!(unordered, __unordtf2);
comparison!(less, __lttf2);
comparison!(greater, __gttf2);

impl PartialEq for F128 {
    #[inline]
    fn eq(&self, other: &F128) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl PartialOrd for F128 {
    #[inline]
    fn partial_cmp(&self, other: &F128) -> Option<Ordering> {
        if unordered(*self, *other) != 0 {
            None
        } else if less(*self, *other) < 0 {
            Some(Ordering::Less)
        } else if greater(*self, *other) > 0 {
            Some(Ordering::Greater)
        } else {
            Some(Ordering::Equal)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A small integer as a 128-bit number.
    fn number(value: i32) -> F128 {
        if value == 0 {
            return F128([0; 16]);
        }
        let magnitude = u128::from(value.unsigned_abs());
        let exponent = u128::from(127 - magnitude.leading_zeros());
        let fraction = (magnitude << (112 - exponent)) & ((1 << 112) - 1);
        let sign = u128::from(value < 0) << 127;
        F128((sign | (16383 + exponent) << 112 | fraction).to_le_bytes())
    }

    #[test]
    #[cfg_attr(miri, ignore = "inline assembly")]
    fn arithmetic_is_exact_on_small_integers() {
        for left in -12..12 {
            for right in -12..12 {
                assert_eq!(number(left) + number(right), number(left + right));
                assert_eq!(number(left) - number(right), number(left - right));
                assert_eq!(number(left) * number(right), number(left * right));
                assert_eq!(number(left).partial_cmp(&number(right)), left.partial_cmp(&right));
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "inline assembly")]
    fn the_last_bit_of_113_counts() {
        let mut next = number(1);
        next.0[0] = 1;
        assert!(next > number(1));
        assert_eq!(number(1) + (next - number(1)), next);
    }

    #[test]
    #[cfg_attr(miri, ignore = "inline assembly")]
    fn not_a_number_is_unordered() {
        let nan = F128((0x7fff8_u128 << 108).to_le_bytes());
        assert_eq!(nan.partial_cmp(&number(1)), None);
        assert_ne!(nan, nan);
    }
}
