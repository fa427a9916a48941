//! `./x fuzz`: runs code that takes in data of other processes with data that libFuzzer invents.
//!
//! The targets are built with counters of coverage, in a folder of their own below the target folder. New inputs that
//! libFuzzer finds are kept there, too. The next run begins with them and with the corpus in the source tree.

use std::fs;
use std::path::Path;

use clap::ValueEnum;

use crate::command::{self, captured_success, minutes, succeed};
use crate::failure::{Failure, Result};
use crate::workspace::Workspace;

/// A target of the fuzzer.
#[derive(Clone, Copy, Debug, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum Target {
    /// Packets of another host, for the engine
    Packets,
    /// Memory that other processes of the node write
    SharedMemory,
    /// Packets that arrive over libfabric
    Frames,
    /// Messages between launcher and hosts
    Control,
}

/// The flags with which the compiler counts coverage and records comparisons.
const FLAGS: &[&str] = &[
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
];

impl Target {
    /// All targets.
    pub(crate) const ALL: [Self; 4] = [Self::Packets, Self::SharedMemory, Self::Frames, Self::Control];

    fn name(self) -> &'static str {
        match self {
            Self::Packets => "packets",
            Self::SharedMemory => "shared_memory",
            Self::Frames => "frames",
            Self::Control => "control",
        }
    }
}

/// Builds the targets, and runs each of them for this many seconds.
pub(crate) fn run(workspace: &Workspace, targets: &[Target], seconds: u64) -> Result<()> {
    let triple = triple(workspace)?;
    let mut build = workspace.cargo(&[
        "build",
        "--profile=fuzz",
        "--package=simurgh-fuzz",
        "--features=libfuzzer",
        "--bins",
        "--target",
    ]);
    build
        .arg(&triple)
        .env("CARGO_ENCODED_RUSTFLAGS", FLAGS.join("\x1f"));
    command::build(&mut build)?;
    let programs = workspace.target(&format!("{triple}/fuzz"));
    targets
        .iter()
        .try_for_each(|target| fuzz(workspace, &programs, *target, seconds))
}

/// The target triple of this machine. Naming it keeps the flags from build scripts and macros.
fn triple(workspace: &Workspace) -> Result<String> {
    let outcome = captured_success(
        workspace
            .cargo(&["--version", "--verbose"])
            .env_remove("RUSTFLAGS"),
        minutes(1),
    )?;
    let found = outcome
        .stdout
        .lines()
        .find_map(|line| line.strip_prefix("host: "));
    found
        .map(str::to_owned)
        .ok_or_else(|| Failure::Faults("cargo does not say for what machine it builds".to_owned()))
}

fn fuzz(workspace: &Workspace, programs: &Path, target: Target, seconds: u64) -> Result<()> {
    let name = target.name();
    let new = workspace.target(&format!("fuzz/{name}"));
    fs::create_dir_all(&new).map_err(Failure::file(&new))?;
    println!(
        "x: fuzzing {name} for {seconds} s; what fails is kept in {}",
        new.display()
    );
    let mut run = std::process::Command::new(programs.join(name));
    run.arg(&new)
        .arg(workspace.source(&format!("fuzz/corpus/{name}")))
        .arg(format!("-artifact_prefix={}/failed-", new.display()))
        .arg(format!("-max_total_time={seconds}"))
        .args([
            "-max_len=2048",
            "-timeout=20",
            "-rss_limit_mb=1024",
            "-print_final_stats=1",
            "-verbosity=0",
        ]);
    succeed(&mut run, minutes(2) + std::time::Duration::from_secs(seconds))
}
