//! Dynamic processes: spawned programs, and groups that meet at ports; C programs in both modes, and how such jobs end.

use simurgh_testing::{Binary, Compile, Outcome, Scratch, Stage, TCP, passed};
use std::time::Duration;

const MODES: [&str; 2] = ["threads", "processes"];

/// This machine stands for two nodes, whose hosts are started by agents and talk over the network.
const NODES: [&str; 8] = [
    "--launcher",
    "fork",
    "-hosts",
    "a,b",
    TCP[0],
    TCP[1],
    TCP[2],
    TCP[3],
];

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
        assert_eq!(outcome.stdout, passed(ranks), "{outcome}");
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
fn who_waits_for_the_launcher_is_in_no_deadlock() {
    passes("mpi_ask_often", &[2, 7], &[]);
    passes("mpi_ask_often", &[4], &["--hosts-per-node", "2"]);
    passes("mpi_ask_often", &[2], &["--transport", "ofi"]);
}

#[test]
fn nothing_is_left_of_those_who_have_gone() {
    passes("mpi_spawn_often", &[1], &[]);
}

/// Spawns this many one after the other, in each mode.
fn spawns(number: &str) {
    let stage = Stage::locate();
    let binary = build(&stage, "mpi_spawn_often");
    for mode in MODES {
        let outcome = stage.mpiexec(1).mode(mode).args([number]).run(&binary);
        outcome.expect_success();
    }
}

/// So many that a descriptor, a mapping or two kilobytes that are kept about each show.
#[test]
fn nothing_much_is_kept_about_those_who_have_gone() {
    spawns("400");
}

/// So many that a kilobyte that is kept about each shows.
#[test]
#[ignore = "takes long: ./x soak runs it"]
fn nothing_is_kept_about_those_who_have_gone() {
    spawns("1200");
}

#[test]
fn worlds_are_started_on_several_nodes() {
    passes("mpi_spawn", &[2], &NODES);
    passes("mpi_ports", &[2], &NODES);
}

#[test]
fn nothing_is_left_on_several_nodes() {
    let stage = Stage::locate();
    let binary = build(&stage, "mpi_spawn_often");
    for mode in MODES {
        let mpiexec = stage.mpiexec(2).mode(mode).options(NODES).args(["10"]);
        mpiexec.run(&binary).expect_success();
    }
}

/// Runs a program whose children print where they are; returns the lines, sorted.
fn places(mode: &str, options: &[&str], arguments: &[&str]) -> Vec<String> {
    let stage = Stage::locate();
    let binary = build(&stage, "spawn_where");
    let mpiexec = stage.mpiexec(2).mode(mode).options(options);
    let outcome = mpiexec.args(arguments).run(&binary);
    let lines = outcome.expect_success().sorted_lines().into_iter();
    lines.map(str::to_owned).collect()
}

/// The expected lines.
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
fn lines_of_processes_that_are_started_bear_their_names() {
    assert_eq!(places("processes", &["-l"], &["2"]), said(true, 2, 2, &here()));
}

#[test]
fn ranks_that_are_started_are_shared_out_among_the_nodes_of_the_job() {
    let tagged = [&NODES[..], &["-l"]].concat();
    for mode in MODES {
        assert_eq!(places(mode, &tagged, &["4"]), said(true, 4, 2, &here()));
        assert_eq!(
            places(mode, &NODES, &["3", "host", "b"]),
            said(false, 3, 3, &here())
        );
        assert_eq!(
            places(mode, &NODES, &["3", "host", "b:1,a:2"])[1..],
            said(false, 3, 2, &here())[1..]
        );
    }
}

#[test]
fn a_file_chooses_nodes() {
    let scratch = Scratch::new("spawn-hostfile");
    let file = scratch.write("nodes", "b slots=2\n");
    let file = file.to_str().unwrap();
    for key in ["hostfile", "file"] {
        let found = places("threads", &NODES, &["2", key, file]);
        assert_eq!(found, said(false, 2, 2, &here()));
    }
}

