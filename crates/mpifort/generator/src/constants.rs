//! The constants of Fortran, from those of C.

use std::path::Path;

use simurgh_mpi_abi_declarations as declarations;
use syn::Type;

use crate::model::Handle;

/// The files with the constants that Fortran has, too.
const FILES: [&str; 4] = ["values.rs", "errors.rs", "handles.rs", "addresses.rs"];

/// A constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: Value,
}

/// The value of a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// An `INTEGER`.
    Integer(i64),
    /// An `INTEGER(KIND=MPI_OFFSET_KIND)`.
    Offset(i64),
    /// The number of a predefined handle: `INTEGER`, and the handle's own type in `mpi_f08`.
    Handle(Handle, i64),
}

/// The constants, from the declarations in this folder.
///
/// # Errors
///
/// If there is a constant that no rule covers.
pub fn constants(folder: &Path) -> Result<Vec<Constant>, String> {
    let mut all: Vec<Constant> = Vec::new();
    for file in FILES {
        for declared in declarations::collect::constants(&folder.join(file)) {
            if let Some(value) = value(&declared, &all)? {
                all.push(in_fortran(declared.name, value));
            }
        }
    }
    Ok(all)
}

/// The value of a constant. None if it is an address: sentinels and callbacks are no constants in Fortran.
fn value(declared: &declarations::Constant, before: &[Constant]) -> Result<Option<Value>, String> {
    let Type::Path(path) = &declared.ty else {
        return Ok(None);
    };
    let ty = path
        .path
        .segments
        .last()
        .map_or_else(String::new, |last| last.ident.to_string());
    if ty == "Callback" || ty.starts_with("MPI_T_") {
        return Ok(None);
    }
    let number = match &declared.value {
        declarations::Value::Number(number) | declarations::Value::Wrapped(number) => *number,
        declarations::Value::Same(name) => {
            let other = before.iter().find(|constant| constant.name == *name);
            let other = other.ok_or_else(|| format!("{}: {name} does not come before it", declared.name))?;
            return Ok(Some(other.value));
        }
    };
    Ok(Some(match ty.as_str() {
        "c_int" => Value::Integer(number),
        "MPI_Offset" => Value::Offset(number),
        name => {
            let handle = Handle::of_type(name);
            let handle = handle.ok_or_else(|| format!("{}: Fortran has no type {name}", declared.name))?;
            Value::Handle(handle, number)
        }
    }))
}

/// The constant as Fortran has it. Strings have no null byte at their end, and elements of a status count from one.
fn in_fortran(name: String, value: Value) -> Constant {
    let (name, value) = match (name.as_str(), value) {
        ("MPI_F_STATUS_SIZE", _) => ("MPI_STATUS_SIZE".to_owned(), value),
        ("MPI_F_SOURCE" | "MPI_F_TAG" | "MPI_F_ERROR", Value::Integer(place)) => {
            (name.replacen("_F_", "_", 1), Value::Integer(place + 1))
        }
        (length, Value::Integer(bytes)) if length.starts_with("MPI_MAX_") => {
            (name, Value::Integer(bytes - 1))
        }
        _ => (name, value),
    };
    Constant { name, value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_those_of_c_with_other_lengths_and_indices() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../mpi-abi/src/constants");
        let all = constants(&folder).unwrap();
        let value = |name: &str| {
            all.iter()
                .find(|constant| constant.name == name)
                .map(|found| found.value)
        };
        for (name, expected) in [
            ("MPI_COMM_WORLD", Value::Handle(Handle::Comm, 257)),
            ("MPI_C_COMPLEX", Value::Handle(Handle::Datatype, 0x212)),
            ("MPI_UNDEFINED", Value::Integer(-32766)),
            ("MPI_MAX_ERROR_STRING", Value::Integer(511)),
            ("MPI_MAX", Value::Handle(Handle::Op, 0x23)),
            ("MPI_STATUS_SIZE", Value::Integer(8)),
            ("MPI_TAG", Value::Integer(2)),
            ("MPI_ERR_ABI", Value::Integer(62)),
            ("MPI_DISPLACEMENT_CURRENT", Value::Offset(-1)),
        ] {
            assert_eq!(value(name), Some(expected), "{name}");
        }
        for name in ["MPI_F_TAG", "MPI_BOTTOM", "MPI_COMM_DUP_FN", "MPI_T_ENUM_NULL"] {
            assert_eq!(value(name), None, "{name}");
        }
    }
}
