//! Numbers in the native representation and in external32.

use super::floating::Format;
use crate::datatype::{Basic, Class, Kind};

/// The native representation of an element and that in external32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Number {
    encoding: Encoding,
    /// Numbers in an element: two in a complex one.
    parts: usize,
    /// Bytes of each number in the native representation.
    native: usize,
    /// Bytes of each number in external32.
    external: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    /// The same bits. Where one side has fewer, the lowest are kept. The other way, `signed` ones are extended by their
    /// sign.
    Bits { signed: bool },
    /// IEEE numbers of different size.
    Floating,
    /// Extended precision of the x87 in the native representation, IEEE binary128 in external32.
    Extended,
}

impl Number {
    /// The representations of a predefined datatype that is no pair.
    pub(super) fn of(basic: Basic) -> Self {
        let parts = if basic.class() == Class::Complex { 2 } else { 1 };
        let native = basic.size() / parts;
        // Fortran's types have their usual sizes, whatever size the compiler's options give them.
        let external = match basic.usual() {
            Basic::Long | Basic::UnsignedLong => 4,
            Basic::Wchar => 2,
            usual => usual.size() / parts,
        };
        let encoding = match (basic.kind(), basic.class()) {
            (Kind::F80 | Kind::C80, _) => Encoding::Extended,
            (_, Class::Floating | Class::Complex) if native != external => Encoding::Floating,
            (_, class) => Encoding::Bits {
                signed: basic == Basic::Long || matches!(class, Class::FortranInteger | Class::Logical),
            },
        };
        Self {
            encoding,
            parts,
            native,
            external,
        }
    }

    /// Bytes of an element in the native representation.
    pub(super) fn native(self) -> usize {
        self.parts * self.native
    }

    /// Bytes of an element in external32.
    pub(super) fn external(self) -> usize {
        self.parts * self.external
    }

    /// Converts elements from the representation of this machine.
    pub(super) fn to_external(self, native: &[u8], external: &mut [u8]) {
        let pairs = native
            .chunks_exact(self.native)
            .zip(external.chunks_exact_mut(self.external));
        for (native, external) in pairs {
            let bits = from_bytes(native.iter());
            let bits = match self.encoding {
                Encoding::Bits { signed: false } => bits,
                Encoding::Bits { signed: true } => extended_by_sign(bits, self.native),
                Encoding::Floating => {
                    Format::of_bytes(self.native).convert(bits, Format::of_bytes(self.external))
                }
                Encoding::Extended => binary128_of(bits),
            };
            let bytes = bits.to_be_bytes();
            external.copy_from_slice(&bytes[bytes.len() - self.external..]);
        }
    }

    /// Converts elements to the representation of this machine.
    pub(super) fn to_native(self, external: &[u8], native: &mut [u8]) {
        let pairs = external
            .chunks_exact(self.external)
            .zip(native.chunks_exact_mut(self.native));
        for (external, native) in pairs {
            let bits = from_bytes(external.iter().rev());
            let bits = match self.encoding {
                Encoding::Bits { signed: false } => bits,
                Encoding::Bits { signed: true } => extended_by_sign(bits, self.external),
                Encoding::Floating => {
                    Format::of_bytes(self.external).convert(bits, Format::of_bytes(self.native))
                }
                Encoding::Extended => extended_of(bits),
            };
            native.copy_from_slice(&bits.to_le_bytes()[..self.native]);
        }
    }
}

/// The number of these bytes, the lowest first.
fn from_bytes<'a>(bytes: impl DoubleEndedIterator<Item = &'a u8>) -> u128 {
    bytes.rev().fold(0, |bits, byte| bits << 8 | u128::from(*byte))
}

/// The 128-bit integer equal to a signed one of `bytes` bytes.
fn extended_by_sign(bits: u128, bytes: usize) -> u128 {
    let unused = u128::BITS - 8 * bytes as u32;
    ((bits << unused).cast_signed() >> unused).cast_unsigned()
}

/// Bits of the fraction that binary128 has and the x87 has not.
const FINER: u32 = 112 - 63;
/// The exponent of infinities and NaNs.
const SPECIAL: u128 = 0x7fff;

/// The binary128 number equal to an 80-bit one.
fn binary128_of(extended: u128) -> u128 {
    let sign = extended >> 79 & 1; // Above it is padding.
    let exponent = extended >> 64 & SPECIAL;
    let significand = extended & u128::from(u64::MAX);
    // The integer bit is explicit in the x87 format and implied in binary128. With exponent zero it carries into the
    // exponent, as it has to.
    let fraction = match exponent {
        0 => significand,
        _ => significand & (u128::from(u64::MAX) >> 1),
    };
    (sign << 127 | exponent << 112) + (fraction << FINER)
}

