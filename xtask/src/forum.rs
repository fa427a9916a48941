//! Compares the installed Fortran modules with the MPI Forum's machine-readable description of the interface: names,
//! arguments, types and attributes. The description is a Python package, and so is the comparison (`forum.py`).

use std::process::Command;

use simurgh_testing::Stage;

use crate::command::{captured_success, minutes};
use crate::failure::{Failure, Result};
use crate::fortran::SOURCES;
use crate::python::Venv;
use crate::workspace::Workspace;

/// The package with the description of MPI 5.0.
const PACKAGE: &str = "pympistandard==0.2.0";

/// Fails with all differences. Returns how much has been compared.
pub(crate) fn compare(workspace: &Workspace, stage: &Stage) -> Result<String> {
    let venv = Venv::fresh(&workspace.target("forum"))?;
    venv.install([PACKAGE])?;
    let mut python = Command::new(venv.tool("python"));
    python.arg(workspace.source("xtask/src/forum.py"));
    for module in ["mpi_f08.F90", "mpi.F90"] {
        python.arg(stage.prefix().join(SOURCES).join(module));
    }
    python.arg(workspace.source("include/mpi.h"));
    let outcome = captured_success(&mut python, minutes(2))?;
    match outcome.stdout.trim() {
        "" => Ok(outcome.stderr.trim().to_owned()),
        differences => Err(Failure::Faults(differences.to_owned())),
    }
}
