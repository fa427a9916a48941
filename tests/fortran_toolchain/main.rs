//! Fortran programs are compiled by `mpifort`, in the three bindings and by each compiler; build systems find the
//! installation; the compiler refuses wrong arguments; the wrapper compiles the modules where there are none.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use simurgh_testing::{Compile, Input, LIMIT, Outcome, Scratch, Stage, run};

const COMPILERS: [&str; 3] = ["gfortran", "gfortran-11", "flang-new-19"];
const MODES: [&str; 2] = ["threads", "processes"];

/// A user who may write nowhere.
const NOBODY: &str = "65534";

fn done(command: &mut Command) -> Outcome {
    let outcome = ended(command);
    outcome.expect_success();
    outcome
}

fn ended(command: &mut Command) -> Outcome {
    run(command, Input::Empty, LIMIT).unwrap_or_else(|e| panic!("cannot run {command:?}: {e}"))
}

/// A compilation of a test program by the wrapper, and by this compiler.
fn wrapped(stage: &Stage, wrapper: &str, compiler: &str, source: &str) -> Compile {
    let option = format!("-fc={compiler}");
    Compile::by(stage.tool(wrapper), format!("tests/fortran/{source}")).flags([option])
}

/// Every rank of a job prints its line and nothing else, in both modes.
fn each_rank_says(stage: &Stage, program: &Path, ranks: usize, line: &str) {
    for mode in MODES {
        let outcome = stage.mpiexec(ranks).mode(mode).run(program);
        let expected: Vec<_> = (0..ranks)
            .map(|rank| format!("{line} {rank} of {ranks}"))
            .collect();
        assert_eq!(outcome.expect_success().sorted_lines(), expected, "{mode}");
    }
}

#[test]
fn each_compiler_compiles_each_binding() {
    let stage = Stage::locate();
    for compiler in COMPILERS {
        for (wrapper, source) in [
            ("mpif77", "hello_fixed.f"),
            ("mpif90", "hello_free.f90"),
            ("mpifort", "hello_mpi.f90"),
            ("mpifort", "hello_f08.f90"),
        ] {
            let program = wrapped(&stage, wrapper, compiler, source).build();
            each_rank_says(&stage, program.path(), 3, "hello from rank");
        }
    }
}

/// Types, constants, sentinels, descriptors, strings and profiling names of both modules; and all bindings in one file,
/// where the sentinels are the same variables.
#[test]
fn the_modules_hold_what_the_standard_asks_for() {
    let stage = Stage::locate();
    for compiler in COMPILERS {
        for (source, optimisation) in [
            ("modules_f08.f90", "-O0"),
            ("modules_f08.f90", "-O2"),
            ("modules_mpi.f90", "-O2"),
            ("modules_mixed.f90", "-O2"),
        ] {
            let program = wrapped(&stage, "mpifort", compiler, source).flags([optimisation]);
            each_rank_says(&stage, program.build().path(), 4, "passed by rank");
        }
    }
}

/// The messages of the compilers for one call.
fn refused(stage: &Stage, compiler: &str, flags: &[&str], lines: &[&str]) -> String {
    let scratch = Scratch::new("refused");
    let source = scratch.write("wrong.f90", &format!("{}\nend\n", lines.join("\n")));
    let program = Compile::by(stage.tool("mpifort"), &source).flags([format!("-fc={compiler}")]);
    let object = scratch.path().join("wrong.o");
    let built = program.flags(["-c"]).flags(flags).output(object).try_build();
    let told = built.expect_err("the compiler accepts a wrong argument");
    // gfortran quotes names in the way of the locale.
    told.replace(['\u{2018}', '\u{2019}'], "'")
}

