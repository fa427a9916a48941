//! Fortran programs are compiled by `mpifort`, in the three bindings and by each compiler; build systems find the
//! installation; the compiler refuses wrong arguments; the wrapper compiles the modules where there are none.

mod build_systems;
mod installations;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use simurgh_testing::{Compile, Input, LIMIT, Outcome, Scratch, Stage, run};

const COMPILERS: [&str; 3] = ["gfortran", "gfortran-11", "flang-new-19"];
const MODES: [&str; 2] = ["threads", "processes"];

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
