//! Ranks whose memory lies in a range of addresses of its own (`--relocatable`): they are dumped, wiped and restored.

use simurgh_testing::{Binary, Compile, Outcome, Scratch, Stage, passed, run_with_few_addresses};

fn program() -> Binary {
    Compile::c("tests/c/relocatable.c")
        .flags(["-O2", "-Wall", "-Wextra", "-fno-builtin"])
        .libraries(["-lpthread"])
        .against(&Stage::locate())
        .build()
}

fn run(program: &Binary, ranks: usize, options: &[&str]) -> Outcome {
    let mpiexec = Stage::locate().mpiexec(ranks).mode("threads").vps(2);
    mpiexec.options(["--relocatable"]).options(options).run(program)
}

#[test]
fn a_rank_goes_on_with_all_its_memory_after_a_dump_and_stays_where_something_is_under_way() {
    let program = program();
    for (ranks, options) in [
        (1, &[][..]),
        (4, &["--hosts-per-node", "2", "--rank-range", "1G"]),
        (7, &["--check", "--rank-range", "600M"]),
    ] {
        let run = run(&program, ranks, options);
        run.expect_success();
        assert!(run.stdout.starts_with(&passed(ranks)), "{run}");
        // The reasons of the two refusals.
        for reason in ["1 of its operations are under way", "only its main thread"] {
            let told = run.stderr.lines().filter(|line| line.contains(reason)).count();
            assert_eq!(told, ranks, "{reason}: {run}");
        }
    }
}

#[test]
fn a_rank_of_fortran_goes_on_after_a_dump() {
    let scratch = Scratch::new("relocatable");
    let object = scratch.path().join("relocatable_fortran.o");
    Compile::c("tests/c/relocatable_fortran.c")
        .flags(["-O2", "-c", "-Wall"])
        .against(&Stage::locate())
        .output(&object)
        .build();
    let program = Compile::by(Stage::locate().tool("mpifort"), "tests/fortran/relocatable.f90")
        .flags(["-O2"])
        .source(&object)
        .output(scratch.path().join("relocatable"))
        .build();
    let run = run(&program, 3, &[]);
    run.expect_success();
    assert_eq!(run.stdout, "relocatable OK\n", "{run}");
}

#[test]
fn what_cannot_be_is_told_with_the_remedy() {
    let program = program();
    let plain = Stage::locate()
        .mpiexec(2)
        .mode("threads")
        .args(["refused"])
        .run(&program);
    plain.expect_success();
    plain.expect_stderr("start the job with --relocatable");
    let refused = |options: &[&str], text: &str| {
        let mpiexec = Stage::locate()
            .mpiexec(2)
            .options(["--relocatable"])
            .options(options);
        let run = mpiexec.run(&program);
        assert!(!run.success(), "{run}");
        run.expect_stderr(text);
    };
    refused(
        &["--mode", "processes"],
        "--relocatable needs ranks that are threads",
    );
    refused(
        &["--stack-size", "100M", "--rank-range", "1G"],
        "make the range longer with --rank-range",
    );
    refused(&["--rank-range", "16384G"], "rank-range");
    let mpiexec = Stage::locate()
        .mpiexec(5)
        .options(["--relocatable", "--rank-range", "4096G"]);
    mpiexec
        .run(&program)
        .expect_stderr("make their ranges shorter with --rank-range");
    let own = Compile::c("tests/c/own_malloc.c")
        .source("tests/c/bump_malloc.c")
        .libraries(["-lpthread"])
        .against(&Stage::locate())
        .build();
    let mpiexec = Stage::locate()
        .mpiexec(2)
        .mode("threads")
        .options(["--relocatable"]);
    mpiexec.run(&own).expect_stderr("brings its own malloc");
    let inner = mpiexec.command(&program);
    let run = run_with_few_addresses(&inner);
    run.expect_code(1);
    run.expect_stderr("ulimit -v limits them");
}
