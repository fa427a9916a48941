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
        "processes" => Ok(Mode::Processes),
        _ => match fit::check(program, preload) {
            // Whether it uses MPI is known only when it does: a language, or a script's shell, loads it, or starts
            // another program that does.
            Ok(Fit {
                links_mpi: MpiLink::None,
                ..
            }) => Ok(Mode::Processes),
            Ok(_) => Ok(Mode::Threads),
            // It is served as its own launcher would.
            Err(LaunchError::Image(error)) if speaks_pmi(&error) => Ok(Mode::Processes),
            Err(LaunchError::Image(error)) if runs_as_process(&error) => {
                eprintln!("simurgh: {error}; its ranks are processes");
                Ok(Mode::Processes)
            }
            Err(error) => Err(error),
        },
    }
}

/// Whether a program is linked with another MPI whose processes find each other by PMI-1: MPICH, or what is made of
/// it.
fn speaks_pmi(error: &ImageError) -> bool {
    let ImageError::Unsuitable { reasons, .. } = error else {
        return false;
    };
    let other = reasons.iter().find_map(|reason| match reason {
        Reason::OtherMpi { library, .. } => Some(library),
        _ => None,
    });
    other.is_some_and(|library| library.contains("libmpi.so.12") || library.contains("libmpich.so"))
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
