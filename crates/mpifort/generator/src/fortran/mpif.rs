//! The include file `mpif.h`.

use crate::constants::{Constant, Value};
use crate::model::{Procedure, SENTINELS};

use super::declarations::{Module, result_type};
use super::f08::PREFIXES;
use super::lines::BothForms;
use super::{sentinels, types};

/// The procedures that the library provides for the program to pass.
pub(super) const CALLBACKS: [&str; 14] = [
    "MPI_NULL_COPY_FN",
    "MPI_NULL_DELETE_FN",
    "MPI_DUP_FN",
    "MPI_COMM_NULL_COPY_FN",
    "MPI_COMM_NULL_DELETE_FN",
    "MPI_COMM_DUP_FN",
    "MPI_TYPE_NULL_COPY_FN",
    "MPI_TYPE_NULL_DELETE_FN",
    "MPI_TYPE_DUP_FN",
    "MPI_WIN_NULL_COPY_FN",
    "MPI_WIN_NULL_DELETE_FN",
    "MPI_WIN_DUP_FN",
    "MPI_CONVERSION_FN_NULL",
    "MPI_CONVERSION_FN_NULL_C",
];

/// The source, which is fixed form and free form.
pub(super) fn include_file(procedures: &[Procedure], constants: &[Constant]) -> String {
    let mut source = BothForms::default();
    source.comment("The include file of MPI 5.0 for Fortran, in fixed form and free form.");
    source.comment("Generated; SPDX-License-Identifier: MIT OR Apache-2.0");
    source.comment("");
    source.comment("The next constant cannot be computed where INTEGER has 8 bytes.");
    source.statement(&format!("INTEGER {}", types::GUARD.0));
    source.remarked(
        &format!("PARAMETER ({}={})", types::GUARD.0, types::GUARD.1),
        types::GUARD_REMARK,
    );
    for (name, kind) in types::KINDS {
        parameter(&mut source, "INTEGER", name, &kind.to_string());
    }
    for name in ["MPI_SUBARRAYS_SUPPORTED", "MPI_ASYNC_PROTECTS_NONBLOCKING"] {
        parameter(&mut source, "LOGICAL", name, ".FALSE.");
    }
    for constant in constants {
        match constant.value {
            Value::Integer(value) | Value::Handle(_, value) => {
                parameter(&mut source, "INTEGER", &constant.name, &value.to_string());
            }
            Value::Offset(value) => {
                let ty = "INTEGER(KIND=MPI_OFFSET_KIND)";
                parameter(&mut source, ty, &constant.name, &value.to_string());
            }
        }
    }
    variables(&mut source);
    externals(&mut source, procedures);
    source.finish()
}

/// Declares a constant.
fn parameter(source: &mut BothForms, ty: &str, name: &str, value: &str) {
    source.statement(&format!("{ty} {name}"));
    source.statement(&format!("PARAMETER ({name}={value})"));
}

/// Declares the variables whose addresses have meanings of their own.
fn variables(source: &mut BothForms) {
    for sentinel in SENTINELS {
        let name = sentinel.name;
        let ty = match name.starts_with("MPI_ARGV") {
            true => "CHARACTER*1",
            false => "INTEGER",
        };
        let shape = sentinels::shape(name, Module::Mpi).replace(' ', "");
        source.statement(&format!("{ty} {name}{shape}"));
        source.statement(&sentinels::common(&sentinel).to_uppercase());
    }
}

/// Declares the procedures that have a type, or may be passed.
fn externals(source: &mut BothForms, procedures: &[Procedure]) {
    for name in CALLBACKS {
        source.statement(&format!("EXTERNAL {name}"));
    }
    let functions = procedures.iter().filter(|procedure| procedure.bindings.mpif);
    for procedure in functions {
        let Some(result) = result_type(procedure.returns) else {
            continue;
        };
        for prefix in PREFIXES {
            let name = format!("{prefix}{}", procedure.name).to_uppercase();
            source.statement(&format!("{} {name}", result.to_uppercase().replace(' ', "")));
            source.statement(&format!("EXTERNAL {name}"));
        }
    }
}
