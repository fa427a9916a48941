//! Errors in a command line.

use simurgh_settings::BadValue;
use thiserror::Error;

/// Why a command line is refused.
#[derive(Debug, Error, PartialEq)]
pub enum ArgError {
    /// No such option.
    #[error("unknown option {option}{}; `mpiexec --help` lists them all", did_you_mean(.nearest))]
    Unknown {
        /// As the user wrote it.
        option: String,
        /// The option that looks most like it.
        nearest: Option<String>,
    },
    /// An option that other launchers have.
    #[error("option {option}: {reason}")]
    Foreign {
        /// As the user wrote it.
        option: String,
        /// The advice to the user: what to do instead.
        reason: &'static str,
    },
    /// The command line ends too early.
    #[error("option {option} needs {needs} after it")]
    MissingValue {
        /// The option.
        option: String,
        /// The value that is missing.
        needs: String,
    },
    /// A flag was given a value.
    #[error("option {option} takes no value")]
    UnwantedValue {
        /// As the user wrote it.
        option: String,
    },
    /// The value cannot be understood.
    #[error(transparent)]
    BadValue(#[from] BadValue),
    /// Nothing to run.
    #[error("no program to run{}", .place.map_or("", |p| p))]
    NoProgram {
        /// Where a program is missing, if there are several.
        place: Option<&'static str>,
    },
    /// An option that holds for the whole job, given for a later program only.
    #[error("option {option} holds for the whole job: put it before the first program")]
    Late {
        /// As the user wrote it.
        option: String,
    },
}

fn did_you_mean(nearest: &Option<String>) -> String {
    nearest
        .as_ref()
        .map_or_else(String::new, |nearest| format!(" (did you mean {nearest}?)"))
}
