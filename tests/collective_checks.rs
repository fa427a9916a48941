//! Collective calls that do not fit together: `mpiexec --check` names the ranks and what they do, and without it
//! nothing but the call fails.

use simurgh_testing::{Binary, Compile, Stage};

/// The error of each mistake of rank 1 with all checks.
const BLOCKING: &[&str] = &[
    "operation: rank 0 calls MPI_Allgather while rank 1 calls MPI_Barrier: all ranks must",
    "bcast_or_barrier: rank 0 calls MPI_Bcast with root 0 while rank 1 calls MPI_Barrier",
    "root: rank 0 calls MPI_Bcast with root 0 while rank 1 calls MPI_Bcast with root 1",
    "gather_root: rank 0 calls MPI_Gather with root 0 while rank 1 calls MPI_Gather with root 1",
    "reduce_root: MPI_Reduce with root 0 and MPI_SUM while rank 1 calls MPI_Reduce with root 1 and MPI_SUM",
    "bcast_count: in MPI_Bcast with root 0, rank 0 sends 3 MPI_INT, but rank 1 takes 4 MPI_INT from it: make",
    "bcast_room: rank 0 sends 4 MPI_INT, but rank 1 takes 3 MPI_INT from it",
    "bcast_type: rank 0 sends 4 MPI_INT, but rank 1 takes 4 MPI_FLOAT from it",
    "bcast_derived: rank 0 sends 2 times (1 MPI_INT, 1 MPI_FLOAT), but rank 1 takes 4 MPI_INT from it",
    "gather_count: in MPI_Gather with root 0, rank 1 sends 3 MPI_INT, but rank 0 takes 4 MPI_INT from it",
    "gather_room: rank 1 sends 4 MPI_INT, but rank 0 takes 3 MPI_INT from it",
    "gatherv_count: rank 1 sends 2 MPI_INT, but rank 0 takes 3 MPI_INT from it",
    "scatter_count: in MPI_Scatter with root 0, rank 0 sends 3 MPI_INT, but rank 1 takes 4 MPI_INT from it",
    "scatter_room: rank 0 sends 4 MPI_INT, but rank 1 takes 3 MPI_INT from it",
    "scatterv_type: rank 0 sends 4 MPI_INT, but rank 1 takes 4 MPI_UNSIGNED from it",
    "allgather_count: in MPI_Allgather, rank 1 sends 3 MPI_INT, but rank 0 takes 4 MPI_INT from it",
    "allgather_type: rank 1 sends 4 MPI_FLOAT, but rank 0 takes 4 MPI_INT from it",
    "allgatherv_count: rank 0 sends 3 MPI_INT, but rank 1 takes 4 MPI_INT from it",
    "alltoall_count: in MPI_Alltoall, rank 1 sends 3 MPI_INT, but rank 0 takes 4 MPI_INT from it",
    "alltoall_place: rank 0 calls MPI_Alltoall while rank 1 calls MPI_Alltoall in place",
    "alltoall_place_count: in MPI_Alltoall in place, rank 1 sends 3 MPI_INT, but rank 0 takes 4 MPI_INT",
    "alltoallv_count: rank 1 sends 2 MPI_INT, but rank 0 takes 3 MPI_INT from it",
    "alltoallw_type: rank 1 sends 4 MPI_FLOAT, but rank 0 takes 4 MPI_INT from it",
    "reduce_count: in MPI_Reduce with root 0 and MPI_SUM, rank 0 brings 4 MPI_INT, but rank 1 brings 3 MPI_INT",
    "allreduce_count: rank 0 brings 4 MPI_INT, but rank 1 brings 3 MPI_INT: all ranks must give the same count",
    "allreduce_type: rank 0 brings 4 MPI_INT, but rank 1 brings 4 MPI_FLOAT",
    "allreduce_size: rank 0 brings 2 MPI_INT, but rank 1 brings 2 MPI_DOUBLE",
    "allreduce_op: rank 0 calls MPI_Allreduce with MPI_SUM while rank 1 calls MPI_Allreduce with MPI_MAX",
    "reduce_op: MPI_Reduce with root 0 and MPI_SUM while rank 1 calls MPI_Reduce with root 0 and MPI_MAX",
    "user_op: with a commutative operation of the program while rank 1 calls MPI_Allreduce with MPI_SUM",
    "commuting_op: that does not commute while rank 1 calls MPI_Allreduce with a commutative operation",
    "scan_count: in MPI_Scan with MPI_SUM, rank 0 brings 4 MPI_INT, but rank 1 brings 3 MPI_INT",
    "exscan_op: rank 0 calls MPI_Exscan with MPI_SUM while rank 1 calls MPI_Exscan with MPI_PROD",
    "scan_or_exscan: rank 0 calls MPI_Exscan with MPI_SUM while rank 1 calls MPI_Scan with MPI_SUM",
    "reduce_scatter_counts: rank 0 and rank 1 call MPI_Reduce_scatter with MPI_SUM with different counts",
    "reduce_scatter_total: rank 0 and rank 1 call MPI_Reduce_scatter with MPI_SUM with different counts",
    "reduce_scatter_block_count: rank 0 brings 8 MPI_INT, but rank 1 brings 4 MPI_INT",
];

