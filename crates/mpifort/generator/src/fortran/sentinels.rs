//! The variables whose addresses have meanings of their own.
//!
//! Each is alone in a common block, in both modules and in `mpif.h`. The library recognises all three by one address.
//! A `BIND(C)` variable of `mpi_f08` would do the same for gfortran. But flang does not compile a file in which a
//! common block and such a variable have the same symbol, or two such variables of different types.

use crate::model::{SENTINELS, Sentinel};

use super::declarations::Module;

/// The statements that declare the variables.
pub(super) fn declarations(module: Module) -> Vec<String> {
    let declare = |sentinel: &Sentinel| {
        let name = sentinel.name;
        [
            format!("{} :: {name}{}", type_of(name, module), shape(name, module)),
            common(sentinel),
        ]
    };
    SENTINELS.iter().flat_map(declare).collect()
}

/// The statement that puts a variable into its common block.
pub(super) fn common(sentinel: &Sentinel) -> String {
    format!("common /{}/ {}", sentinel.block, sentinel.name)
}

/// The type of a variable.
fn type_of(name: &str, module: Module) -> &'static str {
    match name {
        "MPI_ARGV_NULL" | "MPI_ARGVS_NULL" => "character(len=1)",
        "MPI_STATUS_IGNORE" | "MPI_STATUSES_IGNORE" if module == Module::F08 => "type(MPI_Status)",
        _ => "integer",
    }
}

/// The shape of a variable: that of the arguments in whose places it is passed.
pub(super) fn shape(name: &str, module: Module) -> &'static str {
    match (name, module) {
        ("MPI_STATUS_IGNORE", Module::Mpi) => "(MPI_STATUS_SIZE)",
        ("MPI_STATUSES_IGNORE", Module::Mpi) => "(MPI_STATUS_SIZE, 1)",
        ("MPI_STATUSES_IGNORE", Module::F08)
        | ("MPI_ERRCODES_IGNORE" | "MPI_UNWEIGHTED" | "MPI_WEIGHTS_EMPTY" | "MPI_ARGV_NULL", _) => "(1)",
        ("MPI_ARGVS_NULL", _) => "(1, 1)",
        _ => "",
    }
}
