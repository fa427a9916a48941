//! Tells about this installation, this machine and programs.

use clap::{Parser, Subcommand};
use simurgh_launcher::error::LaunchError;
use simurgh_launcher::{agent, check, collectives, info, preload};
use std::ffi::OsStr;
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
        /// Print only which way collective operations go.
        #[arg(long)]
        collectives: bool,
    },
    /// Tell whether programs can run in threads mode, and if not, why and what to do; status 1 if one cannot.
    Check {
        /// The programs.
        #[arg(required = true)]
        programs: Vec<PathBuf>,
    },
    /// Serve a node of a job: mpiexec starts it there.
    #[command(hide = true)]
    Agent,
}

fn main() -> ExitCode {
    let answer = match Arguments::parse().command {
        Command::Info {
            settings,
            collectives,
        } => {
            let print = |text| {
                print!("{text}");
                ExitCode::SUCCESS
            };
            let environment = |name: &OsStr| std::env::var_os(name);
            if collectives {
                collectives::collectives(environment).map(print)
            } else if settings {
                info::settings(environment).map(print)
            } else {
                info::info(environment).map(print)
            }
        }
        Command::Check { programs } => Ok(check_all(&programs)),
        Command::Agent => agent::run().map(ExitCode::from),
    };
    answer.unwrap_or_else(|error| failed(&error))
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
            Err(error) => status = failed(&error),
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

fn failed(error: &LaunchError) -> ExitCode {
    eprintln!("simurgh: {error}");
    ExitCode::from(error.status())
}
