//! The execution of programs, which have a time limit unless they build something.

use std::process::{Command, ExitStatus};
use std::time::Duration;

use simurgh_testing::{Input, Outcome, run, wait};

use crate::failure::{Failure, Result};

/// A duration of this many minutes.
pub(crate) const fn minutes(count: u64) -> Duration {
    Duration::from_secs(60 * count)
}

/// Runs a program that builds something. Its output goes where ours goes. It has no time limit, since the time depends
/// on the machine.
pub(crate) fn build(command: &mut Command) -> Result<()> {
    let status = command.status().map_err(not_started(command))?;
    succeeded(command, status)
}

/// Runs a program that builds something, and returns its standard output.
pub(crate) fn build_output(command: &mut Command) -> Result<String> {
    let output = command.output().map_err(not_started(command))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    eprint!("{}", text(&output.stderr));
    succeeded(command, output.status).map(|()| text(&output.stdout))
}

fn succeeded(command: &Command, status: ExitStatus) -> Result<()> {
    match status.success() {
        true => Ok(()),
        false => Err(Failure::Failed {
            command: line(command),
            status,
        }),
    }
}

/// Runs a program whose output goes where ours goes. An error unless it succeeds in time.
pub(crate) fn succeed(command: &mut Command, limit: Duration) -> Result<()> {
    let ending = command
        .spawn()
        .and_then(|child| wait(child, limit))
        .map_err(not_started(command))?;
    if ending.timed_out {
        return Err(Failure::TimedOut {
            command: line(command),
            limit,
        });
    }
    succeeded(command, ending.status)
}

/// Runs a program with nothing to read and returns its output, whether it succeeded or not.
pub(crate) fn capture(command: &mut Command, limit: Duration) -> Result<Outcome> {
    run(command, Input::Empty, limit).map_err(not_started(command))
}

/// Runs a program with nothing to read and returns its output. An error, with the output, unless it succeeds.
pub(crate) fn captured_success(command: &mut Command, limit: Duration) -> Result<Outcome> {
    let outcome = capture(command, limit)?;
    if outcome.success() {
        Ok(outcome)
    } else {
        Err(Failure::Faults(outcome.to_string()))
    }
}

/// The command line without the environment, to which cargo adds a lot.
fn line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}

fn not_started(command: &Command) -> impl FnOnce(std::io::Error) -> Failure + use<> {
    let program = command.get_program().to_string_lossy().into_owned();
    move |source| Failure::Start { program, source }
}
