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
const REALS: [(i32, i32, Basic, Basic); 4] = [
    (6, 37, Basic::Real4, Basic::Complex8),
    (15, 307, Basic::Real8, Basic::Complex16),
    (18, 4931, Basic::LongDouble, Basic::CLongDoubleComplex),
    (33, 4931, Basic::Real16, Basic::Complex32),
];

impl Datatype {
    /// The datatype of integers with `range` decimal digits (`MPI_Type_create_f90_integer`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Arg`] if there is no such datatype.
    pub fn f90_integer(range: i32) -> Result<Datatype> {
        let found = INTEGERS.iter().find(|(digits, _)| (0..=*digits).contains(&range));
        let (_, basic) = found.ok_or_else(|| {
            Error::new(
                ErrorClass::Arg,
                format!("r is {range}: there are integers of 0 to 38 decimal digits"),
            )
        })?;
        Ok(kind(*basic, Combiner::F90Integer, &[range]))
    }

    /// The datatype of reals with `precision` decimal digits and a decimal exponent range of `range`
    /// (`MPI_Type_create_f90_real`). One of the two may be undefined.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Arg`] if there is no such datatype.
    pub fn f90_real(precision: i32, range: i32) -> Result<Datatype> {
        let (real, _) = floating(precision, range)?;
        Ok(kind(real, Combiner::F90Real, &[precision, range]))
    }

    /// The same as [`Datatype::f90_real`], for complex numbers (`MPI_Type_create_f90_complex`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Arg`] if there is no such datatype.
    pub fn f90_complex(precision: i32, range: i32) -> Result<Datatype> {
        let (_, complex) = floating(precision, range)?;
        Ok(kind(complex, Combiner::F90Complex, &[precision, range]))
    }
}

/// The real and the complex datatype with this precision and range.
fn floating(precision: i32, range: i32) -> Result<(Basic, Basic)> {
    let fits = |asked: i32, has: i32| asked == UNDEFINED || (0..=has).contains(&asked);
    let found = REALS
        .iter()
        .find(|(digits, exponents, ..)| fits(precision, *digits) && fits(range, *exponents));
    match found {
        Some((_, _, real, complex)) if (precision, range) != (UNDEFINED, UNDEFINED) => Ok((*real, *complex)),
        _ => Err(Error::new(
            ErrorClass::Arg,
            format!(
                "p is {precision} and r is {range}: there are numbers of up to 33 decimal digits and exponents of up \
                 to 4931, and one of both has to be defined"
            ),
        )),
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

/// The predefined datatype of a class that is `size` bytes long (`MPI_Type_match_size`), if there is one.
#[must_use]
pub fn match_size(class: MatchClass, size: usize) -> Option<Basic> {
    use Basic::{
        Complex4, Complex8, Complex16, Complex32, Integer1, Integer2, Integer4, Integer8, Integer16,
    };
    use Basic::{Real2, Real4, Real8, Real16};
    let candidates: &[Basic] = match class {
        MatchClass::Integer => &[Integer1, Integer2, Integer4, Integer8, Integer16],
        MatchClass::Real => &[Real2, Real4, Real8, Real16],
        MatchClass::Complex => &[Complex4, Complex8, Complex16, Complex32],
    };
    candidates.iter().copied().find(|basic| basic.size() == size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_kind_that_suffices_is_taken() {
        let real = |precision, range| Datatype::f90_real(precision, range).map(|real| real.basic());
        assert_eq!(real(6, 37), Ok(Some(Basic::Real4)));
        assert_eq!(real(7, UNDEFINED), Ok(Some(Basic::Real8)));
        assert_eq!(real(UNDEFINED, 308), Ok(Some(Basic::LongDouble)));
        assert_eq!(real(19, 2), Ok(Some(Basic::Real16)));
        assert!(real(34, 2).is_err() && real(UNDEFINED, UNDEFINED).is_err() && real(-1, 2).is_err());
        let integer = Datatype::f90_integer(9).unwrap();
        assert_eq!(integer.basic(), Some(Basic::Integer4));
        assert!(integer.is_predefined() && integer.is_committed());
        assert!(Datatype::f90_integer(39).is_err());
    }

    #[test]
    fn sizes_are_matched() {
        assert_eq!(match_size(MatchClass::Integer, 8), Some(Basic::Integer8));
        assert_eq!(match_size(MatchClass::Real, 3), None);
        assert_eq!(match_size(MatchClass::Complex, 32), Some(Basic::Complex32));
    }
}
