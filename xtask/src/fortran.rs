//! The Fortran part of an installation: the include file, the sources of the modules, and modules for the compilers of
//! this machine.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use simurgh_mpifort_generator::fortran::{Source, default_kinds, include_file, modules};
use simurgh_mpifort_generator::{constants, procedures};

use crate::command::{capture, minutes};
use crate::failure::{Failure, Result};
use crate::workspace::Workspace;

/// The folder of the modules' sources, below the prefix.
pub(crate) const SOURCES: &str = "share/simurgh/fortran";

/// The folder of the compiled modules, below the prefix.
const MODULES: &str = "lib/simurgh/fortran";

/// The names of compilers, which a version may follow.
const COMPILERS: [&str; 3] = ["gfortran", "flang", "flang-new"];

/// The files to install: (place below the prefix, content).
pub(crate) fn files(workspace: &Workspace) -> Result<Vec<(PathBuf, String)>> {
    let declarations = workspace.source("crates/mpi-abi/src");
    let procedures = procedures(&declarations.join("functions")).map_err(Failure::Faults)?;
    let constants = constants(&declarations.join("constants")).map_err(Failure::Faults)?;
    let Source { name, text } = include_file(&procedures, &constants);
    let mut files = vec![(Path::new("include").join(name), text)];
    let sources = modules(&procedures, &constants).into_iter();
    for Source { name, text } in sources.chain([default_kinds()]) {
        files.push((Path::new(SOURCES).join(name), text));
    }
    Ok(files)
}

/// Whether the installed files are others than these, so that modules have to be compiled again.
pub(crate) fn are_others(prefix: &Path, files: &[(PathBuf, String)]) -> bool {
    let installed = |place: &PathBuf| fs::read_to_string(prefix.join(place)).ok();
    files
        .iter()
        .any(|(place, text)| installed(place).as_ref() != Some(text))
}

/// Makes the folder of the modules, without those that have been compiled from other sources.
pub(crate) fn clear(prefix: &Path, outdated: bool) -> Result<()> {
    let folder = prefix.join(MODULES);
    if outdated && folder.exists() {
        fs::remove_dir_all(&folder).map_err(Failure::file(&folder))?;
    }
    fs::create_dir_all(&folder).map_err(Failure::file(&folder))
}

/// The compiled modules for a compiler.
pub(crate) struct Modules {
    /// The name of their folder.
    pub(crate) folder: String,
    /// Options that programs need besides.
    pub(crate) options: Vec<String>,
}

/// Has the installed wrapper compile the modules by every compiler of this machine. Returns those for the compiler that
/// the wrapper takes by itself, if there is one.
pub(crate) fn compile(prefix: &Path) -> Result<Option<Modules>> {
    let usual = modules_for(prefix, None)?.ok();
    for compiler in installed_compilers() {
        if let Err(message) = modules_for(prefix, Some(&compiler))? {
            eprintln!("x: no Fortran modules for {compiler}: {message}");
        }
    }
    Ok(usual)
}

/// The modules for a compiler, or the wrapper's message if it has none.
fn modules_for(prefix: &Path, compiler: Option<&str>) -> Result<std::result::Result<Modules, String>> {
    let mut question = Command::new(prefix.join("bin/mpifort"));
    question.arg("-showme:compile");
    for variable in ["SIMURGH_FC", "MPICH_FC", "OMPI_FC"] {
        question.env_remove(variable);
    }
    question.envs(compiler.map(|compiler| ("SIMURGH_FC", compiler)));
    let outcome = capture(&mut question, minutes(10))?;
    if !outcome.success() {
        return Ok(Err(outcome.stderr.trim().to_owned()));
    }
    Ok(Ok(Modules::of_flags(&outcome.stdout)))
}

impl Modules {
    /// Reads the flags for compiling that the wrapper has told. The last directory is that of the modules.
    fn of_flags(flags: &str) -> Self {
        let (directories, options): (Vec<&str>, Vec<&str>) =
            flags.split_whitespace().partition(|flag| flag.starts_with("-I"));
        let folder = directories
            .last()
            .and_then(|directory| directory.rsplit('/').next());
        Self {
            folder: folder.unwrap_or_default().to_owned(),
            options: options.into_iter().map(str::to_owned).collect(),
        }
    }
}

/// The compilers in the directories of `PATH`.
fn installed_compilers() -> BTreeSet<String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .filter_map(|directory| fs::read_dir(directory).ok())
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| is_compiler(name))
        .collect()
}

fn is_compiler(name: &str) -> bool {
    COMPILERS
        .iter()
        .any(|compiler| match name.strip_prefix(compiler) {
            Some("") => true,
            Some(rest) => rest.strip_prefix('-').is_some_and(|version| {
                !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit())
            }),
            None => false,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wrapper_tells_the_folder_and_the_options() {
        let modules = Modules::of_flags("-I/p/include -I/p/lib/simurgh/fortran/gfortran-12 -fsome -other\n");
        assert_eq!(modules.folder, "gfortran-12");
        assert_eq!(modules.options, ["-fsome", "-other"]);
    }

    #[test]
    fn compilers_have_a_name_and_maybe_a_version() {
        for name in ["gfortran", "gfortran-12", "flang-new-19", "flang", "flang-22"] {
            assert!(is_compiler(name), "{name}");
        }
        for name in [
            "gfortran-",
            "x86_64-linux-gnu-gfortran",
            "flang-to-external-fc",
            "gfortran-12.mpi",
        ] {
            assert!(!is_compiler(name), "{name}");
        }
    }
}
