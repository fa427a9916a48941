//! Jobs that meet, talk and part.

use super::{LIMIT, MODES, NODES, Universe, build, together};
use simurgh_testing::{Started, passed};

/// Has a job of `accepting` ranks and one of `connecting` meet and do something, with these options.
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
