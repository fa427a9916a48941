//! Tells about this installation, this machine and programs.

use clap::{Parser, Subcommand};
use simurgh_launcher::error::LaunchError;
use simurgh_launcher::process::{FileLimit, monitor};
use simurgh_launcher::program::preload;
use simurgh_launcher::report::model::{self, Question};
use simurgh_launcher::report::{check, collectives, info};
use simurgh_launcher::{agent, universe};
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Simurgh, an MPI whose ranks are threads of one process. Programs are run by mpiexec.
#[derive(Parser)]
#[command(name = "simurgh", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Print version, machine, settings and limits.
    Info {
        /// Print the settings only: the values in effect and where they come from.
        #[arg(long, conflicts_with = "collectives")]
        settings: bool,
        /// Print only how collective operations are done.
        #[arg(long)]
        collectives: bool,
    },
    /// Tell whether programs can run in threads mode, and if not, why and what to do; status 1 if one cannot.
    Check {
        /// The programs.
        #[arg(required = true)]
        programs: Vec<PathBuf>,
    },
    /// Predict what a job of many hosts costs.
    ///
    /// Prints messages, bytes, memory and seconds of its start and of collectives. They follow from the protocol, from
    /// the algorithms of `simurgh info --collectives`, and from constants that are measured on this machine or given.
    Model(Question),
    /// Let the jobs of several mpiexecs meet that are given the same file (`mpiexec --universe FILE`), until Ctrl-C.
    Universe {
        /// The file. It is written at the start and removed at the end, and only jobs of its user can read it.
        file: PathBuf,
        /// The network interface at which jobs can reach it; `lo` for jobs of this machine alone. [default: the first
        /// that leads to other machines]
        #[arg(long)]
        interface: Option<String>,
    },
    /// Serve a node of a job; mpiexec starts it there.
    #[command(hide = true)]
    Agent,
}

fn main() -> ExitCode {
    let mut limit = FileLimit::watch();
    let words: Vec<_> = std::env::args_os().skip(1).collect();
    answer(&words).unwrap_or_else(|error| failed(&error, limit.hint()))
}

fn answer(words: &[OsString]) -> Result<ExitCode, LaunchError> {
    let behind = monitor::monitored(words)?;
    let said = behind.unwrap_or(words).iter().cloned();
    let environment = |name: &OsStr| std::env::var_os(name);
    let text = match Arguments::parse_from(std::iter::once("simurgh".into()).chain(said)).command {
        Command::Info {
            collectives: true, ..
        } => collectives::collectives(environment)?,
        Command::Info { settings: true, .. } => info::settings(environment)?,
        Command::Info { .. } => info::info(environment)?,
        Command::Check { programs } => return Ok(check_all(&programs)),
        Command::Model(question) => model::model(&question, environment)?,
        Command::Universe { file, interface } => {
            universe::serve(&file, interface.as_deref())?;
            return Ok(ExitCode::SUCCESS);
        }
        Command::Agent if behind.is_some() => return agent::run().map(ExitCode::from),
        Command::Agent => return monitor::run("simurgh", "its agent", words).map(ExitCode::from),
    };
    print!("{text}");
    Ok(ExitCode::SUCCESS)
}

/// Prints the verdict on each program.
fn check_all(programs: &[PathBuf]) -> ExitCode {
    let mut status = ExitCode::SUCCESS;
    for program in programs {
        match verdict(program) {
            Ok(verdict) => {
                print!("{}", verdict.text);
                if !verdict.fits {
                    status = ExitCode::FAILURE;
                }
            }
            Err(error) => status = failed(&error, ""),
        }
    }
    status
}

fn verdict(program: &Path) -> Result<check::Verdict, LaunchError> {
    let here = std::env::current_dir().map_err(|source| LaunchError::WorkingDirectory {
        directory: PathBuf::from("."),
        source,
    })?;
    let preload = match std::env::var_os("LD_PRELOAD") {
        Some(list) => preload::list(&list, std::env::var_os("LD_LIBRARY_PATH").as_deref(), &here)?,
        None => Vec::new(),
    };
    check::check(program, &preload)
}

fn failed(error: &LaunchError, hint: &str) -> ExitCode {
    // If the standard error cannot be written, the status has to do.
    let _ = writeln!(std::io::stderr(), "simurgh: {error}{hint}");
    ExitCode::from(error.status())
}
