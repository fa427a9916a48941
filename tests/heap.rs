//! The memory that the programs of ranks allocate.

use simurgh_testing::{Binary, Compile, Mpiexec, Outcome, Stage, run_with_few_addresses};

fn in_c() -> Binary {
    Compile::c("tests/c/heap.c")
        .flags(["-O2", "-Wall", "-Wextra", "-Wno-use-after-free", "-fno-builtin"])
        .libraries(["-lpthread"])
        .against(&Stage::locate())
        .build()
}

#[track_caller]
fn all_are_fine(run: &Outcome, ranks: usize) {
    run.expect_success();
    let fine = run.stdout.lines().filter(|line| *line == "heap OK").count();
    assert_eq!(fine, ranks, "{run}");
}

#[test]
fn all_functions_for_memory_work_in_ranks_of_one_process() {
    let (stage, program) = (Stage::locate(), in_c());
    for ranks in [1, 2, 7, 32] {
        let mpiexec = stage.mpiexec(ranks).mode("threads").args(["one-process"]);
        all_are_fine(&mpiexec.run(&program), ranks);
    }
    let seeded = stage.mpiexec(5).mode("threads").vps(2).args(["one-process"]);
    all_are_fine(&seeded.options(["--seed", "7"]).run(&program), 5);
}

#[test]
fn a_library_that_a_rank_loads_allocates_from_its_heap() {
    let (stage, program) = (Stage::locate(), in_c());
    let library = Compile::c("tests/c/heap_library.c")
        .flags(["-O2", "-shared", "-fPIC"])
        .against(&stage)
        .build();
    let mpiexec = stage.mpiexec(3).mode("threads");
    all_are_fine(
        &mpiexec
            .args(["one-process", &library.path().display().to_string()])
            .run(&program),
        3,
    );
}

#[test]
fn they_work_in_processes() {
    let (stage, program) = (Stage::locate(), in_c());
    all_are_fine(&stage.mpiexec(2).mode("processes").run(&program), 2);
}

/// Ranks that end in different ways, also where they run another program than the one that goes on, or are spawned.
#[test]
fn the_memory_of_a_rank_goes_back_when_the_rank_ends_and_others_go_on() {
    let stage = Stage::locate();
    let with = |flags: &[&str]| {
        Compile::c("tests/c/rank_end_memory.c")
            .flags(["-O2", "-Wall", "-Wextra", "-fno-builtin"])
            .flags(flags)
            .libraries(["-lpthread"])
            .against(&stage)
            .build()
    };
    let program = with(&[]);
    let path = program.path().display().to_string();
    let apart = stage.mpiexec(1).mode("threads").args([":", "-n", "5", &path]);
    let relocatable = stage
        .mpiexec(6)
        .mode("threads")
        .options(["--relocatable", "--rank-range", "1G"]);
    let comes_back = |mpiexec: Mpiexec, program| {
        let run = mpiexec.run(program);
        run.expect_success();
        assert_eq!(run.stdout.trim(), "memory is back", "{run}");
    };
    let spawned = stage.mpiexec(1).mode("threads").args(["spawn"]);
    for mpiexec in [stage.mpiexec(6).mode("threads"), apart, relocatable, spawned] {
        comes_back(mpiexec, &program);
    }
    comes_back(stage.mpiexec(6).mode("threads"), &with(&["-fopenmp"]));
}

/// Without addresses for heaps, ranks have that of the C library.
#[test]
fn they_work_where_addresses_are_limited() {
    let (stage, program) = (Stage::locate(), in_c());
    let mpiexec = stage.mpiexec(2).mode("threads").args(["one-process"]);
    let inner = mpiexec.command(&program);
    let run = run_with_few_addresses(&inner);
    all_are_fine(&run, 2);
}

/// An allocator that the user puts before the process serves it, and ranks have their heaps.
#[test]
fn they_work_beside_an_allocator_of_the_process() {
    let (stage, program) = (Stage::locate(), in_c());
    let allocator = Compile::c("tests/c/marked_malloc.c")
        .flags(["-O2", "-shared", "-fPIC", "-fno-builtin"])
        .against(&stage)
        .build();
    let wrapper = format!("env LD_PRELOAD={}", allocator.path().display());
    let mpiexec = stage.mpiexec(3).mode("threads").args(["one-process"]);
    all_are_fine(&mpiexec.options(["--host-wrapper", &wrapper]).run(&program), 3);
}

#[test]
fn new_and_delete_work() {
    let stage = Stage::locate();
    let program = Compile::cxx("tests/cxx/heap.cpp")
        .flags(["-O2", "-Wall", "-Wextra", "-std=c++17"])
        .libraries(["-lpthread"])
        .against(&stage)
        .build();
    for mode in ["threads", "processes"] {
        all_are_fine(&stage.mpiexec(4).mode(mode).run(&program), 4);
    }
}
