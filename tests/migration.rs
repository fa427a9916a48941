//! Private variables and private libc state of ranks that migrate between virtual processors.
//!
//! The programs are those of the image crate's privatisation matrix. There every build is tried on one thread; here one
//! build runs under mpiexec, in the seeded mode in which a rank that yields goes on wherever the seed says.

use std::path::PathBuf;

use simurgh_testing::{Binary, Compile, Scratch, Stage};

const PROGRAMS: &str = "crates/image/tests/programs";

/// A program of the matrix, with parts in itself, in an archive and in a shared library, and with MPI calls to yield
/// in.
fn build(scratch: &Scratch, compiler: &str, extension: &str, main: &str) -> Binary {
    let stage = Stage::locate();
    let source = |name: &str| format!("{PROGRAMS}/{name}.{extension}");
    let object = |name: &str, flags: &[&str]| -> PathBuf {
        let path = scratch.path().join(format!("{main}-{name}.o"));
        let part = Compile::by(compiler, source(&format!("{main}_part")))
            .flags(["-O2", "-c"])
            .flags(flags);
        part.output(&path).build();
        path
    };
    let program = object("program", &["-DPLACE=program"]);
    let archive = object("archive", &["-DPLACE=archive"]);
    let library = scratch.path().join(format!("lib{main}.so"));
    Compile::by(compiler, source(&format!("{main}_part")))
        .flags(["-O2", "-fPIC", "-shared", "-DPLACE=shared", "-DOWNS_FAILURE"])
        .output(&library)
        .build();
    let yields = scratch.path().join("yield.o");
    Compile::c("tests/c/mpi_yield.c")
        .flags(["-O2", "-c"])
        .against(&stage)
        .output(&yields)
        .build();
    Compile::by(compiler, source(main))
        .flags(["-O2"])
        .source(program)
        .source(archive)
        .source(yields)
        .source(library)
        .libraries(["-lpthread"])
        .against(&stage)
        .output(scratch.path().join(main))
        .build()
}

/// Every rank prints each of `lines`, none complains, and, where there are two processors, ranks have moved.
fn wander(program: &Binary, lines: &[&str]) {
    let stage = Stage::locate();
    for (ranks, seed) in [(2, "1"), (7, "2"), (64, "3")] {
        let run = stage.mpiexec(ranks).vps(2).options(["--seed", seed]).run(program);
        run.expect_success();
        for line in lines {
            assert_eq!(
                run.stdout.lines().filter(|said| said == line).count(),
                ranks,
                "{line:?}: {run}"
            );
        }
        assert!(!run.stdout.contains("BAD"), "{run}");
        let moved = run
            .stdout
            .lines()
            .any(|line| line.starts_with("moved ") && line != "moved 0 times");
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        assert!(moved || processors < 2, "no rank ever moved: {run}");
    }
}

#[test]
fn c_variables_stay_private_on_the_move() {
    let scratch = Scratch::new("migration");
    wander(&build(&scratch, "gcc", "c", "storage"), &["storage OK"]);
}

#[test]
fn cxx_variables_and_exceptions_stay_private_on_the_move() {
    let scratch = Scratch::new("migration");
    let lines = ["storagexx OK", "library destructor OK", "destructors OK"];
    wander(&build(&scratch, "g++", "cpp", "storagexx"), &lines);
}

#[test]
fn libc_state_stays_private_on_the_move() {
    let stage = Stage::locate();
    let program = Compile::c(format!("{PROGRAMS}/library.c"))
        .source("tests/c/mpi_yield.c")
        .flags(["-O2"])
        .libraries(["-lpthread"])
        .against(&stage)
        .build();
    wander(&program, &["library OK"]);
}