#[test]
fn a_node_that_is_none_of_the_jobs_is_refused_by_name() {
    let stage = Stage::locate();
    let binary = build(&stage, "spawn_where");
    for options in [&[][..], &NODES] {
        let mpiexec = stage.mpiexec(2).options(options);
        let outcome = mpiexec.args(["1", "host", "far"]).run(&binary);
        assert!(!outcome.status.success(), "{outcome}");
        assert!(
            outcome.stderr.contains("far is none of the job's nodes: "),
            "{outcome}"
        );
        assert!(outcome.stderr.contains("MPI_ERR_SPAWN"), "{outcome}");
    }
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

#[test]
fn what_several_ranks_start_starts_together() {
    let stage = Stage::locate();
    let binary = build(&stage, "spawn_together");
    for options in [&[][..], &NODES] {
        let scratch = Scratch::new("spawn-together");
        let mpiexec = stage.mpiexec(3).mode("processes").options(options);
        let outcome = mpiexec.args([scratch.path()]).run(&binary);
        assert_eq!(outcome.expect_success().stdout, "the sum is 3\n", "{outcome}");
    }
}

/// Runs ranks of which the first waits in some way and the others for it.
fn waits_so(mode: &str, options: &[&str], how: &[&str]) -> Outcome {
    let stage = Stage::locate();
    let binary = build(&stage, "port_alone");
    let mpiexec = stage.mpiexec(2).mode(mode).options(options);
    mpiexec.args(how).run(&binary)
}

fn waits(mode: &str, options: &[&str], how: &str) -> Outcome {
    waits_so(mode, options, &[how])
}

/// MPI 11.9.4: the attempt to connect times out.
#[test]
fn who_connects_where_nobody_accepts_gives_up_in_time() {
    for mode in MODES {
        for options in [&[][..], &NODES] {
            let soon = [options, &["--connect-timeout", "1"]].concat();
            for (options, how) in [
                (options, &["returns", "1"][..]),
                (&soon, &["returns"]),
                // The program's output decides.
                (&soon, &["returns", "2"]),
            ] {
                let outcome = waits_so(mode, options, how);
                assert_eq!(outcome.expect_success().stdout, "met\n", "{outcome}");
            }
        }
        waits_so(mode, &[], &["fatal", "1"])
            .expect_stderr("MPI_ERR_PORT")
            .expect_stderr("nobody has accepted at port");
        // Errors end the job, and so may the deadlock, whose message says more.
        waits(mode, &["--connect-timeout", "1"], "connect").expect_code(125);
    }
}

#[test]
fn who_waits_at_a_port_to_which_nobody_comes_is_told_so() {
    for mode in MODES {
        for (how, what) in [
            ("accept", "MPI_Comm_accept at port"),
            ("connect", "MPI_Comm_connect to port"),
        ] {
            let outcome = waits(mode, &[], how);
            outcome
                .expect_code(125)
                .expect_stderr("deadlock: every rank waits and none can go on")
                .expect_stderr(&format!("rank 0 waits in {what}"));
        }
        waits(mode, &NODES, "accept")
            .expect_code(125)
            .expect_stderr("nobody connects");
        for options in [&[][..], &NODES] {
            assert_eq!(waits(mode, options, "late").expect_success().stdout, "met\n");
        }
    }
}

#[test]
fn ranks_that_wait_for_ever_are_found_after_others_have_gone() {
    for mode in MODES {
        for how in ["gone", "parted"] {
            waits(mode, &[], how)
                .expect_code(125)
                .expect_stderr("deadlock: every rank waits and none can go on");
        }
        waits(mode, &NODES, "gone").expect_code(125);
        waits(mode, &["--transport", "ofi"], "gone").expect_code(125);
        // The same after an answer.
        let mpiexec = Stage::locate().mpiexec(2).mode(mode).args(["ask"]);
        let asked = build(&Stage::locate(), "launch_mpi");
        mpiexec.run(&asked).expect_code(125);
    }
}

/// Runs a program whose children behave as `behaviour` says.
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
        outcome.expect_end_within(Duration::from_secs(10));
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
        for options in [&[][..], &["--transport", "ofi"]] {
            let outcome = ends_with(mode, options, "outlive");
            assert_eq!(outcome.expect_success().stdout, "alone\n", "{outcome}");
        }
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

#[test]
fn worlds_on_several_nodes_end_as_others_do() {
    for mode in MODES {
        let outcome = ends_with(mode, &NODES, "outlive");
        assert_eq!(outcome.expect_success().stdout, "alone\n", "{outcome}");
        for (behaviour, code) in [("crash", 139), ("abort", 7), ("status", 9)] {
            let outcome = ends_with(mode, &NODES, behaviour);
            assert_eq!(outcome.status.code(), Some(code), "{behaviour}: {outcome}");
        }
        let outcome = ends_with(mode, &NODES, "stay");
        assert_eq!(outcome.expect_success().stdout, "still there\n", "{outcome}");
    }
    ends_with("processes", &NODES, "without").expect_success();
}
