//! The declarations of a Fortran layer about its compiler, each of which is made once (section 20.3 of the standard's
//! ABI chapter), and what Fortran's datatypes are by them.
//!
//! Options of compilers change the sizes of default types, and compilers differ in the words that stand for true and
//! false. Each rank declares its own. Nothing is declared by most programs, or only what is usual; their lookups of
//! datatypes do not come here (`predefined.rs`).

use std::ffi::c_int;
use std::sync::OnceLock;

use simurgh_mpi::datatype::{Basic, Datatype, TruthValues};
use simurgh_mpi::{ErrorClass, Info};

use super::fortran_types::FortranTypes;
use super::predefined::depends_on_rank;
use crate::error::{CallError, Outcome, ResultOf};

/// The representations of true and false.
#[derive(PartialEq, Eq)]
pub(crate) struct Booleans {
    pub(crate) yes: Box<[u8]>,
    pub(crate) no: Box<[u8]>,
}

/// The declarations.
#[derive(Default)]
pub(crate) struct Fortran {
    types: OnceLock<(Info, FortranTypes)>,
    booleans: OnceLock<Booleans>,
    /// The datatypes of logicals, if true and false are not what they are in C.
    logicals: OnceLock<Box<Logicals>>,
}

/// The size of the largest logical in bytes.
const MAX_LOGICAL: c_int = 16;

/// Fortran's logicals in their usual sizes.
const LOGICALS: [Basic; 6] = [
    Basic::Logical,
    Basic::Logical1,
    Basic::Logical2,
    Basic::Logical4,
    Basic::Logical8,
    Basic::Logical16,
];

/// The datatypes of logicals with certain words for true and false.
struct Logicals {
    values: TruthValues,
    /// In the order of [`LOGICALS`], and then by size; made when they are needed.
    made: [[OnceLock<Datatype>; 5]; LOGICALS.len()],
}

impl Logicals {
    /// The datatype of these logicals.
    fn of(&self, place: usize, basic: Basic) -> &Datatype {
        let by_size = basic.size().trailing_zeros() as usize;
        self.made[place][by_size].get_or_init(|| Datatype::logical(basic, self.values))
    }
}

impl Booleans {
    /// The representations, extended by their signs.
    fn values(&self) -> TruthValues {
        let extended = |bytes: &[u8]| {
            let sign = bytes
                .last()
                .map_or(0, |last| last.cast_signed() >> 7)
                .cast_unsigned();
            let mut word = [sign; MAX_LOGICAL as usize];
            word[..bytes.len()].copy_from_slice(bytes);
            u128::from_le_bytes(word)
        };
        TruthValues {
            yes: extended(&self.yes),
            no: extended(&self.no),
        }
    }
}

fn refuse(reason: impl Into<String>) -> Box<CallError> {
    CallError::new(ErrorClass::Abi, reason)
}

fn size_of_logical(logical_size: c_int) -> ResultOf<usize> {
    match usize::try_from(logical_size) {
        Ok(size) if size.is_power_of_two() && logical_size <= MAX_LOGICAL => Ok(size),
        _ => {
            let reason = format!("logical_size is {logical_size}; logicals have 1, 2, 4, 8 or 16 bytes");
            Err(CallError::new(ErrorClass::Arg, reason))
        }
    }
}

impl Fortran {
    /// The declaration about the types, if there is one.
    pub(crate) fn info(&self) -> Option<&Info> {
        self.types.get().map(|(said, _)| said)
    }

    /// Declares the sizes of the types, and which ones there are.
    pub(crate) fn set_info(&self, said: Info) -> Outcome {
        let types = FortranTypes::read(&said).map_err(refuse)?;
        let unusual: Vec<Basic> = types.unusual().collect();
        self.types
            .set((said, types))
            .map_err(|_| refuse("the Fortran info has been set before; it can be set only once"))?;
        unusual.into_iter().for_each(depends_on_rank);
        Ok(())
    }

    /// The representations for logicals of this size, if they have been declared.
    pub(crate) fn booleans(&self, logical_size: c_int) -> ResultOf<Option<&Booleans>> {
        let size = size_of_logical(logical_size)?;
        Ok(self.booleans.get().filter(|booleans| booleans.yes.len() == size))
    }

