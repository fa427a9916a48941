//! Predefined operations: which datatypes they are defined on, and what they compute.

use std::ffi::c_char;

use simurgh_base::ErrorClass;
use simurgh_datatype::memory::{Source, Target};
use simurgh_datatype::op::{BuiltinOp, Op};
use simurgh_datatype::{Basic, Class, Datatype, Kind, TruthValues};

use BuiltinOp::{Band, Bor, Bxor, Land, Lor, Lxor, Max, Maxloc, Min, Minloc, Prod, Sum};

/// Section 6.9.2 of the standard; also logical operations on addresses, counts and offsets, and `char` as an integer.
fn defined(op: BuiltinOp, class: Class) -> bool {
    use Class::{Byte, CInteger, Char, Complex, Floating, FortranInteger, Logical, MultiLanguage, Pair};
    match op {
        Max | Min => matches!(class, CInteger | Char | FortranInteger | Floating | MultiLanguage),
        Sum | Prod => matches!(
            class,
            CInteger | Char | FortranInteger | Floating | MultiLanguage | Complex
        ),
        Land | Lor | Lxor => matches!(class, CInteger | Char | Logical | MultiLanguage),
        Band | Bor | Bxor => matches!(class, CInteger | Char | FortranInteger | Byte | MultiLanguage),
        Minloc | Maxloc => class == Pair,
        BuiltinOp::Replace | BuiltinOp::NoOp => false,
    }
}

/// `left op right` on the bytes of elements, as many as there are.
fn reduce(op: BuiltinOp, basic: Basic, left: &[u8], right: &[u8]) -> Vec<u8> {
    reduce_as(op, &Datatype::Basic(basic), left, right)
}

/// The same for any datatype.
fn reduce_as(op: BuiltinOp, datatype: &Datatype, left: &[u8], right: &[u8]) -> Vec<u8> {
    let (count, datatype) = (left.len() / datatype.extent().unsigned_abs(), datatype.clone());
    // Off by one, because users' buffers need not be aligned.
    let shift = |bytes: &[u8]| [&[0], bytes].concat();
    let (input, mut inout) = (shift(left), shift(right));
    // SAFETY:
    // - both buffers hold `count` elements from the second byte on and outlive the call.
    let (source, target) = unsafe {
        (
            Source::new(input.as_ptr().wrapping_add(1), count, datatype.clone()),
            Target::new(inout.as_mut_ptr().wrapping_add(1), count, datatype),
        )
    };
    Op::Builtin(op)
        .reduce(&source, &target)
        .expect("the operation is defined");
    inout.split_off(1)
}

#[test]
fn operations_are_defined_where_they_make_sense() {
    for &op in BuiltinOp::ALL {
        for &basic in Basic::ALL.iter().chain(Basic::RESIZED) {
            let result = Op::Builtin(op).check(&Datatype::Basic(basic));
            assert_eq!(
                result.is_ok(),
                defined(op, basic.class()),
                "{} on {}",
                op.name(),
                basic.name()
            );
            if let Err(error) = result {
                assert_eq!(error.class(), ErrorClass::Op);
                assert!(error.message().contains(op.name()));
            }
        }
    }
}

#[test]
fn derived_datatypes_are_for_user_operations() {
    let pair = Datatype::contiguous(2, &Datatype::Basic(Basic::Int)).unwrap();
    let error = Op::Builtin(Sum).check(&pair).unwrap_err();
    assert_eq!(error.class(), ErrorClass::Op);
}

#[test]
fn what_the_standard_leaves_out_is_done_as_on_integers() {
    let extension = |op, basic| Op::Builtin(op).extension(&Datatype::Basic(basic));
    let alike = extension(Sum, Basic::Char).expect("the standard reduces no characters");
    assert_eq!(alike.kind(), Basic::Char.kind());
    assert_eq!(extension(Lor, Basic::Aint), Some(Basic::Int64));
    assert_eq!(extension(Bor, Basic::Aint), None);
    assert_eq!(extension(Land, Basic::Logical8), None);
}

macro_rules! check_integers {
    ($($type:ty: $($basic:ident)*;)*) => { $( $(
        let values: Vec<$type> = vec![0, 1, 2, 5, 100, <$type>::MAX, <$type>::MIN, <$type>::MAX - 3];
        for &left in &values {
            for &right in &values {
                let expected: [(BuiltinOp, $type); 7] = [
                    (Sum, left.wrapping_add(right)),
                    (Prod, left.wrapping_mul(right)),
                    (Min, left.min(right)),
                    (Max, left.max(right)),
                    (Band, left & right),
                    (Bor, left | right),
                    (Bxor, left ^ right),
                ];
                for (op, expected) in expected {
                    let result = reduce(op, Basic::$basic, &left.to_ne_bytes(), &right.to_ne_bytes());
                    assert_eq!(result, expected.to_ne_bytes(), "{left} {} {right}", op.name());
                }
            }
        }
    )* )* };
}

