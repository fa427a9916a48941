//! Whether the ranks of a program are threads or processes.

use super::fit;
use crate::error::LaunchError;
use simurgh_image::{Fit, ImageError, MpiLink, Program, Reason};
use simurgh_net::job::Mode;
use simurgh_settings::{Id, Values};
use std::path::{Path, PathBuf};

/// The mode of a program: the one that the user wants, or else threads if the program is linked with MPI and can be run
/// so. Where it cannot, its ranks are processes, and the user is told why. The ranks of a native program are threads of
/// its own making, unless the user wants processes.
///
/// # Errors
///
/// When the program can be run in neither way, or not in the one that is wanted.
pub(crate) fn choose(settings: &Values, program: &Path, preload: &[PathBuf]) -> Result<Mode, LaunchError> {
    let mode = by_program(settings, program, preload)?;
    if mode.starts_program() && settings.is_on(Id::Relocatable) {
        return Err(LaunchError::NotRelocatable {
            program: program.to_owned(),
        });
    }
    Ok(mode)
}

fn by_program(settings: &Values, program: &Path, preload: &[PathBuf]) -> Result<Mode, LaunchError> {
    let wanted = settings.show(Id::Mode);
    if wanted != "processes" && Program::open(program).is_ok_and(|program| program.is_native()) {
        return Ok(Mode::Native);
    }
    match wanted.as_str() {
        "threads" => Ok(Mode::Threads),
        "processes" => match fit::check(program, preload) {
            // With an MPI that nobody serves, each process would take itself for a job of its own.
            Err(LaunchError::Image(error))
                if other_mpi(&error).is_some() && pmi_protocol(&error).is_none() =>
            {
                Err(error.into())
            }
            _ => Ok(Mode::Processes),
        },
        _ => match fit::check(program, preload) {
            // A program that is not linked with MPI may load it later, as an interpreter does, or start another program
            // that is. Nobody knows before.
            Ok(Fit {
                links_mpi: MpiLink::None,
                ..
            }) => Ok(Mode::Processes),
            Ok(_) => Ok(Mode::Threads),
            // PMI serves it as the launcher of its own MPI would.
            Err(LaunchError::Image(error)) if pmi_protocol(&error).is_some() => Ok(Mode::Processes),
            Err(LaunchError::Image(error)) if runs_as_process(&error) => {
                eprintln!("simurgh: {error}; its ranks are processes");
                Ok(Mode::Processes)
            }
            Err(error) => Err(error),
        },
    }
}

/// The protocol by which processes of another MPI find each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PmiProtocol {
    /// PMI-1 or PMI-2: MPICH and its derivatives.
    Pmi,
    /// PMIx: Open MPI.
    Pmix,
}

/// The protocol of a program that cannot be run as threads because it is linked with another MPI.
pub(crate) fn pmi_protocol(error: &ImageError) -> Option<PmiProtocol> {
    let library = other_mpi(error)?;
    let is_any = |names: &[&str]| names.iter().any(|name| library.contains(name));
    if is_any(&["libmpi.so.12", "libmpich.so"]) {
        return Some(PmiProtocol::Pmi);
    }
    is_any(&["libmpi.so.40"]).then_some(PmiProtocol::Pmix)
}

/// The library of another MPI that a program is linked with.
fn other_mpi(error: &ImageError) -> Option<&str> {
    let ImageError::Unsuitable { reasons, .. } = error else {
        return None;
    };
    reasons.iter().find_map(|reason| match reason {
        Reason::OtherMpi { library, .. } => Some(library.as_str()),
        _ => None,
    })
}

/// Whether a program that cannot be run as threads can be run as processes.
fn runs_as_process(error: &ImageError) -> bool {
    match error {
        ImageError::Script { .. } => true,
        ImageError::Unsuitable { reasons, .. } => !reasons.iter().any(|reason| {
            matches!(
                reason,
                Reason::Machine
                    | Reason::MissingLibrary(_)
                    | Reason::BadLibrary { .. }
                    | Reason::OtherMpi { .. }
            )
        }),
        _ => false,
    }
}
