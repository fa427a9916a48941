//! The table of reductions: the predefined operations that are defined on each datatype (section 6.9.2 of MPI 5.0), and
//! the loop of each.

use super::builtin::BuiltinOp;
use super::loops::{
    Band, Bor, Bxor, Connective, Kernel, Land, Lor, Lxor, Max, Maxloc, Min, Minloc, Prod, Sum, each, logical,
};
use crate::datatype::{Basic, Class, Datatype, Kind};
use crate::memory::{Complex, ComplexHalf, F80, F128, Half, Number, Operation, Pair, transfer};
use half::f16;
use simurgh_base::error::{Error, ErrorClass, Result};

/// Checks that `op` is defined on `datatype` in reductions.
pub(super) fn check(op: BuiltinOp, datatype: &Datatype) -> Result<()> {
    match op {
        BuiltinOp::Replace | BuiltinOp::NoOp => Err(one_sided_only(op)),
        _ => find(op, datatype).map(|_| ()),
    }
}

/// The C integer as which a predefined operation treats a datatype on which the standard does not define it. Other MPIs
/// do so as well, and programs rely on it. It is so for `char`, which is an integer of this platform, and for logical
/// operations on addresses, counts and offsets.
pub(super) fn extension(op: BuiltinOp, datatype: &Datatype) -> Option<Basic> {
    let basic = datatype.basic()?;
    match (basic.class(), op) {
        (Class::Char, _) if basic.kind() == Kind::U8 => Some(Basic::UnsignedChar),
        (Class::Char, _) => Some(Basic::SignedChar),
        (Class::MultiLanguage, BuiltinOp::Land | BuiltinOp::Lor | BuiltinOp::Lxor) => Some(Basic::Int64),
        _ => None,
    }
}

/// The loop of `op` for elements of `datatype`.
pub(super) fn find(op: BuiltinOp, datatype: &Datatype) -> Result<Kernel> {
    match op {
        BuiltinOp::Replace => return Ok(REPLACE),
        BuiltinOp::NoOp => return Ok(KEEP),
        _ => {}
    }
    if let Some((value, index)) = datatype.pair() {
        return pair_kernel(op, value.kind(), index.kind()).ok_or_else(|| undefined(op, datatype));
    }
    let basic = datatype.basic().ok_or_else(|| derived(op))?;
    kernel(op, basic).ok_or_else(|| undefined(op, datatype))
}

/// `MPI_REPLACE`: the result is the last input.
const REPLACE: Kernel = Kernel {
    one: |[input], inout| {
        transfer(input, inout);
    },
    dense: None,
    several: |[.., input], inout| {
        transfer(input, inout);
    },
};

/// `MPI_NO_OP`: the target is left unchanged.
const KEEP: Kernel = Kernel {
    one: |_, _| (),
    dense: None,
    several: |_, _| (),
};

fn kernel(op: BuiltinOp, basic: Basic) -> Option<Kernel> {
    use Class::{Byte, CInteger, Complex, Floating, FortranInteger, Logical, MultiLanguage};
    let kind = basic.kind();
    // The standard excludes `char` from all operations; see `extension`.
    let class = match basic.class() {
        Class::Char => CInteger,
        class => class,
    };
    match (op, class) {
        (BuiltinOp::Sum, Complex) => parts_sum(kind),
        (BuiltinOp::Prod, Complex) => complex_product(kind),
        (BuiltinOp::Sum, CInteger | FortranInteger | Floating | MultiLanguage) => real::<Sum>(kind),
        (BuiltinOp::Prod, CInteger | FortranInteger | Floating | MultiLanguage) => real::<Prod>(kind),
        (BuiltinOp::Min, CInteger | FortranInteger | Floating | MultiLanguage) => real::<Min>(kind),
        (BuiltinOp::Max, CInteger | FortranInteger | Floating | MultiLanguage) => real::<Max>(kind),
        (BuiltinOp::Band, CInteger | FortranInteger | Byte | MultiLanguage) => words::<Band>(kind),
        (BuiltinOp::Bor, CInteger | FortranInteger | Byte | MultiLanguage) => words::<Bor>(kind),
        (BuiltinOp::Bxor, CInteger | FortranInteger | Byte | MultiLanguage) => words::<Bxor>(kind),
        (BuiltinOp::Land, Logical) => logicals::<Land>(kind),
        (BuiltinOp::Lor, Logical) => logicals::<Lor>(kind),
        (BuiltinOp::Lxor, Logical) => logicals::<Lxor>(kind),
        // The standard leaves out the multi-language types here; see `extension`.
        (BuiltinOp::Land, CInteger | MultiLanguage) => words::<Land>(kind),
        (BuiltinOp::Lor, CInteger | MultiLanguage) => words::<Lor>(kind),
        (BuiltinOp::Lxor, CInteger | MultiLanguage) => words::<Lxor>(kind),
        _ => None,
    }
}

fn pair_kernel(op: BuiltinOp, value: Kind, index: Kind) -> Option<Kernel> {
    match op {
        BuiltinOp::Minloc => minloc(value, index),
        BuiltinOp::Maxloc => maxloc(value, index),
        _ => None,
    }
}

