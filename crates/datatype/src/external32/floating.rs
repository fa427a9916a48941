//! Floating-point numbers of one IEEE format in another.

/// A binary interchange format of IEEE 754: a sign, an exponent and a fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Format {
    exponent_bits: u32,
    fraction_bits: u32,
}

impl Format {
    /// The format of numbers of 2, 4, 8 or 16 bytes.
    pub(super) fn of_bytes(bytes: usize) -> Self {
        let exponent_bits = match bytes {
            2 => 5,
            4 => 8,
            8 => 11,
            _ => 15,
        };
        Self {
            exponent_bits,
            fraction_bits: 8 * bytes as u32 - 1 - exponent_bits,
        }
    }

    /// The exponent of infinities and NaNs.
    fn special(self) -> u128 {
        (1 << self.exponent_bits) - 1
    }

    fn bias(self) -> i32 {
        (1 << (self.exponent_bits - 1)) - 1
    }

    fn infinity(self) -> u128 {
        self.special() << self.fraction_bits
    }

    /// The number of format `to` that is nearest to this one; of two that are equally near, the even one.
    pub(super) fn convert(self, bits: u128, to: Format) -> u128 {
        let sign = bits >> (self.exponent_bits + self.fraction_bits) & 1;
        let exponent = bits >> self.fraction_bits & self.special();
        let fraction = bits & ((1 << self.fraction_bits) - 1);
        let magnitude = match (exponent, fraction) {
            (0, 0) => 0,
            (0, _) => {
                // A subnormal number: its first bit is moved to where that of normal numbers is.
                let shift = self.fraction_bits + 1 - (u128::BITS - fraction.leading_zeros());
                to.nearest(
                    fraction << shift,
                    self.fraction_bits,
                    1 - self.bias() - shift as i32,
                )
            }
            (special, 0) if special == self.special() => to.infinity(),
            (special, _) if special == self.special() => to.infinity() | 1 << (to.fraction_bits - 1),
            _ => {
                let significand = fraction | 1 << self.fraction_bits;
                to.nearest(significand, self.fraction_bits, exponent as i32 - self.bias())
            }
        };
        sign << (to.exponent_bits + to.fraction_bits) | magnitude
    }

    /// The number nearest to `significand` times two to the power of `exponent`. The significand has one bit before the
    /// point, which is set, and `fraction_bits` behind it.
    fn nearest(self, significand: u128, fraction_bits: u32, exponent: i32) -> u128 {
        let biased = exponent + self.bias();
        // Numbers with an exponent below the least one are subnormal: they have fewer bits.
        let kept = self.fraction_bits as i32 + biased.min(1) - 1;
        let dropped = fraction_bits as i32 - kept;
        let rounded = match dropped {
            ..=0 => significand << dropped.unsigned_abs(),
            1..=127 => {
                let (high, low) = (significand >> dropped, significand & ((1 << dropped) - 1));
                let half = 1 << (dropped - 1);
                high + u128::from(low > half || (low == half && high & 1 == 1))
            }
            _ => 0,
        };
        // The bit before the point adds one to the exponent, and so does a carry out of the fraction.
        let below = (biased.max(1) - 1) as u128;
        match below >= self.special() {
            true => self.infinity(),
            false => ((below << self.fraction_bits) + rounded).min(self.infinity()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use half::f16;

    fn convert(bits: u128, from: usize, to: usize) -> u128 {
        Format::of_bytes(from).convert(bits, Format::of_bytes(to))
    }

    /// Bit patterns of all magnitudes: each exponent, with fractions that round up, down and to even.
    fn patterns(bits: u32, step: u64) -> impl Iterator<Item = u64> {
        (0..=u64::MAX >> (64 - bits)).step_by(step as usize)
    }

    #[test]
    fn narrowing_rounds_as_the_machine_does() {
        for pattern in patterns(64, 0x0003_7777_8000_0001 | 1 << 28).chain([1, 1 << 28, 3 << 28, 1 << 29]) {
            for pattern in [pattern, pattern & !0x1fff_ffff | 0x1000_0000] {
                let number = f64::from_bits(pattern);
                let expected = number as f32;
                let converted = f32::from_bits(convert(pattern.into(), 8, 4) as u32);
                let same = expected.to_bits() == converted.to_bits();
                assert!(
                    same || expected.is_nan() && converted.is_nan(),
                    "{number:e}: {converted:e}"
                );
            }
        }
    }

    #[test]
    fn widening_is_exact() {
        for pattern in 0..=u16::MAX {
            let (number, wide) = (f16::from_bits(pattern), convert(pattern.into(), 2, 8));
            let converted = f64::from_bits(wide as u64);
            assert!(number.to_f64() == converted || number.is_nan() && converted.is_nan());
            let quadruple = convert(pattern.into(), 2, 16);
            if !number.is_nan() {
                assert_eq!(convert(quadruple, 16, 8), wide);
                assert_eq!(convert(quadruple, 16, 2), pattern.into());
            }
        }
        for pattern in patterns(32, 65_537) {
            let number = f32::from_bits(pattern as u32);
            let converted = f64::from_bits(convert(pattern.into(), 4, 8) as u64);
            assert!(f64::from(number) == converted || number.is_nan() && converted.is_nan());
        }
    }

    #[test]
    fn numbers_out_of_range_are_infinite_or_zero() {
        assert_eq!(
            convert(f64::MAX.to_bits().into(), 8, 4),
            f32::INFINITY.to_bits().into()
        );
        assert_eq!(convert((-f64::MAX).to_bits().into(), 8, 2), 0xfc00);
        assert_eq!(convert(f64::MIN_POSITIVE.to_bits().into(), 8, 4), 0);
        assert_eq!(convert(1, 16, 8), 0);
        assert_eq!(convert((-0.0_f64).to_bits().into(), 8, 16), 1 << 127);
    }
}
