//! The compilation of the modules.

use super::LIBRARY;
use super::sources::Sources;
use crate::error::LaunchError;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

/// A directory of modules that nobody sees yet. It is removed unless it is finished.
///
/// Several wrappers may find at the same time that there are no modules. Each compiles them in a directory of its own,
/// and the first one to finish gives its directory the name that all of them look for.
pub(super) struct Unfinished {
    directory: PathBuf,
}

impl Unfinished {
    /// Makes a new directory in `parent`.
    pub(super) fn new(parent: &Path, key: &str) -> io::Result<Self> {
        let age = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let name = format!(".{key}.{}.{}", std::process::id(), age.as_nanos());
        let directory = parent.join(name);
        fs::create_dir(&directory)?;
        Ok(Self { directory })
    }

    /// Compiles the modules, and puts their objects into a static library.
    pub(super) fn compile(&self, compiler: &[OsString], sources: &Sources) -> Result<(), LaunchError> {
        let mut objects = Vec::new();
        for source in sources.paths() {
            let object = Path::new(source.file_name().unwrap_or_default()).with_extension("o");
            // Every compiler writes module files into the working directory, and looks for them there.
            let mut command = self.command(&program(&compiler[0]));
            command.args(&compiler[1..]).args(["-O2", "-fPIC", "-c"]);
            run(command.arg(&source).arg("-o").arg(&object), &compiler[0])?;
            objects.push(object);
        }
        let mut archive = self.command(OsStr::new("ar"));
        archive.arg("rcs").arg(format!("lib{LIBRARY}.a")).args(&objects);
        run(&mut archive, &compiler[0])?;
        for object in objects {
            // An object that stays does no harm.
            let _ = fs::remove_file(self.directory.join(object));
        }
        Ok(())
    }

    /// Gives the directory its name, unless another wrapper has been faster.
    pub(super) fn finish(self, place: &Path) -> io::Result<PathBuf> {
        match fs::rename(&self.directory, place) {
            Err(error) if !place.is_dir() => Err(error),
            _ => Ok(place.to_path_buf()),
        }
    }

    fn command(&self, program: &OsStr) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.directory);
        command
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // It is gone if it has been finished.
        let _ = fs::remove_dir_all(&self.directory);
    }
}

/// The compiler as it can be named from another working directory.
fn program(named: &OsStr) -> OsString {
    let path = Path::new(named);
    match path.components().count() {
        1 => named.to_owned(),
        _ => std::path::absolute(path).map_or_else(|_| named.to_owned(), PathBuf::into_os_string),
    }
}

/// Runs one step. An error, with everything that was printed, unless it succeeds.
fn run(command: &mut Command, compiler: &OsStr) -> Result<(), LaunchError> {
    let name = |program: &OsStr| program.to_string_lossy().into_owned();
    let output = command.output().map_err(|source| LaunchError::Compiler {
        compiler: name(command.get_program()),
        source,
    })?;
    if output.status.success() {
        return Ok(());
    }
    let printed = [output.stdout, output.stderr].concat();
    Err(LaunchError::Modules {
        compiler: name(compiler),
        message: String::from_utf8_lossy(&printed).trim_end().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use simurgh_testing::Scratch;

    #[test]
    fn the_second_to_finish_finds_the_first() {
        let scratch = Scratch::new("modules");
        let place = scratch.path().join("fc-1");
        let begun = || Unfinished::new(scratch.path(), "fc-1").unwrap();
        let (first, second) = (begun(), begun());
        fs::write(first.directory.join("mpi.mod"), "first").unwrap();
        fs::write(second.directory.join("mpi.mod"), "second").unwrap();
        assert_eq!(first.finish(&place).unwrap(), place);
        assert_eq!(second.finish(&place).unwrap(), place);
        assert_eq!(fs::read_to_string(place.join("mpi.mod")).unwrap(), "first");
        assert_eq!(
            fs::read_dir(scratch.path()).unwrap().count(),
            1,
            "nothing else is left"
        );
    }

    #[test]
    fn a_compiler_is_named_from_another_directory() {
        assert_eq!(program(OsStr::new("gfortran")), "gfortran");
        let here = std::env::current_dir().unwrap();
        assert_eq!(program(OsStr::new("./fc")), here.join("fc"));
    }
}
