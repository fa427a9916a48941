//! Whether the ranks of a program are threads or processes.

use crate::error::LaunchError;
use crate::fit;
use simurgh_image::{Fit, ImageError, MpiLink, Reason};
use simurgh_net::job::Mode;
use simurgh_settings::{Id, Values};
use std::path::{Path, PathBuf};

/// What the user wants, or else threads where the program is linked with MPI and can be run so. If one cannot, the user
/// is told why.
pub(crate) fn choose(settings: &Values, program: &Path, preload: &[PathBuf]) -> Result<Mode, LaunchError> {
    match settings.show(Id::Mode).as_str() {
        "threads" => Ok(Mode::Threads),
        "processes" => match fit::check(program, preload) {
            // Each process would take itself for a job of its own.
            Err(LaunchError::Image(error)) if other_mpi(&error).is_some() && protocol(&error).is_none() => {
                Err(error.into())
            }
            _ => Ok(Mode::Processes),
        },
        _ => match fit::check(program, preload) {
            // Whether it uses MPI is known only when it does: a language, or a script's shell, loads it, or starts
            // another program that does.
            Ok(Fit {
                links_mpi: MpiLink::None,
                ..
            }) => Ok(Mode::Processes),
            Ok(_) => Ok(Mode::Threads),
            // It is served as its own launcher would.
            Err(LaunchError::Image(error)) if protocol(&error).is_some() => Ok(Mode::Processes),
            Err(LaunchError::Image(error)) if runs_as_process(&error) => {
                eprintln!("simurgh: {error}; its ranks are processes");
                Ok(Mode::Processes)
            }
            Err(error) => Err(error),
        },
    }
}

/// How processes of another MPI find each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// PMI-1: MPICH, or what is made of it.
    Pmi,
    /// PMIx: Open MPI.
    Pmix,
}

/// What is spoken by a program that cannot be run as threads since it is linked with another MPI.
pub(crate) fn protocol(error: &ImageError) -> Option<Protocol> {
    let library = other_mpi(error)?;
    let is_any = |names: &[&str]| names.iter().any(|name| library.contains(name));
    if is_any(&["libmpi.so.12", "libmpich.so"]) {
        return Some(Protocol::Pmi);
    }
    is_any(&["libmpi.so.40"]).then_some(Protocol::Pmix)
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
