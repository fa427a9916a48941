//! What a Fortran program keeps between two statements is private to each rank: variables of every storage class,
//! units, random numbers, the command line. With gfortran and flang, in ranks that wander between virtual processors,
//! and in process mode.
//!
//! Threadprivate variables are in `thread_local.rs`, the IEEE modes in `float_environment.rs`.

use std::path::{Path, PathBuf};

use simurgh_testing::{Binary, Compile, Outcome, Scratch, Stage};

const GFORTRAN: &str = "gfortran";
const FLANG: &str = "flang-new-19";

/// Ranks, and the seed of the mode in which a rank that yields goes on wherever the seed says.
const JOBS: [(usize, &str); 3] = [(2, "1"), (7, "2"), (64, "3")];

/// Compiles a C file of the tests into an object.
fn object(scratch: &Scratch, source: &str) -> PathBuf {
    let path = scratch.path().join(source).with_extension("o");
    Compile::c(format!("tests/c/{source}"))
        .flags(["-O2", "-c", "-Wall"])
        .against(&Stage::locate())
        .output(&path)
        .build();
    path
}

/// A program of one source file that lets other ranks run.
fn simple(scratch: &Scratch, compiler: &str, name: &str) -> Binary {
    Compile::by(compiler, format!("tests/fortran/{name}.f90"))
        .flags(["-O2"])
        .source(object(scratch, "mpi_yield.c"))
        .against(&Stage::locate())
        .output(scratch.path().join(name))
        .build()
}

/// Runs jobs of every size in both modes. Every rank prints each of `lines`, none complains, and, where there are two
/// processors, ranks of threads mode have moved.
fn wander(program: &Binary, lines: &[&str], run: impl Fn(usize, &str, &[&str]) -> Outcome) {
    for (ranks, seed) in JOBS {
        for (mode, options) in [
            ("threads", ["--vps", "2", "--seed", seed].as_slice()),
            ("processes", &[]),
        ] {
            let outcome = run(ranks, mode, options);
            outcome.expect_success();
            for line in lines {
                let said = outcome.stdout.lines().filter(|said| said == line).count();
                assert_eq!(said, ranks, "{line:?} of {}: {outcome}", program.path().display());
            }
            assert!(!outcome.stdout.contains("BAD"), "{outcome}");
            let processors = std::thread::available_parallelism().map_or(1, usize::from);
            let moved = |line: &str| line.starts_with("moved ") && line != "moved 0 times";
            assert!(
                mode == "processes" || processors < 2 || outcome.stdout.lines().any(moved),
                "no rank ever moved: {outcome}"
            );
        }
    }
}

/// The program with a part in itself, one in an object, and one in a shared library.
fn storage(scratch: &Scratch, compiler: &str) -> Binary {
    let part = |place: &str, flags: &[&str], output: &Path| {
        let definitions = [
            format!("-DSTATE=state_{place}"),
            format!("-DNAMED=named_{place}"),
            format!("-DSEEDED=seeded_{place}"),
            format!("-DSEEDS=seeds_{place}"),
            format!("-DBOUND='bound_{place}'"),
        ];
        Compile::by(compiler, "tests/fortran/private_part.F90")
            .flags(["-O2"])
            .flags(definitions)
            .flags(flags)
            .output(output)
    };
    let own = |place: &str| {
        let path = scratch.path().join(format!("{place}.o"));
        part(place, &["-c"], &path).build();
        path
    };
    let (program, object_part) = (own("program"), own("object"));
    let library = scratch.path().join("libprivate.so");
    part("shared", &["-fPIC", "-shared"], &library)
        .source("tests/fortran/private_library.f90")
        .build();
    Compile::by(compiler, "tests/fortran/private_storage.f90")
        .flags(["-O2"])
        .source(program)
        .source(object_part)
        .source(object(scratch, "mpi_yield.c"))
        .source(object(scratch, "fortran_bound.c"))
        .source(library)
        .against(&Stage::locate())
        .output(scratch.path().join("private_storage"))
        .build()
}

fn variables_are_private(compiler: &str) {
    let scratch = Scratch::new("fortran");
    let program = storage(&scratch, compiler);
    wander(&program, &["storage OK"], |ranks, mode, options| {
        Stage::locate()
            .mpiexec(ranks)
            .mode(mode)
            .options(options)
            .run(&program)
    });
}

fn units_are_private(compiler: &str) {
    let scratch = Scratch::new("fortran");
    let program = simple(&scratch, compiler, "private_units");
    wander(&program, &["units OK"], |ranks, mode, options| {
        let mut outcome = Stage::locate()
            .mpiexec(ranks)
            .mode(mode)
            .options(options)
            .options(whole_lines(mode))
            .args([scratch.path()])
            .run(&program);
        outcome.stdout = untagged(&outcome.stdout);
        for rank in 0..ranks {
            let line = format!("rank {rank} wrote a line");
            assert!(outcome.stdout.lines().any(|said| said == line), "{outcome}");
        }
        outcome
    });
}

/// The options with which a record that is written piece by piece comes out whole. Ranks that are processes share one
/// standard output, to which each of them passes on its pieces, unless their lines are tagged.
fn whole_lines(mode: &str) -> &'static [&'static str] {
    if mode == "processes" { &["-l"] } else { &[] }
}

/// The lines without the tags of their ranks.
fn untagged(lines: &str) -> String {
    let untag = |line: &str| match line.split_once("] ") {
        Some((tag, line)) if tag.starts_with('[') => format!("{line}\n"),
        _ => format!("{line}\n"),
    };
    lines.lines().map(untag).collect()
}

/// Two programs with different arguments in one job.
fn the_runtimes_state_is_private(compiler: &str) {
    let scratch = Scratch::new("fortran");
    let program = simple(&scratch, compiler, "private_runtime");
    wander(&program, &[], |ranks, mode, options| {
        let (first, second) = (ranks / 2, (ranks - ranks / 2).to_string());
        let path = program.path().display().to_string();
        let outcome = Stage::locate()
            .mpiexec(first)
            .mode(mode)
            .options(options)
            .args(["seeds", "1", "text of 1"])
            .args([":", "-n", &second, &path, "seeds", "2", "text of 2"])
            .run(&program);
        for (number, expected) in [(1, first), (2, ranks - first)] {
            let line = format!("runtime OK in program {number}");
            let said = outcome.stdout.lines().filter(|said| *said == line).count();
            assert_eq!(said, expected, "{outcome}");
        }
        outcome
    });
}

#[test]
fn variables_of_gfortran_are_private() {
    variables_are_private(GFORTRAN);
}

#[test]
fn variables_of_flang_are_private() {
    variables_are_private(FLANG);
}

#[test]
fn units_of_gfortran_are_private() {
    units_are_private(GFORTRAN);
}

#[test]
fn units_of_flang_are_private() {
    units_are_private(FLANG);
}

#[test]
fn the_runtime_of_gfortran_is_private() {
    the_runtimes_state_is_private(GFORTRAN);
}

#[test]
fn the_runtime_of_flang_is_private() {
    the_runtimes_state_is_private(FLANG);
}
