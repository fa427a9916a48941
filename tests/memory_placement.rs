//! Where the memory of ranks comes from, as far as a machine with one node shows it. `./x test numa` shows the rest on
//! machines with several.

use simurgh_testing::{Binary, Compile, Stage};

fn program() -> Binary {
    Compile::c("tests/c/memory_placement.c")
        .flags(["-O2", "-Wall", "-Wextra"])
        .against(&Stage::locate())
        .build()
}

#[test]
fn ranks_have_memory_whatever_its_placement() {
    let (stage, program) = (Stage::locate(), program());
    for mode in ["threads", "processes"] {
        for (placement, expected) in [
            ("local", "any"),
            ("first-touch", "any"),
            ("interleave", "any"),
            ("pool", "any"),
            ("bind:0", "bind:0"),
            ("preferred:0", "any"),
            ("map:0", "map:0"),
        ] {
            let mpiexec = stage.mpiexec(3).mode(mode).args([expected]);
            let run = mpiexec.options(["--memory-placement", placement]).run(&program);
            run.expect_success();
            let fine = run.stdout.lines().filter(|line| *line == "placement OK").count();
            assert_eq!(fine, 3, "{mode}, {placement}: {run}");
        }
    }
}

#[test]
fn each_rank_can_choose_where_its_memory_comes_from() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/memory_chosen.c")
        .flags(["-O2", "-Wall", "-Wextra"])
        .against(&stage)
        .build();
    for options in [
        &["--mode", "threads", "--memory-placement", "first-touch"][..],
        &["--mode", "threads", "--relocatable"],
        &["--mode", "processes"],
    ] {
        let run = stage.mpiexec(4).options(options).run(&program);
        run.expect_success();
        let fine = run.stdout.lines().filter(|line| *line == "choice OK").count();
        assert_eq!(fine, 4, "{run}");
    }
}

#[test]
fn a_node_that_the_machine_does_not_have_is_named() {
    let (stage, program) = (Stage::locate(), program());
    for mode in ["threads", "processes"] {
        let mpiexec = stage.mpiexec(1).mode(mode);
        let run = mpiexec.options(["--memory-placement", "bind:0,59"]).run(&program);
        assert!(!run.success(), "{run}");
        assert!(
            run.stderr
                .contains("--memory-placement names node 59: this machine has 0"),
            "{run}"
        );
    }
}

/// Whether the machine has reserved huge pages or not, long blocks can be had; `./x test numa` looks at their pages.
#[test]
fn long_blocks_are_there_with_and_without_reserved_huge_pages() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/huge_pages.c")
        .flags(["-O2", "-Wall", "-Wextra"])
        .against(&stage)
        .build();
    for size in ["transparent", "2M", "1G"] {
        let run = stage
            .mpiexec(2)
            .options(["--huge-pages", size, "--stats"])
            .run(&program);
        run.expect_success();
        assert_eq!(
            run.stdout.lines().filter(|line| *line == "pages OK").count(),
            2,
            "{run}"
        );
        let none = run.stderr.contains("the system has reserved no pages of");
        let some = run.stderr.contains("reserved huge pages:");
        assert_eq!(none || some, size != "transparent", "{run}");
    }
}

#[test]
fn words_that_make_no_sense_are_refused() {
    let run = Stage::locate()
        .mpiexec(1)
        .options(["--memory-placement", "everywhere"])
        .run("true");
    assert!(!run.success(), "{run}");
    assert!(run.stderr.contains("is not local, first-touch, pool"), "{run}");
}
