//! The ends of jobs that have met others.

use super::{MODES, NODES, Universe, build, together};
use simurgh_testing::{
    Binary, LIMIT, Outcome, Signal, Started, children, marked, passed, signal, supervisor, until,
};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// The message when another job that is connected with this one has failed.
const FAILED: &str = "the job of another mpiexec, with which this one is connected, has failed: ";

/// The time that the end of a job may take on a busy machine.
const SOON: Duration = Duration::from_secs(5);

/// The commands of the job that accepts and of the one that connects; both behave as told.
fn jobs(
    (universe, program): (&Universe, &Binary),
    mode: &str,
    ranks: (usize, usize),
    options: &[&str],
    what: &str,
) -> [Command; 2] {
    [(ranks.0, "accept"), (ranks.1, "connect")].map(|(ranks, role)| {
        let mpiexec = universe.mpiexec(ranks).mode(mode).options(options);
        mpiexec.args([role, "service", what]).command(program)
    })
}

/// Lets the connecting job fail in some way; returns the outcomes of both.
fn end(mode: &str, options: &[&str], what: &str) -> [Outcome; 2] {
    let program = build("universe_meet");
    let mut universe = Universe::new(&format!("universe-{what}-{mode}"));
    let outcomes = together(jobs((&universe, &program), mode, (2, 3), options, what));
    universe.end();
    outcomes
}

#[test]
fn a_job_that_fails_takes_those_with_it_that_it_is_connected_with() {
    for mode in MODES {
        for (what, code) in [("crash", 139), ("abort", 7), ("kill", 137)] {
            let [accepted, connected] = end(mode, &[], what);
            connected.expect_code(code);
            accepted.expect_code(1).expect_stderr(FAILED);
        }
    }
}

#[test]
fn jobs_on_several_nodes_fail_together() {
    for mode in MODES {
        let [accepted, connected] = end(mode, &NODES, "kill");
        connected.expect_code(137);
        accepted.expect_code(1).expect_stderr(FAILED);
    }
}

#[test]
fn a_job_that_fails_leaves_those_alone_from_which_it_has_parted() {
    for mode in MODES {
        let [accepted, connected] = end(mode, &[], "apart");
        connected.expect_code(137);
        assert_eq!(accepted.expect_success().stdout, passed(2), "{accepted}");
    }
}

#[test]
fn ranks_that_wait_for_ever_are_found_when_others_have_gone() {
    for mode in MODES {
        let [accepted, connected] = end(mode, &[], "lonely");
        connected.expect_success();
        accepted
            .expect_code(125)
            .expect_stderr("deadlock: every rank waits and none can go on");
    }
}

#[test]
fn failures_spread_by_chains() {
    let binary = build("universe_chain");
    for mode in MODES {
        for (what, others) in [("crash", 1), ("leave", 0)] {
            let mut universe = Universe::new(&format!("universe-chain-{what}-{mode}"));
            let jobs = ["first", "middle", "last"].map(|role| {
                let mpiexec = universe.mpiexec(2).mode(mode);
                mpiexec.args([role, what]).command(&binary)
            });
            let [first, middle, last] = together(jobs);
            last.expect_code(139);
            first.expect_code(others);
            middle.expect_code(others);
            universe.end();
        }
    }
}

/// Two jobs that wait for each other, as long as nobody ends one.
struct Waiting {
    universe: Universe,
    _program: Binary,
    accepting: Started,
    connecting: Started,
    mark: String,
}

impl Waiting {
    fn new(mode: &str, options: &[&str]) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let universe = Universe::new(&format!("universe-wait-{number}"));
        let value = format!("{}-{number}.", std::process::id());
        let program = build("universe_meet");
        let commands = jobs((&universe, &program), mode, (2, 2), options, "wait");
        let [mut accepting, mut connecting] = commands.map(|mut command| {
            command.env("SIMURGH_TEST_MARK", &value);
            Started::new(&command)
        });
        accepting.says("up\n");
        connecting.says("up\n");
        Self {
            universe,
            _program: program,
            accepting,
            connecting,
            mark: format!("SIMURGH_TEST_MARK={value}"),
        }
    }

    /// Lets both end, one of which has just been ended; returns the outcomes of the accepting and the other job.
    fn ends(mut self) -> [Outcome; 2] {
        let outcomes = [self.accepting, self.connecting].map(|job| job.ends(LIMIT));
        for outcome in &outcomes {
            assert!(outcome.taken < SOON, "{outcome}");
        }
        let mark = self.mark;
        assert!(until(SOON, || marked(&mark).is_empty()), "{:?}", marked(&mark));
        self.universe.end();
        outcomes
    }
}

#[test]
fn whoever_is_killed_both_jobs_end_at_once_and_nothing_is_left() {
    for mode in MODES {
        for options in [&[][..], &["--hosts-per-node", "2"], &NODES] {
            for victim in [mpiexec, supervisor, host] {
                let jobs = Waiting::new(mode, options);
                signal(victim(jobs.connecting.id()), Signal::KILL);
                let [accepted, _] = jobs.ends();
                accepted.expect_code(1).expect_stderr(FAILED);
            }
        }
    }
}

fn mpiexec(mpiexec: u32) -> u32 {
    mpiexec
}

/// The process that supervises the job.
fn host(mpiexec: u32) -> u32 {
    let all = children(supervisor(mpiexec));
    *all.last().expect("it has started some")
}

#[test]
fn ctrl_c_ends_the_other_job_as_well() {
    for mode in MODES {
        let jobs = Waiting::new(mode, &[]);
        signal(jobs.accepting.id(), Signal::INT);
        let [accepted, connected] = jobs.ends();
        accepted.expect_code(130);
        connected.expect_code(1).expect_stderr(FAILED);
    }
}
