//! Thread-local variables of any size in programs and libraries, in the languages that have them. The image crate's own
//! test (`room`) tries every size.

use simurgh_testing::{Binary, Compile, Scratch, Stage};

/// Sizes and alignments with which the loader once left a gap, and their neighbours.
const ROOMS: [(usize, usize); 12] = [
    (64, 64),
    (4095, 1),
    (4096, 16),
    (5000, 1),
    (5000, 4096),
    (8000, 8),
    (8128, 32),
    (8192, 64),
    (12_000, 16),
    (20_000, 1024),
    (65_537, 1),
    (70_000, 2048),
];

/// Runs the program in both modes; every rank reports that all is well.
#[track_caller]
fn check(program: &Binary, line: &str, what: &str) {
    for mode in ["threads", "processes"] {
        let run = Stage::locate().mpiexec(5).vps(2).mode(mode).run(program);
        run.expect_success();
        let said = run.stdout.lines().filter(|said| *said == line).count();
        assert_eq!(said, 5, "{what}, {mode}: {run}");
    }
}

#[test]
fn c_programs_have_room_of_any_size() {
    for (size, alignment) in ROOMS {
        let program = Compile::c("tests/c/tls_sizes.c")
            .flags(["-O2", "-Wall"])
            .flags([format!("-DSIZE={size}"), format!("-DALIGNMENT={alignment}")])
            .libraries(["-lpthread"])
            .against(&Stage::locate())
            .build();
        check(
            &program,
            "tls OK",
            &format!("{size} bytes aligned to {alignment}"),
        );
    }
}

#[test]
fn cxx_programs_and_libraries_have_room_of_any_size() {
    let scratch = Scratch::new("tls");
    let definitions = |(size, alignment)| [format!("-DSIZE={size}"), format!("-DALIGNMENT={alignment}")];
    let library = |place: &str, room| {
        let path = scratch.path().join(format!("lib{place}.so"));
        Compile::cxx("tests/cxx/tls_part.cpp")
            .flags(["-O2", "-fPIC", "-shared"])
            .flags([format!("-DPLACE={place}")])
            .flags(definitions(room))
            .output(&path)
            .build();
        path
    };
    for window in ROOMS.windows(3).step_by(3) {
        let program = Compile::cxx("tests/cxx/tls_libraries.cpp")
            .flags(["-O2", "-Wall"])
            .flags(definitions(window[0]))
            .source(library("first", window[1]))
            .source(library("second", window[2]))
            .libraries(["-lpthread"])
            .against(&Stage::locate())
            .build();
        check(&program, "tls OK", &format!("{window:?}"));
    }
}

#[test]
fn fortran_threads_have_their_threadprivate_variables() {
    let stage = Stage::locate();
    let yields = Scratch::new("threadprivate");
    let object = yields.path().join("yield.o");
    Compile::c("tests/c/mpi_yield.c")
        .flags(["-O2", "-c"])
        .against(&stage)
        .output(&object)
        .build();
    let folder = yields.path().display().to_string();
    for (compiler, modules) in [
        ("gfortran", vec![format!("-J{folder}")]),
        ("flang-new-19", vec!["-module-dir".to_owned(), folder.clone()]),
    ] {
        let program = Compile::by(compiler, "tests/fortran/threadprivate.f90")
            .flags(["-O2", "-fopenmp"])
            .flags(modules)
            .source(&object)
            .against(&stage)
            .build();
        check(&program, "threadprivate OK", compiler);
    }
}
