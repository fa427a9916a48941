//! Other MPIs, which `./x test` installs.

use crate::{Binary, Compile};
use std::path::PathBuf;

/// A file of another MPI, below the prefix that a variable names.
pub fn of_another(mpi: &str, variable: &str, path: &str) -> Option<PathBuf> {
    let prefix = std::env::var_os(variable).map(PathBuf::from);
    let file = prefix
        .map(|prefix| prefix.join(path))
        .filter(|file| file.is_file());
    if file.is_none() {
        eprintln!("skipped: no {mpi} at {variable}, where ./x test puts it");
    }
    file
}

/// A test program that is linked with Open MPI, if Open MPI is installed.
pub fn of_open_mpi(name: &str) -> Option<Binary> {
    let compiler = of_another("Open MPI", "SIMURGH_OPEN_MPI_PREFIX", "bin/mpicc")?;
    Some(Compile::by(compiler, format!("tests/c/{name}.c")).build())
}
