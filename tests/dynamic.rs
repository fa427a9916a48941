//! Programs that running ranks start, and groups that meet at ports: C programs in both modes, and how such jobs end.

use simurgh_testing::{Binary, Compile, Outcome, Stage};
use std::time::Duration;

const MODES: [&str; 2] = ["threads", "processes"];

fn build(stage: &Stage, program: &str) -> Binary {
    Compile::c(format!("tests/c/{program}.c"))
        .flags(["-O1", "-Wall", "-Werror"])
        .against(stage)
        .build()
}

fn passes(program: &str, ranks: &[usize], options: &[&str]) {
    let stage = Stage::locate();
    let binary = build(&stage, program);
    for (mode, &ranks) in MODES
        .into_iter()
        .flat_map(|mode| ranks.iter().map(move |ranks| (mode, ranks)))
    {
        let outcome = stage.mpiexec(ranks).mode(mode).options(options).run(&binary);
        outcome.expect_success();
        assert_eq!(
            outcome.stdout,
            format!("passed with {ranks} ranks\n"),
            "{outcome}"
        );
    }
}

#[test]
fn worlds_are_started_and_talk() {
    passes("mpi_spawn", &[1, 2, 4], &[]);
}

#[test]
fn worlds_of_several_hosts_are_started_and_talk() {
    passes("mpi_spawn", &[4], &["--hosts-per-node", "2"]);
}

#[test]
fn worlds_are_started_over_libfabric() {
    passes("mpi_spawn", &[2], &["--transport", "ofi"]);
    passes("mpi_ports", &[2], &["--transport", "ofi"]);
}

#[test]
fn groups_meet_at_ports_and_by_sockets() {
    passes("mpi_ports", &[1, 2, 5], &[]);
    passes("mpi_ports", &[4], &["--hosts-per-node", "2"]);
}

#[test]
fn nothing_is_left_of_those_who_have_gone() {
    passes("mpi_spawn_often", &[1], &[]);
}

/// Runs a program whose children do what `behaviour` is.
fn ends(mode: &str, behaviour: &str) -> Outcome {
    let stage = Stage::locate();
    let binary = build(&stage, "spawn_end");
    stage.mpiexec(2).mode(mode).args([behaviour]).run(&binary)
}

#[test]
fn a_child_that_crashes_ends_the_job() {
    for mode in MODES {
        let outcome = ends(mode, "crash");
        assert_eq!(outcome.status.code(), Some(139), "{outcome}");
        assert!(outcome.elapsed < Duration::from_secs(10), "{outcome}");
    }
}

#[test]
fn a_child_that_aborts_ends_the_job() {
    for mode in MODES {
        assert_eq!(ends(mode, "abort").status.code(), Some(7));
    }
}

#[test]
fn the_status_of_a_child_is_the_jobs() {
    for mode in MODES {
        assert_eq!(ends(mode, "status").status.code(), Some(9));
    }
}

#[test]
fn children_go_on_when_those_have_ended_from_whom_they_have_parted() {
    for mode in MODES {
        let outcome = ends(mode, "outlive");
        outcome.expect_success();
        assert_eq!(outcome.stdout, "alone\n", "{outcome}");
    }
}

#[test]
fn children_that_are_not_parted_from_are_waited_for() {
    for mode in MODES {
        let outcome = ends(mode, "stay");
        outcome.expect_success();
        assert_eq!(outcome.stdout, "still there\n", "{outcome}");
    }
}

#[test]
fn processes_that_do_not_use_mpi_are_an_error_of_who_has_started_them() {
    ends("processes", "without").expect_success();
}