/// The same for collectives that are started: their completion fails.
const STARTED: &[&str] = &[
    "operation: MPI_Wait: rank 0 calls MPI_Bcast with root 0 while rank 1 calls MPI_Barrier",
    "root: MPI_Reduce with root 0 and MPI_SUM while rank 1 calls MPI_Reduce with root 1 and MPI_SUM",
    "bcast_count: in MPI_Bcast with root 0, rank 0 sends 3 MPI_INT, but rank 1 takes 4 MPI_INT from it",
    "bcast_room: rank 0 sends 4 MPI_INT, but rank 1 takes 3 MPI_INT from it",
    "gather_type: rank 1 sends 4 MPI_FLOAT, but rank 0 takes 4 MPI_INT from it",
    "alltoall_count: rank 1 sends 3 MPI_INT, but rank 0 takes 4 MPI_INT from it",
    "allreduce_op: rank 0 calls MPI_Allreduce with MPI_SUM while rank 1 calls MPI_Allreduce with MPI_MAX",
    "second_of_two: in MPI_Allreduce with MPI_SUM, rank 0 brings 4 MPI_INT, but rank 1 brings 3 MPI_INT",
    "persistent_operation: rank 0 calls MPI_Gather with root 0 while rank 1 calls MPI_Scatter with root 0",
    "persistent_count: in MPI_Allgather, rank 1 sends 3 MPI_INT, but rank 0 takes 4 MPI_INT from it",
    "persistent_type: in MPI_Allreduce with MPI_SUM, rank 0 brings 4 MPI_INT, but rank 1 brings 4 MPI_UNSIGNED",
    "persistent_op: rank 0 calls MPI_Scan with MPI_SUM while rank 1 calls MPI_Scan with MPI_MIN",
];

/// The same among neighbours.
const NEIGHBORS: &[&str] = &[
    "allgather_count: in MPI_Neighbor_allgather, rank 1 sends 3 MPI_INT, but rank 0 takes 4 MPI_INT from it",
    "allgather_room: rank 0 sends 2 MPI_INT, but rank 1 takes 1 MPI_INT from it",
    "alltoall_type: in MPI_Neighbor_alltoall, rank 1 sends 2 MPI_FLOAT, but rank 0 takes 2 MPI_INT from it",
    "alltoallv_count: rank 1 sends 1 MPI_INT, but rank 0 takes 2 MPI_INT from it",
    "operation: rank 0 calls MPI_Neighbor_allgather while rank 1 calls MPI_Neighbor_alltoall",
];

/// The same between two groups.
const INTER: &[&str] = &[
    "operation: rank 0 of the first group calls MPI_Allgather while rank 0 of the second group calls MPI_Barrier",
    "bcast_count: rank 0 of the first group sends 3 MPI_INT, but rank 0 of the second group takes 4 MPI_INT",
    "gather_type: rank 0 of the second group sends 4 MPI_FLOAT, but rank 0 of the first group takes 4 MPI_INT",
    "scatter_room: rank 0 of the first group sends 4 MPI_INT, but rank 0 of the second group takes 3 MPI_INT",
    "reduce_count: rank 0 of the first group brings 4 MPI_INT, but rank 0 of the second group brings 3 MPI_INT",
    "allgather_count: rank 0 of the second group sends 3 MPI_INT, but rank 0 of the first group takes 4 MPI_INT",
    "alltoall_type: rank 0 of the second group sends 1 MPI_UNSIGNED, but rank 0 of the first group takes 1",
    "allreduce_op: MPI_Allreduce with MPI_SUM while rank 0 of the second group calls MPI_Allreduce with MPI_MAX",
    "started_count: MPI_Wait: in MPI_Allreduce with MPI_SUM, rank 0 of the first group brings 4 MPI_INT",
];

const PROGRAMS: [(&str, &[&str]); 4] = [
    ("collective_mismatch_inter", INTER),
    ("collective_mismatch", BLOCKING),
    ("collective_mismatch_started", STARTED),
    ("collective_mismatch_neighbors", NEIGHBORS),
];

fn program(stage: &Stage, name: &str) -> Binary {
    Compile::c(format!("tests/c/{name}.c"))
        .flags(["-O1", "-Wall", "-Werror"])
        .against(stage)
        .build()
}

#[test]
fn who_calls_what_is_told_on_demand() {
    let stage = Stage::locate();
    for (name, mistakes) in PROGRAMS {
        let program = program(&stage, name);
        for line in mistakes {
            let (mistake, told) = line.split_once(": ").expect("a mistake and what is told");
            let outcome = stage
                .mpiexec(4)
                .options(["--check"])
                .args([mistake])
                .run(&program);
            assert_ne!(outcome.code(), 0, "{mistake}: {outcome}");
            outcome.expect_stderr(told);
        }
    }
}

