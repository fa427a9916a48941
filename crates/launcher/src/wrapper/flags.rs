//! The flags for an installation.

use super::fortran::{self, Modules};
use crate::installation::Installation;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// Name of the library for the linker.
const LIBRARY: &str = "mpi_abi";

/// Name of the library with the Fortran procedures.
const FORTRAN_LIBRARY: &str = "mpifort_abi";

/// The places of headers, modules and libraries, and what else a compiler has to be told.
pub(super) struct Flags {
    /// The directories of headers and modules.
    pub(super) include_dirs: Vec<PathBuf>,
    /// The directories of libraries. The first one is that of the shared libraries.
    pub(super) lib_dirs: Vec<PathBuf>,
    /// The libraries, in the order for the linker.
    pub(super) libraries: Vec<&'static str>,
    /// Further options for compiling.
    options: &'static [&'static str],
    /// In Fortran, a source for programs whose default types are other than usual.
    default_kinds: Option<PathBuf>,
}

impl Flags {
    /// The flags for C and C++.
    pub(super) fn of(installation: &Installation) -> Self {
        Self {
            include_dirs: vec![installation.include_dir()],
            lib_dirs: vec![installation.lib_dir()],
            libraries: vec![LIBRARY],
            options: &[],
            default_kinds: None,
        }
    }

    /// The flags for Fortran.
    ///
    /// The static library of the modules comes after the shared one, so that the linker takes from it only what the
    /// shared one lacks: the operators, and what the compiler generates for a module.
    pub(super) fn of_fortran(installation: &Installation, modules: Modules) -> Self {
        Self {
            include_dirs: vec![installation.include_dir(), modules.directory.clone()],
            lib_dirs: vec![installation.lib_dir(), modules.directory],
            libraries: vec![FORTRAN_LIBRARY, fortran::LIBRARY, LIBRARY],
            options: modules.options,
            default_kinds: Some(modules.default_kinds),
        }
    }

    /// The flags for compiling.
    pub(super) fn compile(&self) -> Vec<OsString> {
        let include = self.include_dirs.iter().map(|directory| joined("-I", directory));
        let options = self.options.iter().map(OsString::from);
        include.chain(options).collect()
    }

    /// The flags for linking.
    pub(super) fn link(&self) -> Vec<OsString> {
        let directories = self.lib_dirs.iter().map(|directory| joined("-L", directory));
        let run_path = self
            .lib_dirs
            .first()
            .map(|directory| joined("-Wl,-rpath,", directory));
        let libraries = self.libraries.iter().map(|library| format!("-l{library}").into());
        directories.chain(run_path).chain(libraries).collect()
    }

    /// The whole command for the arguments of the user.
    pub(super) fn command(&self, compiler: &[OsString], words: &[OsString]) -> Vec<OsString> {
        let mut command = compiler.to_vec();
        command.extend(self.compile());
        command.extend(words.iter().cloned());
        if links(words) {
            if words
                .iter()
                .any(|word| fortran::changes_default_kinds(word.as_bytes()))
            {
                command.extend(self.default_kinds.clone().map(PathBuf::into_os_string));
            }
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
        "-o",
        "-x",
        "-I",
        "-L",
        "-D",
        "-U",
        "-include",
        "-isystem",
        "-MF",
        "-MT",
        "-MQ",
        "-T",
        "-J",
        "-module-dir",
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
        shown(&Flags::of(&Installation::at(PathBuf::from("/p"))), line)
    }

    fn shown(flags: &Flags, line: &str) -> String {
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
    #[test]
    fn fortran_has_the_modules_besides() {
        let modules = Modules {
            directory: PathBuf::from("/m"),
            options: &["-fo"],
            default_kinds: PathBuf::from("/k.f90"),
        };
        let flags = Flags::of_fortran(&Installation::at(PathBuf::from("/p")), modules);
        let compile = "cc -I/p/include -I/m -fo";
        let link = "-L/p/lib -L/m -Wl,-rpath,/p/lib -lmpifort_abi -lmpifort_modules -lmpi_abi";
        assert_eq!(
            shown(&flags, "-J /mods a.f90"),
            format!("{compile} -J /mods a.f90 {link}")
        );
        assert_eq!(
            shown(&flags, "-fdefault-real-8 a.o"),
            format!("{compile} -fdefault-real-8 a.o /k.f90 {link}")
        );
        assert_eq!(shown(&flags, "-c a.f90"), format!("{compile} -c a.f90"));
        assert_eq!(shown(&flags, "-r8 -c a.f90"), format!("{compile} -r8 -c a.f90"));
        assert_eq!(shown(&flags, "-J /mods"), format!("{compile} -J /mods"));
    }
}
