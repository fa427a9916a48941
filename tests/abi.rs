//! The C test programs of `tests/c` under mpiexec, with few and many ranks on one and on two virtual processors.

use crate::programs;
use simurgh_testing::{Compile, Input, LIMIT, Mpiexec, Stage, passed, run};
use std::process::Command;

fn passes(program: &str) {
    let stage = Stage::locate();
    let binary = programs::build(&stage, program);
    for (ranks, vps) in [(1, 1), (2, 1), (2, 2), (5, 2), (16, 2)] {
        let outcome = stage.mpiexec(ranks).vps(vps).run(&binary);
        outcome.expect_success();
        assert_eq!(outcome.stdout, passed(ranks), "{outcome}");
    }
}

programs!(tests passes []);
agreeing_programs!(tests passes []);

/// Started without mpiexec, a program is rank 0 of 1.
fn passes_alone(program: &str) {
    let stage = Stage::locate();
    let binary = programs::build(&stage, program);
    let mut command = Command::new(&binary);
    command.env("LD_LIBRARY_PATH", stage.lib());
    let outcome = run(&mut command, Input::Empty, LIMIT).expect("the program can be run");
    outcome.expect_success();
    assert_eq!(outcome.stdout, passed(1), "{outcome}");
}

#[test]
fn programs_run_without_mpiexec() {
    for program in ["early", "sessions"] {
        passes_alone(program);
    }
}

#[test]
fn the_default_handler_names_the_rank_and_ends_the_job() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/mpi_fatal.c").against(&stage).build();
    for (mistake, call, class, code) in [
        ("before", "MPI_Comm_size", "MPI_ERR_OTHER", 16),
        ("after", "MPI_Comm_size", "MPI_ERR_OTHER", 16),
        ("rank", "MPI_Send", "MPI_ERR_RANK", 6),
        ("truncate", "MPI_Recv", "MPI_ERR_TRUNCATE", 15),
        ("abort", "MPI_Abort", "code 7", 7),
        ("abort early", "MPI_Abort", "code 8", 8),
        (
            "no world",
            "call MPI_Init, or make a communicator",
            "MPI_ERR_COMM",
            5,
        ),
        ("again", "MPI_Init", "MPI_ERR_OTHER", 16),
        ("session", "", "without calling MPI_Session_finalize", 1),
    ] {
        let outcome = stage.mpiexec(4).args([mistake]).run(&program);
        outcome
            .expect_code(code)
            .expect_stderr("simurgh: rank ")
            .expect_stderr(call)
            .expect_stderr(class);
    }
}

#[test]
fn buffers_that_are_the_same_memory_are_refused() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/same_memory.c").against(&stage).build();
    for mode in ["threads", "processes"] {
        let mpiexec = || stage.mpiexec(2).mode(mode);
        mpiexec().run(&program).expect_success();
        let all = mpiexec().options(["--check"]);
        all.args(["overlaps"]).run(&program).expect_success();
    }
}

#[test]
fn edges_that_one_end_names_are_refused_unless_checks_are_off() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/one_sided_edges.c").against(&stage).build();
    for mode in ["threads", "processes"] {
        let mpiexec = || stage.mpiexec(3).mode(mode);
        mpiexec().args(["refused"]).run(&program).expect_success();
        let unchecked = mpiexec().options(["--no-check"]);
        unchecked.args(["accepted"]).run(&program).expect_success();
    }
}

#[test]
fn control_variables_have_the_values_that_mpiexec_was_given() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/mpi_tool_variables.c").against(&stage).build();
    let by_option = stage.mpiexec(2).options(["--eager-limit", "2K"]);
    by_option.args(["2048"]).run(&program).expect_success();
    let by_variable = stage.mpiexec(2).env("SIMURGH_EAGER_LIMIT", "3000");
    by_variable.args(["3000"]).run(&program).expect_success();
    let rules = stage.mpiexec(2).options([
        "--eager-limit",
        "3000",
        "--collectives",
        "scan:4K=last,any=shared",
    ]);
    rules
        .args(["3000", "scan:4K:0:core=last,any:0:0:core=shared"])
        .run(&program)
        .expect_success();
}

#[test]
fn a_tool_sees_the_calls_of_all_ranks() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/mpi_modes.c").against(&stage).build();
    let tool = Compile::c("tests/c/mpi_tool.c")
        .flags(["-shared", "-fPIC"])
        .against(&stage)
        .build();
    let outcome = stage.mpiexec(4).env("LD_PRELOAD", tool.path()).run(&program);
    outcome.expect_success();
    for rank in 0..4 {
        outcome.expect_stderr(&format!("tool: rank {rank} sent "));
    }
}