/// The loops on integers and floating-point numbers.
fn real<O>(kind: Kind) -> Option<Kernel>
where
    O: Operation<i8> + Operation<i16> + Operation<i32> + Operation<i64> + Operation<i128>,
    O: Operation<u8> + Operation<u16> + Operation<u32> + Operation<u64>,
    O: Operation<f32> + Operation<f64> + Operation<F80> + Operation<F128>,
{
    Some(match kind {
        Kind::I8 => each::<Number<i8>, O>(),
        Kind::I16 => each::<Number<i16>, O>(),
        Kind::I32 => each::<Number<i32>, O>(),
        Kind::I64 => each::<Number<i64>, O>(),
        Kind::I128 => each::<Number<i128>, O>(),
        Kind::U8 => each::<Number<u8>, O>(),
        Kind::U16 => each::<Number<u16>, O>(),
        Kind::U32 => each::<Number<u32>, O>(),
        Kind::U64 => each::<Number<u64>, O>(),
        Kind::F16 => each::<Half, O>(),
        Kind::F32 => each::<Number<f32>, O>(),
        Kind::F64 => each::<Number<f64>, O>(),
        Kind::F80 => each::<Number<F80>, O>(),
        Kind::F128 => each::<Number<F128>, O>(),
        _ => return None,
    })
}

/// The loop that adds complex numbers. It adds their parts, as real numbers.
fn parts_sum(kind: Kind) -> Option<Kernel> {
    real::<Sum>(match kind {
        Kind::C16 => Kind::F16,
        Kind::C32 => Kind::F32,
        Kind::C64 => Kind::F64,
        Kind::C80 => Kind::F80,
        Kind::C128 => Kind::F128,
        _ => return None,
    })
}

/// The loop that multiplies complex numbers.
fn complex_product(kind: Kind) -> Option<Kernel> {
    Some(match kind {
        Kind::C16 => each::<ComplexHalf, Prod>(),
        Kind::C32 => each::<Number<Complex<f32>>, Prod>(),
        Kind::C64 => each::<Number<Complex<f64>>, Prod>(),
        Kind::C80 => each::<Number<Complex<F80>>, Prod>(),
        Kind::C128 => each::<Number<Complex<F128>>, Prod>(),
        _ => return None,
    })
}

/// The loops on logicals.
fn logicals<O>(kind: Kind) -> Option<Kernel>
where
    O: Connective + Operation<u8> + Operation<u16> + Operation<u32> + Operation<u64> + Operation<u128>,
{
    Some(match kind {
        Kind::L8 => logical::<u8, O>(),
        Kind::L16 => logical::<u16, O>(),
        Kind::L32 => logical::<u32, O>(),
        Kind::L64 => logical::<u64, O>(),
        Kind::L128 => logical::<u128, O>(),
        _ => return None,
    })
}

/// The loops on words whose sign does not matter.
fn words<O>(kind: Kind) -> Option<Kernel>
where
    O: Operation<u8> + Operation<u16> + Operation<u32> + Operation<u64> + Operation<u128>,
{
    Some(match kind {
        Kind::Byte | Kind::I8 | Kind::U8 => each::<Number<u8>, O>(),
        Kind::I16 | Kind::U16 => each::<Number<u16>, O>(),
        Kind::I32 | Kind::U32 => each::<Number<u32>, O>(),
        Kind::I64 | Kind::U64 => each::<Number<u64>, O>(),
        Kind::I128 => each::<Number<u128>, O>(),
        _ => return None,
    })
}

/// Defines functions that choose the loop of an operation on pairs of a value and an index.
macro_rules! pairs {
    ($($name:ident = $operation:ident),* $(,)?) => { $(
        fn $name(value: Kind, index: Kind) -> Option<Kernel> {
            pairs!(@choose $operation, value, index:
                I8 i8, I16 i16, I32 i32, I64 i64, I128 i128, U8 u8, U16 u16, U32 u32, U64 u64,
                F16 f16, F32 f32, F64 f64, F80 F80, F128 F128)
        }
    )* };
    (@choose $operation:ident, $value:ident, $index:ident: $($kind:ident $type:ty),*) => {
        Some(match ($value, $index) {
            (Kind::F16, Kind::F16) => each::<Pair<f16, f16>, $operation>(),
            (Kind::F32, Kind::F32) => each::<Pair<f32, f32>, $operation>(),
            (Kind::F64, Kind::F64) => each::<Pair<f64, f64>, $operation>(),
            (Kind::F128, Kind::F128) => each::<Pair<F128, F128>, $operation>(),
            (Kind::I8, Kind::I8) => each::<Pair<i8, i8>, $operation>(),
            (Kind::I16, Kind::I16) => each::<Pair<i16, i16>, $operation>(),
            (Kind::I128, Kind::I128) => each::<Pair<i128, i128>, $operation>(),
            $((Kind::$kind, Kind::I32) => each::<Pair<$type, i32>, $operation>(),
            (Kind::$kind, Kind::I64) => each::<Pair<$type, i64>, $operation>(),)*
            _ => return None,
        })
    };
}

pairs!(minloc = Minloc, maxloc = Maxloc);

#[cold]
fn undefined(op: BuiltinOp, datatype: &Datatype) -> Error {
    let name = match datatype.basic() {
        Some(basic) => basic.name(),
        None => "a pair of a value and an index",
    };
    Error::new(
        ErrorClass::Op,
        format!(
            "{} is not defined on {name}: use another datatype or MPI_Op_create",
            op.name()
        ),
    )
}

#[cold]
fn derived(op: BuiltinOp) -> Error {
    Error::new(
        ErrorClass::Op,
        format!(
            "{} is not defined on a derived datatype: use a predefined one or MPI_Op_create",
            op.name()
        ),
    )
}

#[cold]
fn one_sided_only(op: BuiltinOp) -> Error {
    Error::new(
        ErrorClass::Op,
        format!("{} is for one-sided communication, not for reductions", op.name()),
    )
}