#[test]
fn a_wrong_argument_does_not_compile_and_is_named() {
    let stage = Stage::locate();
    let wait = "call MPI_Wait(MPI_REQUEST_NULL, MPI_STATUS_IGNORE)";
    for compiler in COMPILERS {
        // flang shows the place of the argument instead of its name.
        for (module, call, gfortran, flang) in [
            (
                "mpi_f08",
                "call MPI_Comm_rank(3, i)",
                "argument 'comm'",
                ":2:20: ",
            ),
            (
                "mpi_f08",
                "call MPI_Get_address(x, i)",
                "argument 'address'",
                ":2:25: ",
            ),
            ("mpi_f08", wait, "INTENT = OUT/INOUT", "'request='"),
            (
                "mpi_f08",
                "call MPI_Barrier(MPI_COMM_WORLD, i, j)",
                "More actual than",
                "Too many",
            ),
            (
                "mpi_f08",
                "call MPI_Send(x, 1.0, MPI_REAL, 1, 3, MPI_COMM_WORLD)",
                "'mpi_send'",
                "'mpi_send'",
            ),
            (
                "mpi",
                "call MPI_Send(x, 1.0, MPI_REAL, 1, 3, MPI_COMM_WORLD, i)",
                "argument 'count'",
                ":2:18: ",
            ),
            (
                "mpi",
                "call MPI_Comm_rank(MPI_COMM_WORLD, i)",
                "'ierror'",
                "'ierror='",
            ),
        ] {
            let told = refused(&stage, compiler, &[], &[&format!("use {module}"), call]);
            let named = if compiler.starts_with("gfortran") {
                gfortran
            } else {
                flang
            };
            assert!(told.contains(named), "{compiler}: {named} is not in\n{told}");
        }
    }
}

/// The library takes integers of four bytes. The compiler or the wrapper says so, and what to do.
#[test]
fn integers_of_eight_bytes_are_refused_with_the_reason() {
    let stage = Stage::locate();
    let call = "call MPI_Barrier(MPI_COMM_WORLD, i)";
    for compiler in COMPILERS {
        for binding in ["include 'mpif.h'", "use mpi", "use mpi_f08"] {
            let told = refused(&stage, compiler, &["-fdefault-integer-8"], &[binding, call]);
            let says =
                "mpifort: -fdefault-integer-8 gives INTEGER 8 bytes, but MPI's have 4: leave it out, or";
            assert!(told.contains(says), "{compiler}, {binding}: {told}");
        }
        // Without the wrapper, the compiler names a line of the include file. Not all of them show it.
        let scratch = Scratch::new("refused");
        let source = scratch.write("wrong.f90", &format!("include 'mpif.h'\n{call}\nend\n"));
        let include = format!("-I{}", stage.include().display());
        let built = Compile::by(compiler, source).flags(["-fdefault-integer-8", "-c", &include]);
        let told = built
            .output(scratch.path().join("wrong.o"))
            .try_build()
            .unwrap_err();
        let mut named = told.split("mpif.h:").skip(1);
        let line = named.find_map(|rest| rest.split(':').next()?.parse::<usize>().ok());
        let text = fs::read_to_string(stage.include().join("mpif.h")).unwrap();
        let line = line.and_then(|line| text.lines().nth(line - 1));
        let says = "INTEGER must have 4 bytes: leave out -fdefault-integer-8";
        assert!(line.is_some_and(|line| line.contains(says)), "{compiler}: {told}");
    }
}

/// A program that passes integers of four bytes whatever its own ones are.
#[test]
fn integers_of_four_bytes_may_be_declared() {
    let stage = Stage::locate();
    let lines = [
        "use mpi_f08",
        "integer(4) :: rank, ranks",
        "integer :: long",
        "call MPI_Init()",
        "call MPI_Comm_rank(MPI_COMM_WORLD, rank)",
        "call MPI_Comm_size(MPI_COMM_WORLD, ranks)",
        "long = rank",
        "call MPI_Bcast(long, 1_4, MPI_INTEGER, 1_4, MPI_COMM_WORLD)",
        "if (kind(long) /= 8 .or. long /= 1) error stop",
        "write (*, '(a,i0,a,i0)') 'passed by rank ', rank, ' of ', ranks",
        "call MPI_Finalize()",
        "end",
    ];
    for compiler in COMPILERS {
        let scratch = Scratch::new("integers");
        let source = scratch.write("wide.f90", &lines.join("\n"));
        let mut build = Command::new(stage.tool("mpifort"));
        build.arg(format!("-fc={compiler}")).arg("-fdefault-integer-8");
        let told = done(
            build
                .arg(source)
                .arg("-o")
                .arg("wide")
                .current_dir(scratch.path()),
        );
        assert!(!told.stderr.contains("mpifort"), "{told}");
        each_rank_says(&stage, &scratch.path().join("wide"), 3, "passed by rank");
    }
}

