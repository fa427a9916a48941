//! Options that give `INTEGER` 8 bytes.
//!
//! The library takes integers of 4 bytes. A program can be compiled with such an option nevertheless: with a module,
//! and with `INTEGER(4)` for whatever it passes to MPI. So the wrapper does not refuse the option, but says what may be
//! wrong when the compiler has failed.

use crate::error::LaunchError;
use crate::wrapper::{not_started, process};
use std::ffi::{OsStr, OsString};
use std::os::unix::process::ExitStatusExt;

/// The options of gfortran and flang, and of other compilers.
const OPTIONS: &[&str] = &[
    "-fdefault-integer-8",
    "-finteger-4-integer-8",
    "-i8",
    "-qintsize=8",
];

/// The first such option among the words.
pub(in crate::wrapper) fn enlarging_option(words: &[OsString]) -> Option<&OsStr> {
    let known = |word: &&OsString| OPTIONS.iter().any(|option| word == option);
    words.iter().find(known).map(OsString::as_os_str)
}

/// Runs the compiler with such an option, and waits for its end.
///
/// # Errors
///
/// When it cannot be started, or fails.
pub(in crate::wrapper) fn compile(command: &[OsString], option: &OsStr) -> Result<(), LaunchError> {
    let status = process(command)
        .status()
        .map_err(|source| not_started(command, source))?;
    if status.success() {
        return Ok(());
    }
    let code = status.code().or(status.signal().map(|signal| 128 + signal));
    Err(LaunchError::WideIntegers {
        option: option.to_string_lossy().into_owned(),
        status: code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_known_by_their_whole_names() {
        let words = |line: &str| -> Vec<OsString> { line.split(' ').map(OsString::from).collect() };
        let found = |line| enlarging_option(&words(line)).map(OsStr::to_owned);
        assert_eq!(found("-O2 -i8 a.f90"), Some("-i8".into()));
        assert_eq!(found("-fdefault-real-8 -i8.f90"), None);
    }

    #[test]
    fn the_status_is_that_of_the_compiler() {
        let run = |script: &str| compile(&["sh", "-c", script].map(OsString::from), OsStr::new("-i8"));
        run("exit 0").unwrap();
        for (script, status) in [("exit 3", 3), ("kill -9 $$", 137)] {
            let error = run(script).unwrap_err();
            assert_eq!(error.status(), status);
            assert!(error.to_string().contains("-i8"), "{error}");
        }
    }
}
