//! Predefined datatypes that are found by their properties: by the precision and range of Fortran 90, or by their size.

use super::Datatype;
use super::basic::Basic;
use super::contents::{Combiner, Contents, Width};
use super::layout::{Layout, Role};
use simurgh_base::constants::UNDEFINED;
use simurgh_base::error::{Error, ErrorClass, Result};
use simurgh_core::sync::Arc;

/// The integers: their decimal digits, and the datatype.
const INTEGERS: [(i32, Basic); 5] = [
    (2, Basic::Integer1),
    (4, Basic::Integer2),
    (9, Basic::Integer4),
    (18, Basic::Integer8),
    (38, Basic::Integer16),
];

/// The floating-point numbers: their decimal digits, their decimal exponent range, and the real and the complex
/// datatype.
const REALS: [(i32, i32, Basic, Basic); 5] = [
    (3, 4, Basic::Real2, Basic::Complex4),
    (6, 37, Basic::Real4, Basic::Complex8),
    (15, 307, Basic::Real8, Basic::Complex16),
    (18, 4931, Basic::LongDouble, Basic::CLongDoubleComplex),
    (33, 4931, Basic::Real16, Basic::Complex32),
];

/// The kinds of numbers that a Fortran compiler has: whether this predefined datatype is one of them.
pub type HasKind<'a> = dyn Fn(Basic) -> bool + 'a;

impl Datatype {
    /// The datatype of integers with `range` decimal digits (`MPI_Type_create_f90_integer`), among those that the
    /// compiler has.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Arg`] if there is no such datatype.
    pub fn f90_integer(range: i32, has: &HasKind<'_>) -> Result<Datatype> {
        let fits = |(digits, basic): &&(i32, Basic)| (0..=*digits).contains(&range) && has(*basic);
        let found = INTEGERS.iter().find(fits);
        let (_, basic) = found.ok_or_else(|| {
            let most = INTEGERS
                .iter()
                .filter(|(_, basic)| has(*basic))
                .map(|(digits, _)| *digits);
            let most = most.max().unwrap_or(0);
            Error::new(
                ErrorClass::Arg,
                format!("r is {range}: there are integers of 0 to {most} decimal digits"),
            )
        })?;
        Ok(kind(*basic, Combiner::F90Integer, &[range]))
    }

    /// The datatype of reals with `precision` decimal digits and a decimal exponent range of `range`
    /// (`MPI_Type_create_f90_real`), among those that the compiler has. One of the two may be undefined.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Arg`] if there is no such datatype.
    pub fn f90_real(precision: i32, range: i32, has: &HasKind<'_>) -> Result<Datatype> {
        let real = floating(precision, range, |real, _| Some(real).filter(|real| has(*real)))?;
        Ok(kind(real, Combiner::F90Real, &[precision, range]))
    }

    /// The same as [`Datatype::f90_real`], for complex numbers (`MPI_Type_create_f90_complex`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Arg`] if there is no such datatype.
    pub fn f90_complex(precision: i32, range: i32, has: &HasKind<'_>) -> Result<Datatype> {
        let complex = floating(precision, range, |_, complex| {
            Some(complex).filter(|complex| has(*complex))
        })?;
        Ok(kind(complex, Combiner::F90Complex, &[precision, range]))
    }
}

/// The least datatype with this precision and range. `choose` takes the real or the complex one, if the compiler has
/// it.
fn floating(precision: i32, range: i32, choose: impl Fn(Basic, Basic) -> Option<Basic>) -> Result<Basic> {
    let fits = |asked: i32, has: i32| asked == UNDEFINED || (0..=has).contains(&asked);
    let there = REALS
        .iter()
        .filter_map(|&(digits, exponents, real, complex)| Some((digits, exponents, choose(real, complex)?)));
    let mut suited = there
        .clone()
        .filter(|&(digits, exponents, _)| fits(precision, digits) && fits(range, exponents));
    match suited.next() {
        Some((_, _, basic)) if (precision, range) != (UNDEFINED, UNDEFINED) => Ok(basic),
        _ => {
            let (digits, exponents, _) = there.last().unwrap_or((0, 0, Basic::Real));
            Err(Error::new(
                ErrorClass::Arg,
                format!(
                    "p is {precision} and r is {range}: there are numbers of up to {digits} decimal digits and \
                     exponents of up to {exponents}, and one of both has to be defined"
                ),
            ))
        }
    }
}

