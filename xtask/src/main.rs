//! The project's own commands, behind `./x`.
//!
//! # Layers
//!
//! Each module imports only from those before it.
//!
//! * `failure`: the errors of commands
//! * `workspace`: the paths of the source tree and the target folder
//! * `table`: tables of text
//! * `pkgconfig`: the files for pkg-config
//! * `command`: running other commands
//! * `tidy`: the project's rules on sources
//! * `python`: virtual environments of Python
//! * `conformance`: the table of the standard's functions
//! * `header`: the C headers
//! * `fuzz`: the fuzzer
//! * `lint`: all checks of sources
//! * `peers`: other MPIs
//! * `mpi4py_config`: the configuration of mpi4py for this library
//! * `install`: the installed tree
//! * `mpi4py`: the tests of mpi4py
//! * `forum`: the Fortran modules beside the Forum's description of them
//! * `numa`: tests on imitated machines with several NUMA nodes
//! * `bench`, `demo`, `wheel`, `test`: the commands of these names

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

mod bench;
mod command;
mod conformance;
mod demo;
mod failure;
mod fortran;
mod forum;
mod fuzz;
mod header;
mod install;
mod lint;
mod mpi4py;
mod mpi4py_config;
mod numa;
mod peers;
mod pkgconfig;
mod python;
mod table;
mod test;
mod tidy;
mod wheel;
mod workspace;

use failure::Result;
use workspace::Workspace;

#[derive(Parser)]
#[command(name = "x", bin_name = "x", about = "The project's own commands")]
struct Arguments {
    #[command(subcommand)]
    command: Task,
}

#[derive(Subcommand)]
enum Task {
    /// The heat conduction example as 1, 2, 16 and 64 ranks: a table and a picture
    Demo,
    /// Everything that tests: a staged installation, all tests of the workspace, the wheel, mpi4py's tests, the loom
    /// models
    Test {
        /// The part to test; all parts if not given
        #[arg(value_enum)]
        part: Option<test::Part>,
        /// Test everything, also the steps that passed in an earlier run that did not come to its end
        #[arg(long)]
        anew: bool,
    },
    /// The tests again and again with other seeds, the loom models, each fuzz target for ten minutes
    Soak {
        /// How many times each test program is run
        #[arg(long, default_value_t = 10)]
        rounds: u32,
    },
    /// Runs code that takes in data of other processes with inputs that libFuzzer invents
    Fuzz {
        /// The target to fuzz; all in turn if not given
        #[arg(value_enum)]
        targets: Vec<fuzz::Target>,
        /// Seconds for each target, beyond the time for the corpus
        #[arg(long, default_value_t = 60)]
        seconds: u64,
    },
    /// Formatting, clippy, documentation, the project's own rules
    Lint,
    /// The project's own rules only
    Tidy,
    /// Ours and other MPIs side by side; writes docs/performance.md, docs/papers.md and docs/plots
    Bench {
        /// How many times everything is measured: 5 times, the figures of papers 3 times if not given
        #[arg(long)]
        rounds: Option<usize>,
        /// Another installation of Simurgh: measure this build beside it instead of the peers, and print the tables
        /// only
        #[arg(long, value_name = "PREFIX")]
        against: Option<PathBuf>,
        /// With the group papers: a figure to measure, by the name in docs/papers.md; all if not given
        #[arg(long = "figure", value_name = "NAME")]
        figures: Vec<String>,
        /// With the groups heap, windows and files: a kind of work to measure, by the first word of the lines that
        /// benches/c/heap.c, windows.c and files.c describe (pairs, put, strided); prints the tables only
        #[arg(long = "only", value_name = "KIND")]
        kinds: Vec<String>,
        /// The groups to measure; all but papers if not given
        #[arg(value_enum)]
        groups: Vec<bench::Group>,
    },
    /// Build for release and install below PREFIX
    Install {
        /// Where bin, lib, libexec and include go
        prefix: PathBuf,
    },
    /// A package for pip, in the target folder
    Wheel,
    /// Write the headers in include anew from the declarations in crates/mpi-abi
    Header,
    /// Write docs/conformance.md anew: which functions of the standard are there, and which programs test them
    Conformance,
    /// Install into the target folder, for tests and trials
    Stage,
}

fn main() -> ExitCode {
    match run(&Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("x: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(task: &Task) -> Result<()> {
    let workspace = Workspace::locate();
    match task {
        Task::Demo => demo::run(&workspace),
        Task::Test { part: None, anew } => test::all(&workspace, *anew),
        Task::Test { part: Some(part), .. } => test::part(&workspace, *part),
        Task::Soak { rounds } => test::soak::run(&workspace, *rounds),
        Task::Fuzz { targets, seconds } if targets.is_empty() => {
            fuzz::run(&workspace, &fuzz::Target::ALL, *seconds)
        }
        Task::Fuzz { targets, seconds } => fuzz::run(&workspace, targets, *seconds),
        Task::Lint => lint::all(&workspace),
        Task::Tidy => tidy::check(&workspace),
        Task::Bench {
            rounds,
            against,
            figures,
            kinds,
            groups,
        } => {
            let groups = match groups.is_empty() {
                true => &bench::Group::ALL,
                false => groups.as_slice(),
            };
            match against {
                Some(other) => bench::compare(&workspace, *rounds, groups, other, kinds),
                None if !kinds.is_empty() => bench::kinds(&workspace, *rounds, groups, kinds),
                None => bench::run(&workspace, *rounds, groups, figures),
            }
        }
        Task::Install { prefix } => install::into(&workspace, prefix),
        Task::Wheel => {
            let stage = install::staged(&workspace)?;
            wheel::build(&workspace, &stage).map(|wheel| println!("{}", wheel.display()))
        }
        Task::Header => header::write(&workspace),
        Task::Conformance => conformance::write(&workspace),
        Task::Stage => install::stage(&workspace).map(drop),
    }
}
