//! `long double` of x86-64: the 80-bit numbers of the x87, for which Rust has no type.

use std::arch::asm;
use std::cmp::Ordering;
use std::ops::{Add, Mul, Sub};

/// An 80-bit number in 16 bytes, of which the last six are padding.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
pub(crate) struct F80([u8; 16]);

macro_rules! arithmetic {
    ($trait:ident, $method:ident, $instruction:literal) => {
        impl $trait for F80 {
            type Output = F80;

            #[inline]
            fn $method(self, other: F80) -> F80 {
                let mut result = F80([0; 16]);
                // SAFETY:
                // - both operands are 10 readable bytes and the result 10 writable ones.
                // - the register stack of the x87 is as empty afterwards as the ABI says it was before.
                unsafe {
                    asm!(
                        "fld tbyte ptr [{left}]",
                        "fld tbyte ptr [{right}]",
                        concat!($instruction, " st(1), st"),
                        "fstp tbyte ptr [{result}]",
                        left = in(reg) &raw const self,
                        right = in(reg) &raw const other,
                        result = in(reg) &raw mut result,
                        out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                        out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
                        options(nostack),
                    );
                }
                result
            }
        }
    };
}

arithmetic!(Add, add, "faddp");
arithmetic!(Sub, sub, "fsubp");
arithmetic!(Mul, mul, "fmulp");

impl PartialEq for F80 {
    #[inline]
    fn eq(&self, other: &F80) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl PartialOrd for F80 {
    #[inline]
    fn partial_cmp(&self, other: &F80) -> Option<Ordering> {
        let (above, below, unordered): (u8, u8, u8);
        // SAFETY:
        // - both operands are 10 readable bytes.
        // - the register stack of the x87 is as empty afterwards as the ABI says it was before.
        unsafe {
            asm!(
                "fld tbyte ptr [{right}]",
                "fld tbyte ptr [{left}]",
                "fcomip st, st(1)",
                "fstp st(0)",
                "seta {above}",
                "setb {below}",
                "setp {unordered}",
                left = in(reg) self,
                right = in(reg) other,
                above = out(reg_byte) above,
                below = out(reg_byte) below,
                unordered = out(reg_byte) unordered,
                out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
                options(nostack, readonly),
            );
        }
        match (unordered, above, below) {
            (0, 1, _) => Some(Ordering::Greater),
            (0, _, 1) => Some(Ordering::Less),
            (0, ..) => Some(Ordering::Equal),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A small integer as an 80-bit number: sign, exponent, and the integer bit explicit.
    fn number(value: i32) -> F80 {
        let mut bytes = [0; 16];
        if value != 0 {
            let magnitude = u64::from(value.unsigned_abs());
            let shift = magnitude.leading_zeros();
            bytes[..8].copy_from_slice(&(magnitude << shift).to_le_bytes());
            let exponent = 16383 + 63 - shift as u16;
            bytes[8..10].copy_from_slice(&(exponent | u16::from(value < 0) << 15).to_le_bytes());
        }
        F80(bytes)
    }

    #[test]
    #[cfg_attr(miri, ignore = "inline assembly")]
    fn arithmetic_is_exact_on_small_integers() {
        for left in -20..20 {
            for right in -20..20 {
                assert_eq!(number(left) + number(right), number(left + right));
                assert_eq!(number(left) - number(right), number(left - right));
                assert_eq!(number(left) * number(right), number(left * right));
                assert_eq!(number(left).partial_cmp(&number(right)), left.partial_cmp(&right));
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "inline assembly")]
    fn the_last_bit_of_64_counts() {
        let mut next = number(1);
        next.0[0] = 1;
        assert!(next > number(1));
        let difference = next - number(1);
        assert!(difference > number(0));
        assert_eq!(number(1) + difference, next);
    }

    #[test]
    #[cfg_attr(miri, ignore = "inline assembly")]
    fn not_a_number_is_unordered() {
        let mut nan = [0; 16];
        nan[7] = 0xc0;
        nan[8..10].copy_from_slice(&0x7fffu16.to_le_bytes());
        assert_eq!(F80(nan).partial_cmp(&number(1)), None);
        assert_ne!(F80(nan), F80(nan));
    }
}