#[test]
fn integers_of_all_sizes() {
    check_integers! {
        i8: SignedChar Int8 Integer1;
        u8: UnsignedChar Uint8;
        c_char: Char;
        i16: Short Int16 Integer2;
        u16: UnsignedShort Uint16;
        i32: Int Int32 Integer Integer4;
        u32: Unsigned Uint32;
        i64: Long LongLong Int64 Integer8 Aint Count Offset;
        u64: UnsignedLong UnsignedLongLong Uint64;
        i128: Integer16;
    }
}

#[test]
fn logicals_have_the_words_of_their_compiler() {
    let values = TruthValues {
        yes: u128::MAX,
        no: 0x11,
    };
    let sizes = [
        Basic::Logical1,
        Basic::Logical2,
        Basic::Logical,
        Basic::LogicalOf8,
        Basic::Logical16,
    ];
    for basic in sizes {
        let word = |value: u128| value.to_le_bytes()[..basic.size()].to_vec();
        let logical = Datatype::logical(basic, values);
        for (op, table) in [(Land, [0, 0, 0, 1]), (Lor, [0, 1, 1, 1]), (Lxor, [0, 1, 1, 0])] {
            for (case, expected) in table.into_iter().enumerate() {
                let operand = |bit: usize| word(if case & bit == 0 { values.no } else { values.yes });
                let expected = word(if expected == 0 { values.no } else { values.yes });
                assert_eq!(
                    reduce_as(op, &logical, &operand(1), &operand(2)),
                    expected,
                    "{basic:?}"
                );
            }
        }
    }
}

#[test]
fn logicals_of_all_sizes() {
    let logicals = [
        Basic::CBool,
        Basic::CxxBool,
        Basic::Logical,
        Basic::Logical1,
        Basic::Logical2,
        Basic::Logical4,
    ];
    let others = [Basic::Logical8, Basic::Logical16, Basic::Int, Basic::UnsignedChar];
    for basic in logicals.into_iter().chain(others) {
        let word = |value: u128| value.to_le_bytes()[..basic.size()].to_vec();
        for left in [0, 1, 4] {
            for right in [0, 1, 8] {
                let (l, r) = (left != 0, right != 0);
                for (op, expected) in [(Land, l && r), (Lor, l || r), (Lxor, l != r)] {
                    assert_eq!(
                        reduce(op, basic, &word(left), &word(right)),
                        word(u128::from(expected))
                    );
                }
            }
        }
    }
}

#[test]
fn bytes_are_sets_of_bits() {
    assert_eq!(reduce(Band, Basic::Byte, &[0b1100], &[0b1010]), [0b1000]);
    assert_eq!(reduce(Bor, Basic::Byte, &[0b1100], &[0b1010]), [0b1110]);
    assert_eq!(reduce(Bxor, Basic::Byte, &[0b1100], &[0b1010]), [0b0110]);
}

/// A small integer as a binary floating-point number of `bits` bits with `exponent` bits of exponent.
fn float(value: i32, exponent_bits: u32, bits: u32) -> Vec<u8> {
    let mut word = 0;
    if value != 0 {
        let (magnitude, fraction_bits) = (u128::from(value.unsigned_abs()), bits - exponent_bits - 1);
        let exponent = 127 - magnitude.leading_zeros();
        let fraction = (magnitude << (fraction_bits - exponent)) & ((1 << fraction_bits) - 1);
        let biased = u128::from((1 << (exponent_bits - 1)) - 1 + exponent);
        word = u128::from(value < 0) << (bits - 1) | biased << fraction_bits | fraction;
    }
    word.to_le_bytes()[..bits as usize / 8].to_vec()
}

/// A small integer as a number of the x87, whose integer bit is explicit.
fn extended(value: i32) -> Vec<u8> {
    let mut word: u128 = 0;
    if value != 0 {
        let magnitude = u64::from(value.unsigned_abs());
        let shift = magnitude.leading_zeros();
        let exponent = u128::from(16383 + 63 - shift);
        word = u128::from(value < 0) << 79 | exponent << 64 | u128::from(magnitude << shift);
    }
    word.to_le_bytes().to_vec()
}

/// The datatypes of a class, in all sizes.
fn all(class: Class) -> impl Iterator<Item = Basic> {
    let all = Basic::ALL.iter().chain(Basic::RESIZED).copied();
    all.filter(move |basic| basic.class() == class)
}

fn number(basic: Basic, value: i32) -> Vec<u8> {
    match basic.kind() {
        Kind::F16 => float(value, 5, 16),
        Kind::F32 => float(value, 8, 32),
        Kind::F64 => float(value, 11, 64),
        Kind::F128 => float(value, 15, 128),
        _ => extended(value),
    }
}

