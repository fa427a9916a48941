//! Installations without compiled modules, for which the wrapper compiles them.

use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use simurgh_testing::{Scratch, Stage};

use super::{COMPILERS, done, ended};

/// A user who may write nowhere.
const NOBODY: &str = "65534";

/// An installation without compiled modules, in a folder of its own.
struct Bare {
    scratch: Scratch,
}

impl Bare {
    /// With a folder for modules, if `./x install` has made it, or without one, as it comes out of a package.
    fn new(stage: &Stage, with_folder: bool) -> Self {
        let scratch = Scratch::new("installation");
        let bare = Self { scratch };
        for folder in ["bin", "include", "lib", "share/simurgh/fortran", "cache"] {
            fs::create_dir_all(bare.path(folder)).unwrap();
        }
        fs::copy(stage.tool("mpicc"), bare.path("bin/mpifort")).unwrap();
        for folder in ["include", "share/simurgh/fortran"] {
            for file in fs::read_dir(stage.prefix().join(folder)).unwrap() {
                let file = file.unwrap();
                if file.path().is_file() {
                    fs::copy(file.path(), bare.path(folder).join(file.file_name())).unwrap();
                }
            }
        }
        for library in ["libmpi_abi.so", "libmpifort_abi.so"] {
            symlink(
                stage.lib().canonicalize().unwrap().join(library),
                bare.path("lib").join(library),
            )
            .unwrap();
        }
        if with_folder {
            fs::create_dir_all(bare.path("lib/simurgh/fortran")).unwrap();
        }
        bare
    }

    fn path(&self, place: &str) -> PathBuf {
        self.scratch.path().join(place)
    }

    /// The wrapper, whose user has a cache in this installation's folder.
    fn mpifort(&self) -> Command {
        let mut mpifort = Command::new(self.path("bin/mpifort"));
        mpifort.env("XDG_CACHE_HOME", self.path("cache"));
        mpifort
    }

    /// The folder of the modules that the wrapper tells.
    fn modules(&self, compiler: &str) -> PathBuf {
        let told = done(
            self.mpifort()
                .args(["-showme:incdirs", &format!("-fc={compiler}")]),
        )
        .stdout;
        PathBuf::from(told.split_whitespace().last().unwrap())
    }

    /// Compiles a program.
    fn compiles(&self, command: &mut Command) {
        let source = Stage::workspace().join("tests/fortran/hello_f08.f90");
        let object = self.path("cache/hello.o");
        done(command.args(["-c", "-o"]).arg(&object).arg(source));
        assert!(object.is_file());
    }
}

/// Everything below a folder that ends in this.
fn below(folder: &Path, suffix: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(below(&path, suffix)),
            false if path.to_string_lossy().ends_with(suffix) => found.push(path),
            false => {}
        }
    }
    found
}

#[test]
fn the_first_use_compiles_the_modules_into_the_installation() {
    let stage = Stage::locate();
    let bare = Bare::new(&stage, true);
    for compiler in COMPILERS {
        bare.compiles(bare.mpifort().arg(format!("-fc={compiler}")));
        let folder = bare.modules(compiler);
        assert!(folder.starts_with(bare.path("lib/simurgh/fortran").canonicalize().unwrap()));
        let module = folder.join("mpi_f08.mod");
        let made = fs::metadata(&module).unwrap().modified().unwrap();
        bare.compiles(bare.mpifort().arg(format!("-fc={compiler}")));
        assert_eq!(
            fs::metadata(&module).unwrap().modified().unwrap(),
            made,
            "compiled again"
        );
    }
    assert_eq!(below(&bare.path("cache"), ".mod"), [] as [PathBuf; 0]);
}

