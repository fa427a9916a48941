//! The command line of `mpiexec`.
//!
//! MPI launchers have long options with one dash (`-np`, `-env`) as well as with two, options with two values, and
//! several programs separated by `:`. So the options are a table of our own, and each long option may be
//! written with one dash or with two, its value behind it or after `=`.

mod error;
mod help;
mod parse;
mod suggest;
mod table;
mod value;

pub use error::ArgError;
pub use help::help;
pub use parse::{option_names, parse};
pub use table::{Arity, OPTIONS, OptionInfo, Scope};

use simurgh_net::job::{EnvChange, Output, Settings};
use std::ffi::OsString;
use std::path::PathBuf;

/// What the user asks for.
#[derive(Debug, PartialEq)]
pub enum Request {
    /// To run a job.
    Run(Box<Run>),
    /// To be told the options.
    Help,
    /// To be told the version.
    Version,
}

/// A job as the command line describes it.
#[derive(Debug, PartialEq, Default)]
pub struct Run {
    /// The programs, in rank order.
    pub sections: Vec<SectionArgs>,
    /// How ranks become processes.
    pub mode: Mode,
    /// How the runtime is set up.
    pub settings: Settings,
    /// What happens to the ranks' output.
    pub output: Output,
}

/// One program of the command line.
#[derive(Debug, PartialEq, Clone)]
pub struct SectionArgs {
    /// Program and arguments.
    pub command: Vec<OsString>,
    /// How many ranks run it.
    pub ranks: u32,
    /// Changes to the environment, in order, those for all programs first.
    pub env: Vec<EnvChange>,
    /// Working directory.
    pub wdir: Option<PathBuf>,
}

/// How ranks become processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Mode {
    /// Threads mode where the program allows it.
    #[default]
    Auto,
    /// All ranks are threads of one process.
    Threads,
}

#[cfg(test)]
mod tests;