/// A predefined datatype that has the elements of `basic` and whose envelope names a constructor.
fn kind(basic: Basic, combiner: Combiner, arguments: &[i32]) -> Datatype {
    let mut layout = Layout::new(Datatype::Basic(basic).outline());
    layout.role = Role::Kind(basic);
    layout.contents = Some(Contents::new(combiner, Width::Narrow).integers(arguments.iter().copied()));
    layout.commit();
    Datatype::Derived(Arc::new(layout))
}

/// A class of Fortran datatypes. The numbers are those of the standard ABI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchClass {
    /// `MPI_TYPECLASS_INTEGER`.
    Integer,
    /// `MPI_TYPECLASS_REAL`.
    Real,
    /// `MPI_TYPECLASS_COMPLEX`.
    Complex,
}

/// The predefined datatype of a class that is `size` bytes long (`MPI_Type_match_size`), among those that the compiler
/// has, if there is one.
///
/// Two real kinds take 16 bytes, of which binary128 is preferred to the extended precision of the x87.
#[must_use]
pub fn match_size(class: MatchClass, size: usize, has: &HasKind<'_>) -> Option<Basic> {
    use Basic::{
        CLongDoubleComplex, Complex4, Complex8, Complex16, Complex32, Integer1, Integer2, Integer4, Integer8,
        Integer16, LongDouble, Real2, Real4, Real8, Real16,
    };
    let candidates: &[Basic] = match class {
        MatchClass::Integer => &[Integer1, Integer2, Integer4, Integer8, Integer16],
        MatchClass::Real => &[Real2, Real4, Real8, Real16, LongDouble],
        MatchClass::Complex => &[Complex4, Complex8, Complex16, Complex32, CLongDoubleComplex],
    };
    let fits = |basic: &Basic| basic.size() == size && has(*basic);
    candidates.iter().copied().find(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kinds of gfortran.
    fn usual(basic: Basic) -> bool {
        !matches!(basic, Basic::Real2 | Basic::Complex4)
    }

    #[test]
    fn the_least_kind_that_suffices_is_taken() {
        let real = |precision, range| Datatype::f90_real(precision, range, &usual).map(|real| real.basic());
        assert_eq!(real(2, 4), Ok(Some(Basic::Real4)));
        assert_eq!(real(6, 37), Ok(Some(Basic::Real4)));
        assert_eq!(real(7, UNDEFINED), Ok(Some(Basic::Real8)));
        assert_eq!(real(UNDEFINED, 308), Ok(Some(Basic::LongDouble)));
        assert_eq!(real(19, 2), Ok(Some(Basic::Real16)));
        assert!(real(34, 2).is_err() && real(UNDEFINED, UNDEFINED).is_err() && real(-1, 2).is_err());
        let integer = Datatype::f90_integer(9, &usual).unwrap();
        assert_eq!(integer.basic(), Some(Basic::Integer4));
        assert!(integer.is_predefined() && integer.is_committed());
        assert!(Datatype::f90_integer(39, &usual).is_err());
    }

    #[test]
    fn kinds_that_the_compiler_lacks_are_passed_over() {
        let half =
            |precision, range| Datatype::f90_complex(precision, range, &|_| true).map(|kind| kind.basic());
        assert_eq!(half(3, 4), Ok(Some(Basic::Complex4)));
        assert_eq!(half(3, 5), Ok(Some(Basic::Complex8)));
        let short = |basic| basic != Basic::Integer2 && basic != Basic::Integer16;
        let integer = |range| Datatype::f90_integer(range, &short).map(|integer| integer.basic());
        assert_eq!(integer(3), Ok(Some(Basic::Integer4)));
        let none = integer(19).unwrap_err();
        assert!(none.message().contains("0 to 18 decimal digits"), "{none:?}");
        let without_quadruple = |basic| basic != Basic::Real16;
        let none = Datatype::f90_real(20, 10, &without_quadruple).unwrap_err();
        assert!(none.message().contains("up to 18 decimal digits"), "{none:?}");
    }

    #[test]
    fn sizes_are_matched() {
        assert_eq!(match_size(MatchClass::Integer, 8, &usual), Some(Basic::Integer8));
        assert_eq!(match_size(MatchClass::Real, 3, &usual), None);
        assert_eq!(match_size(MatchClass::Real, 2, &usual), None);
        assert_eq!(
            match_size(MatchClass::Complex, 32, &usual),
            Some(Basic::Complex32)
        );
        let without_quadruple = |basic| basic != Basic::Real16;
        let extended = match_size(MatchClass::Real, 16, &without_quadruple);
        assert_eq!(extended, Some(Basic::LongDouble));
    }
}