#[test]
fn without_checks_they_do_no_more_than_fail() {
    let stage = Stage::locate();
    for (name, _) in PROGRAMS {
        let program = program(&stage, name);
        for (ranks, options) in [
            (5, ["--collectives", "any=last"]),
            (5, ["--collectives", "any=shared"]),
            (5, ["--collectives", "any=striped"]),
            (2, ["--vps", "1"]),
            (16, ["--vps", "2"]),
        ] {
            stage
                .mpiexec(ranks)
                .options(options)
                .run(&program)
                .expect_success();
        }
        for option in ["--check", "--no-check"] {
            stage.mpiexec(4).options([option]).run(&program).expect_success();
        }
    }
}

#[test]
fn a_rank_that_is_led_by_another_root_is_told() {
    let stage = Stage::locate();
    let program = program(&stage, "collective_mismatch");
    let outcome = stage.mpiexec(4).args(["root"]).run(&program);
    outcome.expect_code(8).expect_stderr("while rank ");
    let both =
        |one, other| format!("rank {one} calls MPI_Bcast with root {one} while rank {other} calls MPI_Bcast");
    let led_by_0 = outcome.stderr.contains(&both(1, 0));
    assert!(
        led_by_0
            || outcome
                .stderr
                .contains("while rank 1 calls MPI_Bcast with root 1"),
        "{outcome}"
    );
}

/// Ranks in different collectives that do not meet are reported when none can go on.
#[test]
fn ranks_that_part_do_not_hang() {
    let stage = Stage::locate();
    let program = program(&stage, "collective_mismatch");
    let outcome = stage.mpiexec(4).args(["bcast_or_barrier"]).run(&program);
    outcome.expect_code(125).expect_stderr("deadlock");
}

#[test]
fn ranks_that_choose_at_random_do_no_harm() {
    let stage = Stage::locate();
    let program = program(&stage, "collective_mismatch_random");
    for (seed, (ranks, options)) in (1..).zip([
        (1, ["--vps", "1"]),
        (2, ["--vps", "1"]),
        (3, ["--vps", "2"]),
        (5, ["--collectives", "any=last"]),
        (5, ["--collectives", "any=shared"]),
        (5, ["--collectives", "any=striped"]),
        (16, ["--check", "--stats"]),
        (16, ["--no-check", "--stats"]),
    ]) {
        let mpiexec = stage.mpiexec(ranks).options(options);
        mpiexec.args([&seed.to_string()]).run(&program).expect_success();
    }
}

/// Extensions of the standard work, since programs rely on them, and are reported where all checks are on: once for
/// each operation.
#[test]
fn what_is_more_than_the_standard_is_told_on_demand() {
    let stage = Stage::locate();
    let program = program(&stage, "mpi_operations");
    for mode in ["threads", "processes"] {
        let mpiexec = stage.mpiexec(2).mode(mode);
        mpiexec.run(&program).expect_success().expect_no_complaints();
        let outcome = mpiexec.options(["--check"]).run(&program);
        outcome.expect_success();
        for (operation, datatype) in [
            ("MPI_SUM", "MPI_CHAR"),
            ("MPI_MAX", "MPI_CHAR"),
            ("MPI_LAND", "MPI_CHAR"),
            ("MPI_BXOR", "MPI_CHAR"),
            ("MPI_LXOR", "MPI_AINT"),
        ] {
            for rank in [0, 1] {
                let line = format!(
                    "simurgh: rank {rank} uses {operation} on {datatype}, which the standard does not define"
                );
                assert_eq!(outcome.stderr.matches(&line).count(), 1, "{outcome}");
            }
        }
    }
}

/// Ranks whose Fortran compilers give a type different sizes are told so where they meet.
#[test]
fn sizes_of_fortran_types_that_differ_are_named() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/fortran_mixed.c").against(&stage).build();
    for mode in ["threads", "processes"] {
        let mpiexec = stage.mpiexec(2).mode(mode);
        mpiexec.run(&program).expect_success().expect_no_complaints();
        let outcome = mpiexec.options(["--check"]).args(["meet"]).run(&program);
        outcome
            .expect_code(15)
            .expect_stderr("rank 0 brings 3 MPI_REAL of 8 bytes, but rank 1 brings 3 MPI_REAL:");
    }
}

/// Calls that fit together pass all checks.
#[test]
fn right_programs_are_not_disturbed() {
    let stage = Stage::locate();
    for name in [
        "collectives",
        "collective_forms",
        "operations",
        "neighbors",
        "inter_reductions",
    ] {
        let program = Compile::c(format!("tests/c/mpi_{name}.c"))
            .against(&stage)
            .build();
        for ranks in [1, 5] {
            let mpiexec = stage.mpiexec(ranks).options(["--check"]);
            mpiexec.run(&program).expect_success();
        }
    }
}
