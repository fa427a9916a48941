//! The types of a Fortran compiler, as an info object declares them.

use simurgh_mpi::Info;
use simurgh_mpi::datatype::Basic;

/// The types whose size a compiler's options may change: the key of the size, and the datatypes that consist of one
/// such number or of two.
const SIZED: [(&str, &[(Basic, usize)]); 4] = [
    ("mpi_logical_size", &[(Basic::Logical, 1)]),
    ("mpi_integer_size", &[(Basic::Integer, 1), (Basic::TwoInteger, 2)]),
    (
        "mpi_real_size",
        &[(Basic::Real, 1), (Basic::Complex, 2), (Basic::TwoReal, 2)],
    ),
    (
        "mpi_double_precision_size",
        &[
            (Basic::DoublePrecision, 1),
            (Basic::DoubleComplex, 2),
            (Basic::TwoDoublePrecision, 2),
        ],
    ),
];

/// The types that a compiler may lack.
const OPTIONAL: [(&str, Basic); 18] = [
    ("mpi_logical1_supported", Basic::Logical1),
    ("mpi_logical2_supported", Basic::Logical2),
    ("mpi_logical4_supported", Basic::Logical4),
    ("mpi_logical8_supported", Basic::Logical8),
    ("mpi_logical16_supported", Basic::Logical16),
    ("mpi_integer1_supported", Basic::Integer1),
    ("mpi_integer2_supported", Basic::Integer2),
    ("mpi_integer4_supported", Basic::Integer4),
    ("mpi_integer8_supported", Basic::Integer8),
    ("mpi_integer16_supported", Basic::Integer16),
    ("mpi_real2_supported", Basic::Real2),
    ("mpi_real4_supported", Basic::Real4),
    ("mpi_real8_supported", Basic::Real8),
    ("mpi_real16_supported", Basic::Real16),
    ("mpi_complex4_supported", Basic::Complex4),
    ("mpi_complex8_supported", Basic::Complex8),
    ("mpi_complex16_supported", Basic::Complex16),
    ("mpi_complex32_supported", Basic::Complex32),
];

const DOUBLE_COMPLEX: (&str, Basic) = ("mpi_double_complex_supported", Basic::DoubleComplex);

/// The types of a compiler. What it does not say is as usual.
#[derive(Default)]
pub(super) struct FortranTypes {
    /// The datatypes that have another size than usual: in its usual size, and as it is.
    resized: Vec<(Basic, Basic)>,
    supported: Vec<Basic>,
    lacking: Vec<Basic>,
}

impl FortranTypes {
    /// Reads a declaration. A value that makes no sense is an error, in words.
    pub(super) fn read(said: &Info) -> Result<Self, String> {
        let mut types = Self::default();
        for (key, datatypes) in SIZED {
            let Some(size) = said.text(key) else { continue };
            for &(usual, numbers) in datatypes {
                let bytes = size
                    .trim()
                    .parse::<usize>()
                    .ok()
                    .and_then(|size| size.checked_mul(numbers));
                let resized = bytes.and_then(|bytes| usual.resized(bytes));
                let resized = resized.ok_or_else(|| no_such_size(key, size, usual))?;
                if resized != usual {
                    types.resized.push((usual, resized));
                }
            }
        }
        for (key, basic) in OPTIONAL.into_iter().chain([DOUBLE_COMPLEX]) {
            match said.text(key).map(str::trim) {
                None => {}
                Some("true") => types.supported.push(basic),
                Some("false") => types.lacking.push(basic),
                Some(other) => return Err(format!("{key} is \"{other}\": pass true or false")),
            }
        }
        Ok(types)
    }

    /// The datatypes that are not as usual.
    pub(super) fn unusual(&self) -> impl Iterator<Item = Basic> {
        let resized = self.resized.iter().map(|(usual, _)| *usual);
        resized.chain(self.lacking.iter().copied())
    }

    /// The datatype that this one of usual size is with the compiler; `None` if the compiler does not have it.
    pub(super) fn of(&self, basic: Basic) -> Option<Basic> {
        if self.lacking.contains(&basic) {
            return None;
        }
        let resized = self.resized.iter().find(|(usual, _)| *usual == basic);
        Some(resized.map_or(basic, |(_, resized)| *resized))
    }

    /// Whether it has been declared that the compiler has this type.
    pub(super) fn supports(&self, basic: Basic) -> bool {
        self.supported.contains(&basic)
    }
}

/// The complaint about a size that a type cannot have.
fn no_such_size(key: &str, size: &str, basic: Basic) -> String {
    let sizes: Vec<String> = [1, 2, 4, 8, 16]
        .into_iter()
        .filter(|size| basic.resized(*size).is_some())
        .map(|size| size.to_string())
        .collect();
    format!(
        "{key} is \"{size}\": {} can have {} bytes",
        basic.name(),
        sizes.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(key: &str, value: &str) -> Result<FortranTypes, String> {
        let mut info = Info::new();
        info.set(key, value).unwrap();
        FortranTypes::read(&info)
    }

    #[test]
    fn a_value_without_sense_is_told() {
        for (key, value, complaint) in [
            (
                "mpi_integer_size",
                "3",
                "MPI_INTEGER can have 1, 2, 4, 8, 16 bytes",
            ),
            ("mpi_real_size", "1", "MPI_REAL can have 2, 4, 8, 16 bytes"),
            ("mpi_real_size", "-8", "mpi_real_size is \"-8\""),
            ("mpi_double_precision_size", "large", "MPI_DOUBLE_PRECISION"),
            ("mpi_real16_supported", "yes", "pass true or false"),
        ] {
            let told = read(key, value).err().unwrap_or_default();
            assert!(told.contains(complaint), "{key}={value}: {told}");
        }
    }

    #[test]
    fn only_what_differs_is_unusual() {
        let unusual = |key, value| {
            read(key, value)
                .ok()
                .map(|types| types.unusual().collect::<Vec<_>>())
        };
        assert_eq!(unusual("mpi_integer_size", "4"), Some(vec![]));
        assert_eq!(unusual("mpi_real16_supported", "true"), Some(vec![]));
        let integers = vec![Basic::Integer, Basic::TwoInteger];
        assert_eq!(unusual("mpi_integer_size", "8"), Some(integers));
        assert_eq!(unusual("mpi_real2_supported", "false"), Some(vec![Basic::Real2]));
    }
}
