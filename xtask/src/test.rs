//! `./x test`: everything that tests, each part under a time limit.

use clap::ValueEnum;

use crate::command::{minutes, succeed};
use crate::failure::Result;
use crate::fuzz;
use crate::install;
use crate::mpi4py::Mpi4py;
use crate::peers::{MPICH, OPEN_MPI};
use crate::wheel;
use crate::workspace::Workspace;

/// How long each fuzz target is run, beyond its corpus.
const FUZZ_SECONDS: u64 = 3;

/// What can be tested alone.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Part {
    /// The tests of Python's MPI, on ranks that are processes
    Mpi4py,
    /// The package for pip, in a virtual environment
    Wheel,
}

/// Tests one part with a staged installation.
pub(crate) fn part(workspace: &Workspace, part: Part) -> Result<()> {
    let wheel = wheel::build(workspace, &install::staged(workspace)?)?;
    let python = Mpi4py::prepared(workspace, &wheel)?;
    match part {
        Part::Mpi4py => python.test(),
        Part::Wheel => wheel::test::run(workspace, &python),
    }
}

/// Stages an installation, then runs all tests of the workspace, those of the wheel and of mpi4py, the loom models, and
/// each fuzz target for a moment.
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
    match OPEN_MPI.install(workspace) {
        Ok(open_mpi) => {
            tests.env("SIMURGH_OPEN_MPI_PREFIX", open_mpi);
        }
        Err(failure) => {
            eprintln!("x: no test of Open MPI's launcher, which cannot be installed here: {failure}")
        }
    }
    succeed(&mut tests, minutes(40))?;
    let python = Mpi4py::prepared(workspace, &wheel::build(workspace, &stage)?)?;
    python.test()?;
    wheel::test::run(workspace, &python)?;
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
        succeed(&mut models, minutes(15))
    })
}
