//! The command line of `mpiexec`.
//!
//! MPI launchers have long options with one dash (`-np`, `-env`) as well as with two, options with two values, and
//! several programs separated by `:`. No parser library knows all of that, so the options are a table of our own. Each
//! long option may be written with one dash or with two, and its value may follow as the next word or after `=`.

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

/// A request of the user.
#[derive(Debug, PartialEq)]
pub enum Request {
    /// Run a job.
    Run(Box<Run>),
    /// Print the options.
    Help,
    /// Print the version.
    Version,
}

/// A job as the command line describes it.
#[derive(Debug, PartialEq, Default)]
pub struct Run {
    /// The programs, in rank order.
    pub sections: Vec<SectionArgs>,
    /// The settings that the user has made.
    pub settings: Values,
    /// The command through which hosts are started.
    pub host_wrapper: HostWrapper,
    /// The nodes on which it runs.
    pub nodes: NodesArgs,
}

/// One program of the command line.
#[derive(Debug, PartialEq, Clone)]
pub struct SectionArgs {
    /// Program and arguments.
    pub command: Vec<OsString>,
    /// How many ranks run it, if the user says so.
    pub ranks: Option<u32>,
    /// Changes to the environment, in order. Those for all programs come first.
    pub env: Vec<EnvChange>,
    /// The working directory.
    pub wdir: Option<PathBuf>,
}

#[cfg(test)]
mod tests;
