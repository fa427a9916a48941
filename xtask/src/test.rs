//! `./x test`: everything that tests, each part under a time limit.

use clap::ValueEnum;

use crate::command::{minutes, succeed};
use crate::failure::Result;
use crate::fuzz;
use crate::install;
use crate::mpi4py;
use crate::peers::MPICH;
use crate::workspace::Workspace;

/// How long each fuzz target is run, beyond its corpus.
const FUZZ_SECONDS: u64 = 3;

/// What can be tested alone.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Part {
    /// The tests of Python's MPI, on ranks that are processes
    Mpi4py,
}

/// Stages an installation and tests one part.
pub(crate) fn part(workspace: &Workspace, part: Part) -> Result<()> {
    let stage = install::stage(workspace)?;
    match part {
        Part::Mpi4py => mpi4py::test(workspace, &stage),
    }
}

/// Stages an installation, then runs all tests of the workspace, those of mpi4py, the loom models, and each fuzz target
/// for a moment.
pub(crate) fn all(workspace: &Workspace) -> Result<()> {
    let stage = install::stage(workspace)?;
    succeed(
        &mut workspace.cargo(&["test", "--workspace", "--no-run"]),
        minutes(20),
    )?;

    let mut tests = workspace.cargo(&["test", "--workspace", "--no-fail-fast"]);
    tests.env("SIMURGH_STAGE", stage.prefix());
    match MPICH.install(workspace) {
        Ok(mpich) => {
            tests.env("SIMURGH_REFERENCE_HEADER", mpich.join("include/mpi_abi.h"));
            tests.env("SIMURGH_REFERENCE_PREFIX", mpich);
        }
        Err(failure) => eprintln!("x: no comparison with MPICH, which cannot be installed here: {failure}"),
    }
    succeed(&mut tests, minutes(25))?;
    mpi4py::test(workspace, &stage)?;
    loom(workspace)?;
    fuzz::run(workspace, &fuzz::Target::ALL, FUZZ_SECONDS)
}

/// The models of the lock-free structures, in a target folder of their own: all is compiled differently.
fn loom(workspace: &Workspace) -> Result<()> {
    let packages = [["simurgh-core", "--test=loom"], ["simurgh-net", "--lib"]];
    packages.iter().try_for_each(|[package, target]| {
        let mut models = workspace.cargo(&["test", "--release", "-p", package, target]);
        models
            .env("RUSTFLAGS", "--cfg loom")
            .env("CARGO_TARGET_DIR", workspace.target("loom"));
        succeed(&mut models, minutes(8))
    })
}
