//! Whether programs can run as threads of one process, and what the host must offer them.

use crate::error::LaunchError;
use simurgh_image::{Fit, ImageError, Program, TlsNeed};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

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

/// A program that can run as a thread. Its mode and the room in its host are chosen one after the other, and each asks;
/// asking the dynamic loader takes a millisecond.
struct Checked {
    program: PathBuf,
    preload: Vec<PathBuf>,
    /// The file and its time of modification: a program may be built anew before a job starts it again.
    version: [i64; 4],
    fit: Fit,
}

static CHECKED: Mutex<Vec<Checked>> = Mutex::new(Vec::new());

/// Checks one program, with the libraries that come before its own. What has been checked is remembered.
///
/// # Errors
///
/// When it cannot run as a thread, with all reasons.
pub fn check(program: &Path, preload: &[PathBuf]) -> Result<Fit, LaunchError> {
    let version = version(program);
    let mut checked = CHECKED.lock().unwrap_or_else(PoisonError::into_inner);
    let is_same =
        |one: &&Checked| one.program == program && one.preload == preload && Some(one.version) == version;
    if let Some(same) = checked.iter().find(is_same) {
        return Ok(same.fit.clone());
    }
    let path = program.to_path_buf();
    let fit = Program::open(program)?
        .check(preload)
        .map_err(|reasons| ImageError::Unsuitable { path, reasons })?;
    checked.retain(|one| one.program != program || one.preload != preload);
    checked.extend(version.map(|version| Checked {
        program: program.to_path_buf(),
        preload: preload.to_vec(),
        version,
        fit: fit.clone(),
    }));
    Ok(fit)
}

fn version(program: &Path) -> Option<[i64; 4]> {
    let file = fs::metadata(program).ok()?;
    Some([
        file.dev() as i64,
        file.ino() as i64,
        file.mtime(),
        file.mtime_nsec(),
    ])
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

#[cfg(test)]
mod tests {
    use super::*;
    use simurgh_testing::Scratch;

    #[test]
    fn a_program_that_has_changed_is_checked_anew() {
        let scratch = Scratch::new("fit");
        let program = scratch.path().join("program");
        fs::copy("/bin/true", &program).unwrap();
        let fit = check(&program, &[]).unwrap();
        assert_eq!(check(&program, &[]).unwrap(), fit);
        fs::write(&program, "#!/bin/sh\n").unwrap();
        let script = check(&program, &[]);
        assert!(
            matches!(script, Err(LaunchError::Image(ImageError::Script { .. }))),
            "{script:?}"
        );
    }
}
