//! Jobs that meet, communicate and disconnect.

use super::{MODES, NODES, Universe, build, together};
use simurgh_testing::passed;

/// Lets a job of `accepting` ranks and one of `connecting` ranks meet and do something, with these options.
fn meet(what: &str, (accepting, connecting): (usize, usize), options: &[&str]) {
    let binary = build("universe_meet");
    for mode in MODES {
        let mut universe = Universe::new(&format!("universe-{what}-{mode}"));
        let jobs = [(accepting, "accept"), (connecting, "connect")].map(|(ranks, role)| {
            let mpiexec = universe.mpiexec(ranks).mode(mode).options(options);
            mpiexec.args([role, "service", what]).command(&binary)
        });
        let [accepted, connected] = together(jobs);
        for (outcome, ranks) in [(accepted, accepting), (connected, connecting)] {
            assert_eq!(outcome.expect_success().stdout, passed(ranks), "{outcome}");
        }
        universe.end();
    }
}

#[test]
fn two_jobs_meet_and_part_again_and_again() {
    for ranks in [(1, 1), (1, 3), (4, 2), (7, 5)] {
        meet("meet", ranks, &[]);
    }
}

#[test]
fn jobs_of_several_hosts_meet() {
    meet("meet", (4, 3), &["--hosts-per-node", "2"]);
    meet("meet", (4, 3), &["--transport", "ofi"]);
}

#[test]
fn jobs_on_several_nodes_meet() {
    meet("meet", (2, 3), &NODES);
    meet("spawn", (2, 2), &NODES);
}

#[test]
fn those_who_have_met_start_others_whom_all_know() {
    for ranks in [(1, 1), (2, 3)] {
        meet("spawn", ranks, &[]);
    }
    meet("spawn", (2, 2), &["--hosts-per-node", "2"]);
}

#[test]
fn worlds_that_ranks_have_started_meet_and_outlive_them() {
    meet("children", (2, 2), &[]);
    meet("children", (2, 2), &NODES);
}

#[test]
fn programs_that_do_not_start_are_nobody_elses_business() {
    let binary = build("universe_meet");
    let mut universe = Universe::new("universe-quit");
    let jobs = ["accept", "connect"].map(|role| {
        let mpiexec = universe.mpiexec(2).mode("processes");
        mpiexec.args([role, "service", "quit"]).command(&binary)
    });
    for outcome in together(jobs) {
        assert_eq!(outcome.expect_success().stdout, passed(2), "{outcome}");
    }
    universe.end();
}

#[test]
fn ranks_and_processes_meet() {
    let binary = build("universe_meet");
    for what in ["meet", "spawn"] {
        let mut universe = Universe::new(&format!("universe-mixed-{what}"));
        let jobs = [("accept", "threads"), ("connect", "processes")].map(|(role, mode)| {
            let mpiexec = universe.mpiexec(2).mode(mode);
            mpiexec.args([role, "service", what]).command(&binary)
        });
        for outcome in together(jobs) {
            assert_eq!(outcome.expect_success().stdout, passed(2), "{outcome}");
        }
        universe.end();
    }
}

#[test]
fn several_jobs_come_at_the_same_time() {
    let binary = build("universe_meet");
    for mode in MODES {
        let mut universe = Universe::new(&format!("universe-crowd-{mode}"));
        let jobs = [("accept", 2), ("connect", 1), ("connect", 1), ("connect", 1)].map(|(role, ranks)| {
            let mpiexec = universe.mpiexec(ranks).mode(mode);
            mpiexec.args([role, "service", "crowd"]).command(&binary)
        });
        for outcome in together(jobs) {
            outcome.expect_success();
        }
        universe.end();
    }
}

#[test]
fn jobs_that_can_reach_nobody_are_refused() {
    meet("refused", (2, 1), &["--transport", "shm"]);
}

/// Lets three jobs do something, each connected with the next, with these options.
fn chain(what: &str, options: &[&str]) {
    let binary = build("universe_chain");
    for mode in MODES {
        let mut universe = Universe::new(&format!("universe-chain-{what}-{mode}"));
        let jobs = [("first", 2), ("middle", 1), ("last", 3)].map(|(role, ranks)| {
            let mpiexec = universe.mpiexec(ranks).mode(mode).options(options);
            mpiexec.args([role, what]).command(&binary)
        });
        for (outcome, ranks) in together(jobs).into_iter().zip([2, 1, 3]) {
            assert_eq!(outcome.expect_success().stdout, passed(ranks), "{outcome}");
        }
        universe.end();
    }
}

#[test]
fn who_is_known_to_one_comes_to_be_known_to_all() {
    chain("part", &[]);
    chain("part", &["--hosts-per-node", "2"]);
    chain("spawn", &[]);
}

#[test]
fn processes_with_a_socket_between_them_join() {
    let binary = build("universe_join");
    for mode in MODES {
        let mut universe = Universe::new(&format!("universe-join-{mode}"));
        let name = format!("simurgh-test-{mode}-{}", std::process::id());
        let jobs = [("listen", 2), ("call", 1)].map(|(role, ranks)| {
            let mpiexec = universe.mpiexec(ranks).mode(mode);
            mpiexec.args([role, &name]).command(&binary)
        });
        for (outcome, ranks) in together(jobs).into_iter().zip([2, 1]) {
            assert_eq!(outcome.expect_success().stdout, passed(ranks), "{outcome}");
        }
        universe.end();
    }
}

#[test]
fn who_has_parted_goes_on_alone() {
    for ranks in [(1, 1), (3, 2)] {
        meet("outlive", ranks, &[]);
    }
    meet("outlive", (2, 2), &NODES);
}

#[test]
fn who_has_not_parted_is_waited_for() {
    for ranks in [(1, 1), (3, 2)] {
        meet("stay", ranks, &[]);
    }
}
