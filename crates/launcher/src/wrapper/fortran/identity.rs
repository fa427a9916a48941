//! The family and version of a Fortran compiler.

use crate::error::LaunchError;
use std::ffi::OsString;
use std::process::Command;

/// What a compiler says that it is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Identity {
    /// GNU Fortran of this major version.
    Gfortran(u32),
    /// LLVM's Fortran of this major version.
    Flang(u32),
    /// Another compiler: the first line that it prints.
    Other(String),
}

impl Identity {
    /// Asks the compiler.
    pub(super) fn of(compiler: &[OsString]) -> Result<Self, LaunchError> {
        let name = || compiler[0].to_string_lossy().into_owned();
        let mut question = Command::new(&compiler[0]);
        question.args(&compiler[1..]).arg("--version");
        let output = question.output().map_err(|source| LaunchError::Compiler {
            compiler: name(),
            source,
        })?;
        let unknown = || LaunchError::UnknownCompiler {
            compiler: name(),
            message: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        };
        let said = String::from_utf8_lossy(&output.stdout);
        let identity = Self::parse(&said).ok_or_else(unknown)?;
        match identity.age() {
            Some((version, least)) if version < least => Err(LaunchError::OldCompiler {
                compiler: name(),
                version,
                least,
            }),
            _ => Ok(identity),
        }
    }

    /// Reads the answer to `--version`.
    fn parse(said: &str) -> Option<Self> {
        let line = said.lines().map(str::trim).find(|line| !line.is_empty())?;
        let words = outside_parentheses(line);
        if line.starts_with("GNU Fortran") {
            return words.iter().find_map(|word| major(word)).map(Self::Gfortran);
        }
        match words.iter().position(|word| word == "version") {
            Some(at) if words[..at].iter().any(|word| word.starts_with("flang")) => {
                words.get(at + 1).and_then(|word| major(word)).map(Self::Flang)
            }
            _ => Some(Self::Other(line.to_owned())),
        }
    }

    /// The version, and the oldest one whose descriptors of arrays the library understands.
    fn age(&self) -> Option<(u32, u32)> {
        match self {
            Self::Gfortran(version) => Some((*version, 11)),
            Self::Flang(version) => Some((*version, 19)),
            Self::Other(_) => None,
        }
    }

    /// The name of the directory for this compiler.
    pub(super) fn key(&self) -> String {
        match self {
            Self::Gfortran(version) => format!("gfortran-{version}"),
            Self::Flang(version) => format!("flang-{version}"),
            Self::Other(line) => line
                .split(|c: char| !c.is_ascii_alphanumeric() && c != '.')
                .filter(|word| !word.is_empty())
                .collect::<Vec<_>>()
                .join("-"),
        }
    }

    /// Options that programs need. With `mpif.h` the procedures have no interfaces, so programs pass buffers of several
    /// types to one procedure. gfortran takes that for an error since version 10.
    pub(super) fn options(&self) -> &'static [&'static str] {
        match self {
            Self::Gfortran(_) => &["-fallow-argument-mismatch"],
            _ => &[],
        }
    }
}

/// The words of a line that are not in parentheses.
fn outside_parentheses(line: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let mut outside = String::new();
    for c in line.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => outside.push(c),
            _ => {}
        }
    }
    outside.split_whitespace().map(str::to_owned).collect()
}

/// The major version, if the word is a version.
fn major(word: &str) -> Option<u32> {
    word.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compilers_say_what_they_are() {
        for (said, key) in [
            (
                "GNU Fortran (Debian 12.2.0-14+deb12u1) 12.2.0\nCopyright\n",
                "gfortran-12",
            ),
            (
                "GNU Fortran (GCC) 14.2.1 20240801 (Red Hat 14.2.1-1)\n",
                "gfortran-14",
            ),
            ("GNU Fortran (Homebrew GCC 13.2.0) 13.2.0\n", "gfortran-13"),
            (
                "Debian flang-new version 19.1.7 (3~deb12u1)\nTarget: x86_64\n",
                "flang-19",
            ),
            (
                "flang version 22.1.0 (https://github.com/llvm/llvm-project 1a2b)\n",
                "flang-22",
            ),
            (
                "\nnvfortran 24.5-0 64-bit target\n",
                "nvfortran-24.5-0-64-bit-target",
            ),
            ("ifx (IFX) 2025.0.1 20241113\n", "ifx-IFX-2025.0.1-20241113"),
        ] {
            assert_eq!(Identity::parse(said).unwrap().key(), key);
        }
        assert_eq!(Identity::parse(" \n"), None);
        assert_eq!(Identity::parse("GNU Fortran\n"), None);
    }

    #[test]
    fn a_program_that_says_nothing_is_no_compiler() {
        let silent = ["sh", "-c", "echo broken >&2"].map(OsString::from);
        let error = Identity::of(&silent).unwrap_err().to_string();
        assert!(
            error.starts_with("sh: says neither") && error.ends_with(": broken"),
            "{error}"
        );
    }
}
