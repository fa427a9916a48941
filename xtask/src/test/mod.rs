//! `./x test`: runs all tests, each part under a time limit of its own.
//!
//! Time limits are in virtual time ([`simurgh_testing::Deadline`]). Builds have no limit, since a busy machine only
//! makes them take longer. Steps that have passed are [recorded](record), so that a run that failed or was cut off can
//! be continued.

use std::panic::resume_unwind;
use std::thread;

use clap::ValueEnum;
use simurgh_testing::Stage;

use crate::command::{build, captured_success, minutes};
use crate::failure::Result;
use crate::forum;
use crate::install;
use crate::lint::COMPILER;
use crate::mpi4py::Mpi4py;
use crate::numa;
use crate::wheel;
use crate::workspace::Workspace;

mod lanes;
mod programs;
mod progress;
mod record;
pub(crate) mod soak;

use lanes::Step;
use programs::{Environment, Program};
use progress::Progress;

/// The models of the lock-free structures: a package, and the target with its models.
const MODELS: [[&str; 2]; 8] = [
    ["simurgh-core", "--test=loom"],
    ["simurgh-core", "--test=loom_locks"],
    ["simurgh-core", "--test=loom_revocable"],
    ["simurgh-core", "--test=loom_ring"],
    ["simurgh-core", "--test=loom_threads"],
    ["simurgh-sched", "--lib"],
    ["simurgh-net", "--lib"],
    ["simurgh-heap", "--lib"],
];

/// A part that can be tested alone.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Part {
    /// The tests of Python's MPI, on ranks that are processes
    Mpi4py,
    /// The package for pip, in a virtual environment
    Wheel,
    /// The Fortran modules beside the Forum's description of them
    Forum,
    /// Jobs on machines with several NUMA nodes, which qemu imitates; not among the tests that run without this word,
    /// since it takes minutes
    Numa,
}

/// Tests one part, with a staged installation.
pub(crate) fn part(workspace: &Workspace, part: Part) -> Result<()> {
    let stage = install::staged(workspace)?;
    let python = || Mpi4py::prepared(workspace, &wheel::build(workspace, &stage)?);
    match part {
        Part::Mpi4py => python()?.test(),
        Part::Wheel => wheel::test::run(workspace, &python()?),
        Part::Numa => numa::test(workspace, &stage),
        Part::Forum => forum::compare(workspace, &stage).map(|compared| eprintln!("x: {compared}")),
    }
}

/// Stages an installation, unless `SIMURGH_STAGE` names one. Then runs all tests of the workspace, those of the wheel
/// and of mpi4py, and the loom models. Steps that have passed in an earlier run with the
/// same sources, which did not come to its end, are left out unless `anew` is set.
pub(crate) fn all(workspace: &Workspace, anew: bool) -> Result<()> {
    let (stage, programs) = built(workspace)?;
    let environment = Environment::new(workspace, &stage)?;
    let progress = Progress::begin(workspace, anew)?;
    let of_program = |program| Step::new(Program::name(program), || program.run(&environment, &[]));
    let mut steps: Vec<_> = programs.iter().map(of_program).collect();
    steps.push(Step::new("examples in the documentation", || {
        programs::documentation(workspace, &environment)
    }));
    for model in MODELS {
        steps.push(Step::new(&format!("loom: {}", model[0]), move || {
            loom(workspace, model, &[])
        }));
    }
    steps.push(Step::new("the Forum's description of Fortran", || {
        forum::compare(workspace, &stage)
    }));
    steps.push(Step::new("the wheel and mpi4py", || {
        let python = Mpi4py::prepared(workspace, &wheel::build(workspace, &stage)?)?;
        python.test_once()?;
        wheel::test::run(workspace, &python).map(|()| String::new())
    }));
    lanes::run(steps, &progress);
    progress.end()
}

/// Stages an installation and builds the test programs, side by side, since each ends with steps that keep one core
/// busy.
fn built(workspace: &Workspace) -> Result<(Stage, Vec<Program>)> {
    thread::scope(|scope| {
        let stage = scope.spawn(|| install::staged(workspace));
        let programs = Program::build_all(workspace)?;
        let stage = stage.join().unwrap_or_else(|panic| resume_unwind(panic))?;
        Ok((stage, programs))
    })
}

/// Runs models of lock-free structures, with further arguments of the test harness. They have their own target folder,
/// since everything is compiled differently.
fn loom(workspace: &Workspace, [package, target]: [&str; 2], harness: &[&str]) -> Result<String> {
    let models = |more: &[&str]| {
        let mut models = workspace.cargo(&["test", "--profile", "loom", "-p", package, target]);
        models
            .args(more)
            .env("RUSTFLAGS", "--cfg loom")
            .env("CARGO_TARGET_DIR", workspace.target("loom"))
            .env_remove(COMPILER);
        models
    };
    build(&mut models(&["--no-run"]))?;
    // Each execution of a model maps and unmaps the stacks of its threads. Models that do so at the same time slow each
    // other down in the kernel.
    let arguments = [&["--", "--test-threads=1"], harness].concat();
    captured_success(&mut models(&arguments), minutes(40)).map(|outcome| programs::counted(&outcome.stdout))
}