#[test]
fn floats_of_all_sizes() {
    let floats: Vec<Basic> = all(Class::Floating).collect();
    assert_eq!(floats.len(), 15);
    for basic in floats {
        for left in -9..10 {
            for right in -9..10 {
                let expected = [
                    (Sum, left + right),
                    (Prod, left * right),
                    (Min, left.min(right)),
                    (Max, left.max(right)),
                ];
                for (op, expected) in expected.into_iter().filter(|(_, value)| *value != 0) {
                    let result = reduce(op, basic, &number(basic, left), &number(basic, right));
                    assert_eq!(
                        result,
                        number(basic, expected),
                        "{left} {} {right} on {}",
                        op.name(),
                        basic.name()
                    );
                }
            }
        }
    }
}

#[test]
fn complex_numbers_of_all_sizes() {
    let part = |basic: Basic| match basic.kind() {
        Kind::C16 => Basic::Real2,
        Kind::C32 => Basic::Float,
        Kind::C64 => Basic::Double,
        Kind::C128 => Basic::Real16,
        _ => Basic::LongDouble,
    };
    for basic in all(Class::Complex) {
        let number = |re, im| [number(part(basic), re), number(part(basic), im)].concat();
        let (left, right) = (number(2, 3), number(-5, 7));
        assert_eq!(
            reduce(Sum, basic, &left, &right),
            number(-3, 10),
            "{}",
            basic.name()
        );
        assert_eq!(
            reduce(Prod, basic, &left, &right),
            number(-31, -1),
            "{}",
            basic.name()
        );
    }
}

/// A pair of a value and an index in the layout of C, the gaps filled with a pattern.
fn pair(basic: Basic, value: i32, index: i32, gap: u8) -> Vec<u8> {
    let (value, at, index) = match basic {
        Basic::FloatInt => (float(value, 8, 32), 4, index.to_le_bytes().to_vec()),
        Basic::DoubleInt => (float(value, 11, 64), 8, index.to_le_bytes().to_vec()),
        Basic::LongInt => (
            i64::from(value).to_le_bytes().to_vec(),
            8,
            index.to_le_bytes().to_vec(),
        ),
        Basic::ShortInt => (
            (value as i16).to_le_bytes().to_vec(),
            4,
            index.to_le_bytes().to_vec(),
        ),
        Basic::LongDoubleInt => (extended(value), 16, index.to_le_bytes().to_vec()),
        _ if basic.name() != "MPI_2INT" && basic.name() != "MPI_2INTEGER" => {
            let (first, _) = basic.pair().expect("it is a pair");
            (number(first, value), first.size(), number(first, index))
        }
        _ => {
            let half = basic.size() / 2;
            let word = |value: i32| i128::from(value).to_le_bytes()[..half].to_vec();
            (word(value), half, word(index))
        }
    };
    let mut bytes = vec![gap; basic.extent()];
    bytes[..value.len()].copy_from_slice(&value);
    bytes[at..][..index.len()].copy_from_slice(&index);
    bytes
}

#[test]
fn pairs_carry_the_index_of_the_extreme_value() {
    let pairs: Vec<Basic> = all(Class::Pair).collect();
    assert_eq!(pairs.len(), 19);
    for basic in pairs {
        for (left, right, least, most) in [
            ((3, 1), (5, 2), (3, 1), (5, 2)),
            ((5, 1), (-3, 2), (-3, 2), (5, 1)),
            ((4, 7), (4, 2), (4, 2), (4, 2)),
            ((4, 2), (4, 7), (4, 2), (4, 2)),
        ] {
            let of = |(value, index), gap| pair(basic, value, index, gap);
            // Twice, so that the second element is in its place too; the gaps of the result are not written.
            let twice = |bytes: Vec<u8>| [bytes.clone(), bytes].concat();
            let (input, inout) = (twice(of(left, 0x11)), twice(of(right, 0x22)));
            assert_eq!(
                reduce(Minloc, basic, &input, &inout),
                twice(of(least, 0x22)),
                "{}",
                basic.name()
            );
            assert_eq!(
                reduce(Maxloc, basic, &input, &inout),
                twice(of(most, 0x22)),
                "{}",
                basic.name()
            );
        }
    }
}

#[test]
fn long_arrays_are_combined_element_by_element() {
    for count in [0, 1, 3, 7, 8, 64, 1001] {
        let bytes = |factor: i64| -> Vec<u8> {
            (0..count)
                .flat_map(|index| (index * factor).to_le_bytes())
                .collect()
        };
        assert_eq!(reduce(Sum, Basic::Int64, &bytes(3), &bytes(5)), bytes(8));
    }
}

#[test]
fn replacing_and_keeping_are_for_one_sided_communication() {
    assert_eq!(reduce(BuiltinOp::Replace, Basic::Int, &[1; 8], &[2; 8]), [1; 8]);
    assert_eq!(reduce(BuiltinOp::NoOp, Basic::Int, &[1; 8], &[2; 8]), [2; 8]);
}
