//! The floating-point environment belongs to a rank, in C, C++ and Fortran, whatever virtual processor runs the rank.

use std::path::PathBuf;

use simurgh_testing::{Binary, Compile, Scratch, Stage};

/// The options with which a program's ranks run interleaved.
fn yields(scratch: &Scratch) -> PathBuf {
    let object = scratch.path().join("yield.o");
    Compile::c("tests/c/mpi_yield.c")
        .flags(["-O2", "-c"])
        .against(&Stage::locate())
        .output(&object)
        .build();
    object
}

/// Every rank prints the line, and none complains: on one virtual processor, and on two between which ranks wander.
#[track_caller]
fn wander(program: &Binary, line: &str) {
    for (ranks, options) in [
        (2, ["--vps", "1"].as_slice()),
        (7, &["--vps", "2"]),
        (12, &["--vps", "2", "--seed", "5"]),
        (24, &["--vps", "2", "--seed", "7"]),
    ] {
        let run = Stage::locate().mpiexec(ranks).options(options).run(program);
        run.expect_success();
        let said = run.stdout.lines().filter(|said| *said == line).count();
        assert_eq!(said, ranks, "{run}");
        assert!(!run.stdout.contains("BAD"), "{run}");
    }
}

#[test]
fn c_ranks_round_trap_and_flag_for_themselves() {
    let scratch = Scratch::new("fenv");
    let program = Compile::c("tests/c/fenv_ranks.c")
        .flags(["-O2", "-Wall", "-frounding-math"])
        .source(yields(&scratch))
        .libraries(["-lpthread", "-lm"])
        .against(&Stage::locate())
        .build();
    wander(&program, "fenv OK");
}

#[test]
fn cxx_ranks_round_for_themselves() {
    let scratch = Scratch::new("fenv");
    let program = Compile::cxx("tests/cxx/fenv.cpp")
        .flags(["-O2", "-Wall", "-frounding-math"])
        .source(yields(&scratch))
        .libraries(["-lpthread"])
        .against(&Stage::locate())
        .build();
    wander(&program, "fenv OK");
}

#[test]
fn fortran_ranks_have_ieee_modes_of_their_own() {
    let scratch = Scratch::new("fenv");
    let program = Compile::by("gfortran", "tests/fortran/ieee_modes.f90")
        .flags(["-O2", "-frounding-math"])
        .source(yields(&scratch))
        .against(&Stage::locate())
        .build();
    wander(&program, "ieee modes OK");
}

#[test]
fn denormals_are_zero_in_the_program_alone_that_wants_it() {
    let stage = Stage::locate();
    let build = |flags: &[&str]| {
        Compile::c("tests/c/fenv_denormals.c")
            .flags(["-O2"])
            .flags(flags)
            .against(&stage)
            .build()
    };
    let (exact, fast) = (build(&[]), build(&["-ffast-math"]));
    let fast = fast.path().display().to_string();
    let run = stage
        .mpiexec(3)
        .vps(2)
        .args(["exact", ":", "-n", "4", &fast, "fast"])
        .run(&exact);
    run.expect_success();
    let lines = run.sorted_lines();
    let expected = [["exact 0 0"; 3].as_slice(), &["fast 1 100"; 4]].concat();
    assert_eq!(lines, expected, "{run}");
}

#[test]
fn reductions_round_as_the_ranks_that_take_part() {
    let program = Compile::c("tests/c/fenv_reductions.c")
        .flags(["-O2", "-Wall", "-frounding-math"])
        .libraries(["-lm"])
        .against(&Stage::locate())
        .build();
    for options in [
        ["--vps", "1"].as_slice(),
        &["--vps", "2"],
        &["--vps", "3"],
        &["--hosts-per-node", "2", "--vps", "2"],
        &["--mode", "processes"],
    ] {
        let run = Stage::locate().mpiexec(8).options(options).run(&program);
        run.expect_success();
        let said = run.stdout.lines().filter(|line| *line == "reductions OK").count();
        assert_eq!(said, 8, "{run}");
    }
}