/// Whatever a module declares is in the library.
#[test]
fn the_library_has_every_procedure_of_the_modules() {
    let stage = Stage::locate();
    let mut list = Command::new("nm");
    let listed = done(
        list.args(["-D", "--defined-only"])
            .arg(stage.lib().join("libmpifort_abi.so.1")),
    );
    let defined: BTreeSet<&str> = listed
        .stdout
        .lines()
        .filter_map(|line| line.split_whitespace().last())
        .collect();
    for module in ["mpi_f08.F90", "mpi.F90"] {
        let source = stage.prefix().join("share/simurgh/fortran").join(module);
        let text = fs::read_to_string(source).unwrap();
        let symbols = declared(&text);
        assert!(symbols.len() > 600, "{module}: {}", symbols.len());
        let missing: Vec<_> = symbols
            .iter()
            .filter(|symbol| !defined.contains(&***symbol))
            .collect();
        assert!(
            missing.is_empty(),
            "{module} declares, and the library lacks: {missing:?}"
        );
    }
}

/// The symbols of the procedures for which a module has interfaces.
fn declared(text: &str) -> BTreeSet<String> {
    let joined = text.replace(" &\n", " ");
    let mut symbols = BTreeSet::new();
    let mut inside = false;
    for line in joined.lines().map(str::trim) {
        match line {
            "abstract interface" => inside = false,
            _ if line.starts_with("interface operator") => inside = false,
            _ if line.starts_with("interface") => inside = true,
            "end interface" => inside = false,
            _ => {}
        }
        let Some(name) = line
            .strip_prefix("subroutine ")
            .or(line.strip_prefix("function "))
        else {
            continue;
        };
        if !inside {
            continue;
        }
        let bound = line
            .split("name=\"")
            .nth(1)
            .and_then(|rest| rest.split('"').next());
        let own = || format!("{}_", name.split('(').next().unwrap_or_default().to_lowercase());
        symbols.insert(bound.map_or_else(own, str::to_owned));
    }
    symbols
}

