//! Whether programs can run as threads of one process, and what the host must offer them.

use crate::error::LaunchError;
use simurgh_image::{Fit, ImageError, Program, TlsNeed};
use std::path::{Path, PathBuf};

/// Room for thread-local storage in the host as it is built (`host/main.rs`).
const RESERVATION: TlsNeed = TlsNeed {
    size: 1024,
    align: 64,
};

/// A program of a job, with the libraries that come before its own.
#[derive(Debug, PartialEq)]
pub struct Wanted<'a> {
    /// The program.
    pub program: &'a Path,
    /// The libraries.
    pub preload: Vec<PathBuf>,
}

/// Checks one program, with the libraries that come before its own.
///
/// # Errors
///
/// When it cannot run as a thread, with all reasons.
pub fn check(program: &Path, preload: &[PathBuf]) -> Result<Fit, LaunchError> {
    let path = program.to_path_buf();
    Program::open(program)?
        .check(preload)
        .map_err(|reasons| ImageError::Unsuitable { path, reasons }.into())
}

/// Checks all programs. Returns the room for thread-local storage that they need, if the host has too little.
///
/// # Errors
///
/// When one of them cannot run as a thread.
pub fn reservation(programs: &[Wanted<'_>]) -> Result<Option<TlsNeed>, LaunchError> {
    let mut most = TlsNeed::default();
    for (index, wanted) in programs.iter().enumerate() {
        if programs[..index].contains(wanted) {
            continue;
        }
        let need = check(wanted.program, &wanted.preload)?.tls;
        most = TlsNeed {
            size: most.size.max(need.size),
            align: most.align.max(need.align),
        };
    }
    let suffices = most.size <= RESERVATION.size && most.align <= RESERVATION.align;
    Ok((!suffices).then_some(most))
}
