//! The command line of `mpiexec`.
//!
//! MPI launchers have long options with one dash (`-np`, `-env`) as well as with two, options with two values, and
//! several programs separated by `:`. So the options are a table of our own, and each long option may be
//! written with one dash or with two, its value behind it or after `=`.

mod help;
mod parse;
mod suggest;
mod table;
mod value;

pub use help::help;
pub use parse::parse;
pub(crate) use parse::stack_limit;
pub use table::{Arity, Id, OptionInfo, Scope, options};

use crate::host_wrapper::HostWrapper;
use crate::nodes::NodesArgs;
use simurgh_net::job::EnvChange;
use simurgh_settings::Values;
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
    /// The settings that somebody has made.
    pub settings: Values,
    /// What hosts are started through.
    pub host_wrapper: HostWrapper,
    /// Where it runs.
    pub nodes: NodesArgs,
}

/// One program of the command line.
#[derive(Debug, PartialEq, Clone)]
pub struct SectionArgs {
    /// Program and arguments.
    pub command: Vec<OsString>,
    /// How many ranks run it, if somebody says so.
    pub ranks: Option<u32>,
    /// Changes to the environment, in order, those for all programs first.
    pub env: Vec<EnvChange>,
    /// Working directory.
    pub wdir: Option<PathBuf>,
}

#[cfg(test)]
mod tests;
