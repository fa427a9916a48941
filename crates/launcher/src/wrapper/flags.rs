//! The flags for an installation.

use crate::installation::Installation;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// Name of the library for the linker.
pub(super) const LIBRARY: &str = "mpi_abi";

/// The directories in which the compiler finds the header, and the linker the library.
pub(super) struct Flags {
    pub(super) include_dir: PathBuf,
    pub(super) lib_dir: PathBuf,
}

impl Flags {
    pub(super) fn of(installation: &Installation) -> Self {
        Self {
            include_dir: installation.include_dir(),
            lib_dir: installation.lib_dir(),
        }
    }

    /// The flags for compiling.
    pub(super) fn compile(&self) -> Vec<OsString> {
        vec![joined("-I", &self.include_dir)]
    }

    /// The flags for linking.
    pub(super) fn link(&self) -> Vec<OsString> {
        vec![
            joined("-L", &self.lib_dir),
            joined("-Wl,-rpath,", &self.lib_dir),
            format!("-l{LIBRARY}").into(),
        ]
    }

    /// The whole command for the arguments of the user.
    pub(super) fn command(&self, compiler: &[OsString], words: &[OsString]) -> Vec<OsString> {
        let mut command = compiler.to_vec();
        command.extend(self.compile());
        command.extend(words.iter().cloned());
        if links(words) {
            command.extend(self.link());
        }
        command
    }
}

fn joined(flag: &str, directory: &std::path::Path) -> OsString {
    let mut word = OsString::from(flag);
    word.push(directory);
    word
}

/// Whether the compiler will link: there are inputs, and no option stops it before.
fn links(words: &[OsString]) -> bool {
    const STOPS: &[&str] = &["-c", "-S", "-E", "-M", "-MM", "-fsyntax-only"];
    /// Options whose value is the next word, which is no input.
    const WITH_VALUE: &[&str] = &[
        "-o", "-x", "-I", "-L", "-D", "-U", "-include", "-isystem", "-MF", "-MT", "-MQ", "-T",
    ];
    let mut value_follows = false;
    let mut inputs = false;
    for word in words {
        let is_option = word.as_bytes().starts_with(b"-") && word != "-";
        inputs |= !is_option && !value_follows;
        value_follows = WITH_VALUE.iter().any(|option| word == option);
        if STOPS.iter().any(|option| word == option) {
            return false;
        }
    }
    inputs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    fn command(line: &str) -> String {
        let flags = Flags::of(&Installation::at(PathBuf::from("/p")));
        let command = flags.command(&words("cc"), &words(line));
        command
            .iter()
            .map(|word| word.to_str().unwrap())
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn linking_flags_are_there_only_when_linking() {
        let link = " -L/p/lib -Wl,-rpath,/p/lib -lmpi_abi";
        assert_eq!(command("a.c -o a"), format!("cc -I/p/include a.c -o a{link}"));
        assert_eq!(command("a.o"), format!("cc -I/p/include a.o{link}"));
        assert_eq!(command("-x c -"), format!("cc -I/p/include -x c -{link}"));
        for line in ["-c a.c", "-E a.c", "--version", "-v", "a.c -MM", "-o a"] {
            assert_eq!(command(line), format!("cc -I/p/include {line}"));
        }
    }
}
