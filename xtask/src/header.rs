//! `./x header`: generates include/mpi.h and include/mpi_removed.h from the declarations of the ABI crate.

use crate::command::build;
use crate::failure::Result;
use crate::workspace::Workspace;

/// Writes the headers. The test that finds an outdated header also writes it, so there is one generator only.
pub(crate) fn write(workspace: &Workspace) -> Result<()> {
    let mut generator = workspace.cargo(&["test", "--package", "simurgh-mpi-abi", "--test", "header"]);
    build(generator.env("SIMURGH_WRITE_HEADER", "1"))
}
