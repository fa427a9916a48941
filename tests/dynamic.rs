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

/// Runs a program whose children say where they are; the lines, sorted.
fn places(mode: &str, options: &[&str], arguments: &[&str]) -> Vec<String> {
    let stage = Stage::locate();
    let binary = build(&stage, "spawn_where");
    let mpiexec = stage.mpiexec(2).mode(mode).options(options);
    let outcome = mpiexec.args(arguments).run(&binary);
    let lines = outcome.expect_success().sorted_lines().into_iter();
    lines.map(str::to_owned).collect()
}

/// What they say.
fn said(tagged: bool, number: usize, near: usize, directory: &str) -> Vec<String> {
    let tag = |rank| {
        if tagged {
            format!("[1.{rank}] ")
        } else {
            String::new()
        }
    };
    let line = |rank| {
        format!(
            "{}child {rank} of {number}, {near} on its node, in {directory}",
            tag(rank)
        )
    };
    (0..number).map(line).collect()
}

fn here() -> String {
    std::env::current_dir().unwrap().to_str().unwrap().to_owned()
}

#[test]
fn lines_of_ranks_that_are_started_bear_their_names() {
    assert_eq!(places("threads", &["-l"], &["2"]), said(true, 2, 2, &here()));
}

#[test]
fn a_hint_gives_the_working_directory() {
    for mode in MODES {
        assert_eq!(
            places(mode, &[], &["2", "wdir", "/usr"]),
            said(false, 2, 2, "/usr")
        );
    }
}

/// Runs a program whose children do what `behaviour` is.
fn ends_with(mode: &str, options: &[&str], behaviour: &str) -> Outcome {
    let stage = Stage::locate();
    let binary = build(&stage, "spawn_end");
    let mpiexec = stage.mpiexec(2).mode(mode).options(options);
    mpiexec.args([behaviour]).run(&binary)
}

fn ends(mode: &str, behaviour: &str) -> Outcome {
    ends_with(mode, &[], behaviour)
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