/// The words of the wrapper's answer.
fn answer(stage: &Stage, wrapper: &str, words: &[&str]) -> Vec<String> {
    let told = done(Command::new(stage.tool(wrapper)).args(words)).stdout;
    told.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn the_wrapper_shows_its_flags_and_takes_another_compiler() {
    let stage = Stage::locate();
    let shown = answer(&stage, "mpifort", &["-show"]);
    assert_eq!(shown[0], "gfortran");
    for flag in ["-fallow-argument-mismatch", "-lmpifort_abi", "-lmpi_abi"] {
        assert!(shown.iter().any(|word| word == flag), "{flag}: {shown:?}");
    }
    for wrapper in ["mpif77", "mpif90"] {
        assert_eq!(answer(&stage, wrapper, &["-show"]), shown);
    }
    assert_eq!(
        answer(&stage, "mpifort", &["--showme:libs"]),
        ["mpifort_abi", "mpifort_modules", "mpi_abi"]
    );
    for variable in ["SIMURGH_FC", "MPICH_FC", "OMPI_FC"] {
        let mut named = Command::new(stage.tool("mpifort"));
        let told = done(named.arg("-show").env(variable, "flang-new-19")).stdout;
        assert!(
            told.starts_with("flang-new-19 ") && told.contains("/flang-19 "),
            "{told}"
        );
        assert!(!told.contains("-fallow-argument-mismatch"), "{told}");
    }
    let told = ended(Command::new(stage.tool("mpifort")).args(["-fc=no-such-compiler", "a.f90"]));
    assert!(
        told.stderr
            .contains("no-such-compiler: the compiler cannot be started"),
        "{told}"
    );
}

#[test]
fn pkg_config_tells_the_flags() {
    let stage = Stage::locate();
    for (compiler, choice) in [
        ("gfortran", None),
        ("flang-new-19", Some("--define-variable=fc=flang-19")),
    ] {
        let mut query = Command::new("pkg-config");
        query
            .args(choice)
            .args(["--cflags", "--libs", "mpi-fort"])
            .env("PKG_CONFIG_PATH", stage.lib().join("pkgconfig"));
        let told = done(&mut query).stdout;
        // The flag is gfortran's; flang would not know it.
        let known = |flag: &&str| compiler == "gfortran" || *flag != "-fallow-argument-mismatch";
        let flags: Vec<&str> = told.split_whitespace().filter(known).collect();
        let program = Compile::by(compiler, "tests/fortran/hello_f08.f90");
        let program = program.flags(&flags).libraries(&flags).build();
        each_rank_says(&stage, program.path(), 3, "hello from rank");
    }
}

/// PATH, with the stage's tools first.
fn path(stage: &Stage) -> OsString {
    let mut path = stage.prefix().join("bin").into_os_string();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    path
}

#[test]
fn cmake_finds_all_bindings() {
    let stage = Stage::locate();
    let build = Scratch::new("cmake");
    let project = Stage::workspace().join("tests/cmake_fortran");
    let step = |tool: &str, arguments: &[&str]| {
        let mut command = Command::new(tool);
        done(
            command
                .args(arguments)
                .env("PATH", path(&stage))
                .current_dir(build.path()),
        )
    };
    let configured = step("cmake", &[&project.to_string_lossy()]);
    for found in ["mpif.h: TRUE", "mpi: TRUE", "mpi_f08: TRUE", "version: 5.0"] {
        assert!(configured.stdout.contains(found), "{configured}");
    }
    step("cmake", &["--build", "."]);
    for program in ["hello_f08", "hello_mpi", "hello_fixed"] {
        each_rank_says(&stage, &build.path().join(program), 3, "hello from rank");
    }
    step("ctest", &[]);
}

#[test]
fn meson_finds_the_wrapper() {
    let stage = Stage::locate();
    let project = Scratch::new("meson");
    for file in ["meson/meson.build", "fortran/hello_f08.f90"] {
        let file = Stage::workspace().join("tests").join(file);
        fs::copy(&file, project.path().join(file.file_name().unwrap())).unwrap();
    }
    for arguments in [&["setup", "build"][..], &["compile", "-C", "build"]] {
        let mut meson = Command::new("meson");
        done(
            meson
                .args(arguments)
                .env("PATH", path(&stage))
                .current_dir(project.path()),
        );
    }
    each_rank_says(
        &stage,
        &project.path().join("build/hello_f08"),
        3,
        "hello from rank",
    );
}

/// The macros of autoconf for Fortran find names and libraries out by trying: a configure script is made of them, and
/// the flags that it finds are used.
#[test]
fn configure_scripts_of_autoconf_find_the_bindings() {
    let stage = Stage::locate();
    let project = Scratch::new("autotools");
    let tests = Stage::workspace().join("tests");
    let own =
        ["configure.ac", "Makefile.in", "main.c", "part.f90"].map(|file| tests.join("autotools").join(file));
    let programs = ["hello_fixed.f", "hello_f08.f90"].map(|file| tests.join("fortran").join(file));
    // These two would be part of the project, too.
    let machine = ["config.guess", "config.sub"].map(|file| Path::new("/usr/share/misc").join(file));
    for file in own.iter().chain(&programs).chain(&machine) {
        fs::copy(file, project.path().join(file.file_name().unwrap())).unwrap();
    }
    let step = |tool: &str, arguments: &[&str]| {
        let mut command = Command::new(tool);
        command.args(arguments).env("PATH", path(&stage));
        done(command.current_dir(project.path()))
    };
    step("autoconf", &[]);
    step("autoheader", &[]);
    let told = step("./configure", &["CC=mpicc", "F77=mpif77", "FC=mpifort"]);
    for found in [
        "for mpi.h... yes",
        "for MPI_Init... yes",
        "for mpi_init... yes",
        "for mpif.h in Fortran 77... yes",
        "for mpi_finalize... yes",
        "for the module mpi in Fortran... yes",
        "for the module mpi_f08 in Fortran... yes",
    ] {
        assert!(told.stdout.contains(found), "{found} is not in\n{told}");
    }
    step("make", &[]);
    for program in ["mixed", "hello_fixed", "hello_f08"] {
        each_rank_says(&stage, &project.path().join(program), 3, "hello from rank");
    }
}

#[test]
fn simurgh_check_tells_what_becomes_of_the_libraries() {
    let stage = Stage::locate();
    let program = wrapped(&stage, "mpifort", "gfortran", "hello_f08.f90").build();
    let told = done(
        Command::new(stage.tool("simurgh"))
            .arg("check")
            .arg(program.path()),
    )
    .stdout;
    for line in [
        ": runs in threads mode",
        "MPI: the standard ABI",
        "libmpifort_abi.so.1: a copy for each rank",
        "libmpi_abi.so.1: shared by all ranks",
    ] {
        assert!(told.contains(line), "{line}: {told}");
    }
}

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
