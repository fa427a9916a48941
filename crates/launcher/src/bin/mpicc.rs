//! Compiles and links MPI programs. Also installed as `mpicxx` and `mpic++`, under which names it compiles C++, and as
//! `mpifort`, `mpif77` and `mpif90`, under which it compiles Fortran.

use simurgh_launcher::wrapper::{self, Language};
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut words = std::env::args_os();
    let argv0 = words.next().unwrap_or_default();
    let tool = Path::new(&argv0)
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    match wrapper::run(Language::of_tool(&tool), words.collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{tool}: {error}");
            ExitCode::from(error.status())
        }
    }
}