#[test]
fn info_env_tells_the_arguments() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/mpi_info.c").against(&stage).build();
    let outcome = stage.mpiexec(2).args(["several", "arguments"]).run(&program);
    outcome.expect_success();
}

#[test]
fn leaks_are_told_on_demand() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/mpi_leaks.c").against(&stage).build();
    let told = stage.mpiexec(2).options(["--check"]).run(&program);
    told.expect_success();
    for left in [
        "communicators behind: 2 (halo, …)",
        "groups behind: 1 (size 2)",
        "datatypes behind: 1 (row)",
        "operations behind: 1",
        "requests behind: 1 (inactive)",
        "messages behind: 1 (from rank",
        "error handlers behind: 1",
        "info objects behind: 1",
        "attribute keys behind: 1 (for datatypes)",
        "pieces of memory behind: 1 (100 bytes)",
    ] {
        for rank in 0..2 {
            told.expect_stderr(&format!("simurgh: rank {rank} leaves {left}"));
        }
    }
    assert_eq!(told.stderr.lines().count(), 2 * 10, "{told}");
    let untold = stage.mpiexec(2).run(&program);
    assert_eq!(untold.expect_success().stderr, "", "{untold}");
}

#[test]
fn arguments_are_checked_unless_that_is_switched_off() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/mpi_leaks.c").against(&stage).build();
    for (option, class) in [("--check", 4), ("--no-check", 0)] {
        let outcome = stage.mpiexec(2).options([option]).run(&program);
        let expected = format!("negative tag: {class}\npassed with 2 ranks\n");
        assert_eq!(outcome.expect_success().stdout, expected, "{outcome}");
    }
    for name in ["collectives", "matching", "modes"] {
        let program = Compile::c(format!("tests/c/mpi_{name}.c"))
            .against(&stage)
            .build();
        stage
            .mpiexec(4)
            .options(["--no-check"])
            .run(&program)
            .expect_success();
    }
}

#[test]
fn collectives_can_be_done_any_way() {
    let stage = Stage::locate();
    for name in ["collectives", "large_collectives", "operations"] {
        let program = Compile::c(format!("tests/c/mpi_{name}.c"))
            .against(&stage)
            .build();
        for (vps, rules) in [
            (2, "any=last"),
            (2, "any=shared"),
            (2, "any=striped"),
            (1, "any=shared"),
            (2, "any:1K=shared"),
        ] {
            let mpiexec = stage.mpiexec(5).vps(vps).options(["--collectives", rules]);
            mpiexec.run(&program).expect_success();
        }
    }
}

#[test]
fn a_rule_that_cannot_be_is_told_before_the_job_starts() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/mpi_collectives.c").against(&stage).build();
    let mpiexec = stage.mpiexec(2).options(["--collectives", "bcast:1K=best"]);
    mpiexec
        .run(&program)
        .expect_code(2)
        .expect_stderr("--collectives: \"bcast:1K=best\" is not rules such as")
        .expect_stderr("\"best\" is not one of last, shared, lead, striped");
}

#[test]
fn a_million_duplicates_need_no_more_memory() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/mpi_duplicates.c").against(&stage).build();
    let outcome = stage.mpiexec(2).args(["1000000"]).run(&program);
    outcome.expect_success();
}

/// A million of them need no more memory either, which takes a minute.
#[test]
fn many_windows_need_no_more_memory() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/window_many.c").against(&stage).build();
    let passes = |mpiexec: Mpiexec, count: &str| {
        mpiexec.args([count]).run(&program).expect_success();
    };
    passes(stage.mpiexec(2).vps(1), "2000");
    passes(stage.mpiexec(2).mode("processes"), "100");
    passes(stage.mpiexec(4).options(["--hosts-per-node", "2"]), "100");
}

#[test]
fn the_initial_error_handler_can_be_chosen() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/mpi_fatal.c").against(&stage).build();
    let run = |handler, mistake| {
        let mpiexec = stage.mpiexec(2).options(["--initial-errhandler", handler]);
        mpiexec.args([mistake]).run(&program)
    };
    let returned = run("mpi_errors_return", "rank");
    returned.expect_success();
    assert_eq!(
        returned.stdout,
        "not reached after a mistake\n".repeat(2),
        "{returned}"
    );
    // The program returns the result of the call.
    let before = run("mpi_errors_return", "before");
    assert_eq!((before.code(), &*before.stderr), (16, ""), "{before}");
    run("mpi_errors_abort", "rank")
        .expect_code(6)
        .expect_stderr("MPI_ERR_RANK");
}