/// The 80-bit number nearest to a binary128 one; of two that are equally near, the even one.
fn extended_of(binary128: u128) -> u128 {
    let sign = binary128 >> 127;
    let exponent = binary128 >> 112 & SPECIAL;
    let fraction = binary128 & ((1 << 112) - 1);
    let integer_bit = 1 << 63;
    if exponent == SPECIAL {
        let quiet = if fraction == 0 {
            0
        } else {
            fraction >> FINER | 1 << 62
        };
        return sign << 79 | SPECIAL << 64 | integer_bit | quiet;
    }
    let (mut kept, dropped) = (fraction >> FINER, fraction & ((1 << FINER) - 1));
    let half = 1 << (FINER - 1);
    if dropped > half || (dropped == half && kept & 1 == 1) {
        kept += 1;
    }
    // Rounding up may have carried into the integer bit, with which the next exponent begins.
    let exponent = exponent + (kept >> 63);
    let significand = match exponent {
        0 => kept,
        _ => kept & (integer_bit - 1) | integer_bit,
    };
    sign << 79 | exponent << 64 | significand
}

#[cfg(test)]
mod tests {
    use super::*;

    fn external(basic: Basic, native: &[u8]) -> Vec<u8> {
        let number = Number::of(basic);
        let mut external = vec![0; number.external()];
        number.to_external(native, &mut external);
        external
    }

    fn native(basic: Basic, external: &[u8]) -> Vec<u8> {
        let number = Number::of(basic);
        let mut native = vec![0; number.native()];
        number.to_native(external, &mut native);
        native
    }

    #[test]
    fn integers_are_turned_round_and_cut() {
        assert_eq!(external(Basic::Short, &0x1234_i16.to_le_bytes()), [0x12, 0x34]);
        assert_eq!(
            external(Basic::Long, &(-2_i64).to_le_bytes()),
            [0xff, 0xff, 0xff, 0xfe]
        );
        assert_eq!(
            native(Basic::Long, &[0xff, 0xff, 0xff, 0xfe]),
            (-2_i64).to_le_bytes()
        );
        assert_eq!(
            native(Basic::UnsignedLong, &[0xff, 0, 0, 1]),
            0xff00_0001_u64.to_le_bytes()
        );
        assert_eq!(
            external(Basic::Aint, &1_i64.to_le_bytes()),
            [0, 0, 0, 0, 0, 0, 0, 1]
        );
        assert_eq!(external(Basic::Wchar, &[0xac, 0x20, 0, 0]), [0x20, 0xac]);
    }

    #[test]
    fn complex_numbers_are_turned_round_by_parts() {
        let parts = [1.5_f32.to_le_bytes(), (-2.0_f32).to_le_bytes()].concat();
        let turned = [1.5_f32.to_be_bytes(), (-2.0_f32).to_be_bytes()].concat();
        assert_eq!(external(Basic::Complex, &parts), turned);
    }

    #[test]
    fn types_of_other_sizes_have_the_usual_one_outside() {
        let narrow = [0xff, 0xff, 0xff, 0xfe];
        assert_eq!(external(Basic::IntegerOf8, &(-2_i64).to_le_bytes()), narrow);
        assert_eq!(native(Basic::IntegerOf8, &narrow), (-2_i64).to_le_bytes());
        assert_eq!(external(Basic::IntegerOf2, &(-2_i16).to_le_bytes()), narrow);
        assert_eq!(native(Basic::IntegerOf2, &narrow), (-2_i16).to_le_bytes());
        assert_eq!(external(Basic::LogicalOf1, &[0xff]), [0xff; 4]);
        assert_eq!(
            external(Basic::RealOf8, &0.1_f64.to_le_bytes()),
            0.1_f32.to_be_bytes()
        );
        assert_eq!(
            native(Basic::RealOf8, &1.5_f32.to_be_bytes()),
            1.5_f64.to_le_bytes()
        );
        let parts = [1.5_f64.to_le_bytes(), (-2.0_f64).to_le_bytes()].concat();
        let turned = [1.5_f32.to_be_bytes(), (-2.0_f32).to_be_bytes()].concat();
        assert_eq!(external(Basic::ComplexOf16, &parts), turned);
        assert_eq!(native(Basic::ComplexOf16, &turned), parts);
    }

    #[test]
    fn extended_numbers_are_converted_both_ways() {
        let one = 0x3fff_u128 << 64 | 1 << 63;
        assert_eq!(binary128_of(one), 0x3fff << 112);
        assert_eq!(extended_of(0x3fff << 112), one);
        let least_above = one + 1;
        let smallest = 1;
        let infinity = SPECIAL << 64 | 1 << 63;
        let largest = (SPECIAL - 1) << 64 | u128::from(u64::MAX);
        for number in [
            one,
            least_above,
            smallest,
            infinity,
            largest,
            0,
            1 << 79,
            one | 1 << 79,
        ] {
            assert_eq!(extended_of(binary128_of(number)), number, "{number:#x}");
        }
        let none = extended_of(SPECIAL << 112 | 1);
        assert_eq!(none >> 64, SPECIAL);
        assert_ne!(none & (u128::from(u64::MAX) >> 1), 0);
        // Just below two rounds up to two.
        assert_eq!(extended_of((0x4000 << 112) - 1), 0x4000 << 64 | 1 << 63);
    }
}
