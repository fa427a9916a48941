//! `./x soak`: runs the tests again and again with other seeds, and the fuzzer for long, to find rare failures.

use std::time::Instant;

use super::programs::Environment;
use super::{MODELS, built, loom};
use crate::failure::{Failure, Result};
use crate::fuzz;
use crate::workspace::Workspace;

/// The time for which each fuzz target is run.
const FUZZ_SECONDS: u64 = 600;

/// Runs each test program `rounds` times, also the tests that take long, then the loom models, and each fuzz target
/// for ten minutes. Failures are shown and do not keep anything else from running.
pub(crate) fn run(workspace: &Workspace, rounds: u32) -> Result<()> {
    let (stage, programs) = built(workspace)?;
    let environment = Environment::new(workspace, &stage)?;
    let mut failures = Failures::default();
    for round in 1..=rounds {
        let start = Instant::now();
        let seeded = environment.with_seed(round);
        for program in &programs {
            let name = format!("{} with seed {round}", program.name());
            failures.note(&name, program.run(&seeded, &["--include-ignored"]));
        }
        eprintln!(
            "x: round {round} of {rounds} ({:.0} s)",
            start.elapsed().as_secs_f64()
        );
    }
    for model in MODELS {
        failures.note(model[0], loom(workspace, model, &["--include-ignored"]));
    }
    for target in fuzz::Target::ALL {
        failures.note("fuzzing", fuzz::run(workspace, &[target], FUZZ_SECONDS));
    }
    failures.end()
}

/// The names of the steps that have failed.
#[derive(Default)]
struct Failures(Vec<String>);

impl Failures {
    fn note<T>(&mut self, name: &str, done: Result<T>) {
        if let Err(failure) = done {
            eprintln!("x: FAILED: {name}\n{failure}");
            self.0.push(name.to_owned());
        }
    }

    fn end(self) -> Result<()> {
        match self.0.is_empty() {
            true => Ok(()),
            false => Err(Failure::Faults(format!(
                "{} failed: {}",
                self.0.len(),
                self.0.join(", ")
            ))),
        }
    }
}