    /// Declares the representations for logicals of this size. `read` gets the size and reads true and false. Logicals
    /// of other sizes have the same values as integers.
    pub(crate) fn set_booleans(
        &self,
        logical_size: c_int,
        read: impl FnOnce(usize) -> ResultOf<[Box<[u8]>; 2]>,
    ) -> Outcome {
        let [yes, no] = read(size_of_logical(logical_size)?)?;
        if yes == no {
            return Err(CallError::new(
                ErrorClass::Arg,
                "logical_true and logical_false are the same",
            ));
        }
        let booleans = Booleans { yes, no };
        let values = booleans.values();
        self.booleans
            .set(booleans)
            .map_err(|_| refuse("the Fortran booleans have been set before; they can be set only once"))?;
        if values != TruthValues::C {
            let logicals = Logicals {
                values,
                made: Default::default(),
            };
            self.logicals.get_or_init(|| Box::new(logicals));
            LOGICALS.into_iter().for_each(depends_on_rank);
        }
        Ok(())
    }

    /// The datatype that this predefined one is in the program; `None` if the compiler does not have it.
    pub(crate) fn datatype(&self, basic: Basic) -> Option<Datatype> {
        let sized = match self.types.get() {
            Some((_, types)) => types.of(basic)?,
            None => basic,
        };
        let place = LOGICALS.iter().position(|logical| *logical == basic);
        match (place, self.logicals.get()) {
            (Some(place), Some(logicals)) => Some(logicals.of(place, sized).clone()),
            _ => Some(Datatype::Basic(sized)),
        }
    }

    /// Whether `selected_int_kind` and `selected_real_kind` of the compiler find this type. Few compilers have numbers
    /// of 16 bits; those that have them say so.
    pub(crate) fn has_kind(&self, basic: Basic) -> bool {
        let types = self.types.get().map(|(_, types)| types);
        match basic {
            Basic::Real2 | Basic::Complex4 => types.is_some_and(|types| types.supports(basic)),
            _ => types.is_none_or(|types| types.of(basic).is_some()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(pairs: &[(&str, &str)]) -> Fortran {
        let mut info = Info::new();
        for (key, value) in pairs {
            info.set(key, value).unwrap();
        }
        let fortran = Fortran::default();
        assert!(fortran.set_info(info).is_ok());
        fortran
    }

    fn with_booleans(yes: &[u8], no: &[u8]) -> Fortran {
        let fortran = Fortran::default();
        let read = |_| Ok([yes.into(), no.into()]);
        assert!(fortran.set_booleans(yes.len() as c_int, read).is_ok());
        fortran
    }

    #[test]
    fn without_declarations_all_is_usual() {
        let fortran = Fortran::default();
        for &basic in Basic::ALL {
            assert_eq!(fortran.datatype(basic), Some(Datatype::Basic(basic)));
        }
        assert!(fortran.has_kind(Basic::Real16) && !fortran.has_kind(Basic::Real2));
    }

    #[test]
    fn sizes_follow_the_declaration() {
        let fortran = declared(&[("mpi_real_size", "8"), ("mpi_double_precision_size", "16")]);
        for (basic, size) in [
            (Basic::Real, 8),
            (Basic::Complex, 16),
            (Basic::TwoReal, 16),
            (Basic::DoublePrecision, 16),
            (Basic::DoubleComplex, 32),
            (Basic::TwoDoublePrecision, 32),
            (Basic::Integer, 4),
        ] {
            let datatype = fortran.datatype(basic).unwrap();
            assert_eq!((datatype.size(), datatype.name()), (size, basic.name()));
        }
    }

    #[test]
    fn types_of_which_the_compiler_lacks_one_are_none() {
        let fortran = declared(&[
            ("mpi_real2_supported", "true"),
            ("mpi_integer16_supported", "false"),
        ]);
        assert!(fortran.datatype(Basic::Integer16).is_none() && !fortran.has_kind(Basic::Integer16));
        assert!(fortran.has_kind(Basic::Real2) && !fortran.has_kind(Basic::Complex4));
    }

    #[test]
    fn logicals_of_all_sizes_have_the_declared_values() {
        let fortran = with_booleans(&[0xff; 4], &[0; 4]);
        for basic in LOGICALS {
            let datatype = fortran.datatype(basic).unwrap();
            assert_eq!((datatype.named(), datatype.basic()), (Some(basic), Some(basic)));
            assert!(!matches!(datatype, Datatype::Basic(_)), "{basic:?}");
            assert_eq!(fortran.datatype(basic), Some(datatype));
        }
        assert_eq!(fortran.datatype(Basic::CBool), Some(Basic::CBool.into()));
        let usual = with_booleans(&[1, 0], &[0, 0]);
        assert_eq!(usual.datatype(Basic::Logical8), Some(Basic::Logical8.into()));
    }
}