/// A package that is removed leaves nothing, so modules are not put into it.
#[test]
fn an_unpacked_installation_stays_as_it_is() {
    let stage = Stage::locate();
    let bare = Bare::new(&stage, false);
    bare.compiles(&mut bare.mpifort());
    assert!(bare.modules("gfortran").starts_with(bare.path("cache")));
    assert!(!bare.path("lib/simurgh").exists());
    // Other sources have another place.
    let source = bare.path("share/simurgh/fortran/mpi.F90");
    let changed = fs::read_to_string(&source).unwrap() + "! changed\n";
    let before = bare.modules("gfortran");
    fs::write(&source, changed).unwrap();
    assert_ne!(bare.modules("gfortran"), before);
}

#[test]
fn modules_of_an_installation_that_cannot_be_written_lie_in_the_cache() {
    let stage = Stage::locate();
    let bare = Bare::new(&stage, true);
    fs::set_permissions(bare.path("cache"), Permissions::from_mode(0o777)).unwrap();
    fs::set_permissions(bare.path("lib/simurgh/fortran"), Permissions::from_mode(0o555)).unwrap();
    let command = bare.mpifort();
    // The root user writes whatever the permissions say.
    let mut as_nobody = Command::new("setpriv");
    as_nobody
        .args(["--reuid", NOBODY, "--clear-groups"])
        .arg(command.get_program());
    as_nobody.env("XDG_CACHE_HOME", bare.path("cache"));
    bare.compiles(&mut as_nobody);
    let made = below(&bare.path("cache"), "mpi_f08.mod");
    assert_eq!(made.len(), 1, "{made:?}");
    // Without a cache there is no place.
    let mut homeless = Command::new("setpriv");
    homeless
        .args(["--reuid", NOBODY, "--clear-groups"])
        .arg(bare.path("bin/mpifort"));
    let told = ended(
        homeless
            .arg("-show")
            .env_remove("HOME")
            .env_remove("XDG_CACHE_HOME"),
    );
    assert!(
        told.stderr.contains("the Fortran modules cannot be put there"),
        "{told}"
    );
    assert!(told.stderr.contains("XDG_CACHE_HOME"), "{told}");
}

#[test]
fn wrappers_at_the_same_time_do_each_other_no_harm() {
    let stage = Stage::locate();
    let bare = Bare::new(&stage, true);
    std::thread::scope(|scope| {
        let all = [0; 4].map(|_| scope.spawn(|| bare.modules("gfortran")));
        let told: BTreeSet<_> = all.into_iter().map(|one| one.join().unwrap()).collect();
        assert_eq!(told.len(), 1, "{told:?}");
    });
    let folders: Vec<_> = fs::read_dir(bare.path("lib/simurgh/fortran")).unwrap().collect();
    assert_eq!(folders.len(), 1, "{folders:?}");
    bare.compiles(&mut bare.mpifort());
}

#[test]
fn a_compiler_that_fails_is_heard() {
    let stage = Stage::locate();
    let bare = Bare::new(&stage, true);
    let pretend = |name: &str, version: &str| {
        let script = format!(
            "#!/bin/sh\n[ \"$1\" = --version ] && {{ echo 'GNU Fortran (Debian) {version}'; exit; }}\n\
             echo 'cannot find libgcc' >&2; exit 1\n"
        );
        bare.scratch.write_program(name, &script)
    };
    let told = |compiler: &Path| {
        let outcome = ended(bare.mpifort().arg("-show").env("SIMURGH_FC", compiler));
        assert!(!outcome.success());
        outcome.stderr
    };
    let broken = pretend("broken", "13.1.0");
    let message = told(&broken);
    assert!(
        message.contains("broken cannot compile the modules mpi and mpi_f08:\ncannot find libgcc"),
        "{message}"
    );
    assert_eq!(fs::read_dir(bare.path("lib/simurgh/fortran")).unwrap().count(), 0);
    let message = told(Path::new("gfortran -fdefault-integer-8"));
    assert!(
        message.contains("INTEGER must have 4 bytes: leave out"),
        "{message}"
    );
    assert_eq!(fs::read_dir(bare.path("lib/simurgh/fortran")).unwrap().count(), 0);
    let message = told(&pretend("old", "9.4.0"));
    assert!(
        message.contains("version 9 is too old") && message.contains("need 11 or newer"),
        "{message}"
    );
}
