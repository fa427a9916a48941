//! The compiler that a wrapper calls.

use crate::error::LaunchError;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// The language that a wrapper compiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// `mpicc`
    C,
    /// `mpicxx`, `mpic++`
    Cxx,
    /// `mpifort`, `mpif77`, `mpif90`
    Fortran,
}

impl Language {
    /// The language of a wrapper of this name.
    pub fn of_tool(name: &str) -> Self {
        match name {
            "mpicxx" | "mpic++" | "mpiCC" => Self::Cxx,
            "mpifort" | "mpif77" | "mpif90" => Self::Fortran,
            _ => Self::C,
        }
    }

    /// Options that choose the compiler.
    fn options(self) -> &'static [&'static [u8]] {
        match self {
            Self::C => &[b"-cc="],
            Self::Cxx => &[b"-cxx=", b"-CC="],
            Self::Fortran => &[b"-fc=", b"-f77=", b"-f90="],
        }
    }

    /// Environment variables that choose the compiler; the first one that is set wins. The last two are those of other
    /// MPIs, which build scripts set.
    fn variables(self) -> &'static [&'static str] {
        match self {
            Self::C => &["SIMURGH_CC", "MPICH_CC", "OMPI_CC"],
            Self::Cxx => &["SIMURGH_CXX", "MPICH_CXX", "OMPI_CXX"],
            Self::Fortran => &["SIMURGH_FC", "MPICH_FC", "OMPI_FC"],
        }
    }

    /// Compilers to look for, best first.
    fn candidates(self) -> &'static [&'static str] {
        match self {
            Self::C => &["gcc", "cc", "clang"],
            Self::Cxx => &["g++", "c++", "clang++"],
            Self::Fortran => &["gfortran", "flang", "flang-new"],
        }
    }
}

/// Takes the option that chooses the compiler out of the command line.
pub(super) fn take_choice(
    language: Language,
    words: Vec<OsString>,
) -> (Option<Vec<OsString>>, Vec<OsString>) {
    let mut chosen = None;
    let rest = words.into_iter().filter(|word| {
        let value = language
            .options()
            .iter()
            .find_map(|option| word.as_bytes().strip_prefix(*option));
        chosen = value
            .map(split)
            .filter(|words| !words.is_empty())
            .or(chosen.take());
        value.is_none()
    });
    let rest = rest.collect();
    (chosen, rest)
}

/// The compiler that the environment chooses, or the first one that is installed.
///
/// # Errors
///
/// When there is none.
pub(super) fn from_environment(
    language: Language,
    environment: impl Fn(&str) -> Option<OsString>,
) -> Result<Vec<OsString>, LaunchError> {
    let set = language
        .variables()
        .iter()
        .find_map(|name| environment(name).map(|value| split(value.as_bytes())));
    if let Some(words) = set.filter(|words| !words.is_empty()) {
        return Ok(words);
    }
    let path = environment("PATH").unwrap_or_default();
    let installed =
        |name: &&&str| std::env::split_paths(&path).any(|directory| directory.join(name).is_file());
    let found = language.candidates().iter().find(installed);
    found
        .map(|name| vec![OsString::from(name)])
        .ok_or_else(|| LaunchError::NoCompiler {
            candidates: language.candidates().join(", "),
            variable: language.variables()[0],
        })
}

/// Splits the name of a compiler, which may have several words (`ccache gcc`).
fn split(value: &[u8]) -> Vec<OsString> {
    let words = value
        .split(|b| b.is_ascii_whitespace())
        .filter(|word| !word.is_empty());
    words
        .map(|word| OsString::from_vec(OsStr::from_bytes(word).as_bytes().to_vec()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn the_compiler_is_chosen_by_option_then_environment() {
        let (chosen, rest) = take_choice(Language::C, words("-cc=clang a.c"));
        assert_eq!((chosen, rest), (Some(words("clang")), words("a.c")));
        let environment = |name: &str| (name == "MPICH_CC").then(|| OsString::from("ccache gcc"));
        assert_eq!(
            from_environment(Language::C, environment).unwrap(),
            words("ccache gcc")
        );
        let error = from_environment(Language::Cxx, |_| None).unwrap_err().to_string();
        assert!(error.contains("SIMURGH_CXX"), "{error}");
    }
}
