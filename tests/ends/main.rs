//! A hundred jobs that are ended from outside, in all modes and at any time: each ends at once, with the right status
//! and message, and nothing is left of it.
//!
//! What is left is looked for in namespaces of the test's own (root is needed for that; without, only processes are
//! looked for): processes with the job's mark in their environment, sockets of any kind, files of `/dev/shm` and of
//! TMPDIR. What has no name, like memory files, goes with the last process that has it.
//!
//! When a job is ended, and who is the victim, depends on the seed, SIMURGH_TEST_SEED. An end that takes longer than it
//! should is repeated, since the machine may have been busy with something else for a moment; none may be late three
//! times.

mod case;
mod mode;
mod room;

use case::{Case, Dice, Event};
use mode::Mode;
use room::Room;
use simurgh_testing::{Compile, Signal, Stage};
use std::time::Duration;

/// Longer than any end may take, in virtual time.
const AT_ONCE: Duration = Duration::from_secs(1);

/// How often an end may be late.
const ATTEMPTS: usize = 3;

const INT: Event = Event::Told(Signal::INT);
const TERM: Event = Event::Told(Signal::TERM);

/// Where ranks may be.
const STAGES: [&str; 7] = [
    "before",
    "start",
    "collectives",
    "transfers",
    "finalize",
    "after",
    "computing",
];

/// Ends jobs of a mode so often in each way, at one stage after another.
#[track_caller]
fn end(mode: Mode, ways: &[(Event, usize)]) {
    let program = Compile::c("tests/c/ends.c").against(&Stage::locate()).build();
    let room = Room::new();
    let first = Dice::new(0).below(STAGES.len() as u64) as usize;
    let stages = STAGES.iter().cycle().skip(first);
    let events = ways.iter().flat_map(|(event, times)| vec![*event; *times]);
    for ((number, event), stage) in (0..).zip(events).zip(stages) {
        let case = Case {
            mode,
            event,
            stage,
            number,
        };
        let late = |took: &Duration| *took > AT_ONCE;
        let late: Vec<_> = std::iter::repeat_with(|| case.run(&room, &program))
            .take(ATTEMPTS)
            .take_while(late)
            .collect();
        if !late.is_empty() {
            eprintln!("{case:?}: late: {late:?}");
        }
        assert!(late.len() < ATTEMPTS, "{case:?}: late each time: {late:?}");
    }
}

/// 20 ends.
#[test]
fn of_one_host() {
    let ways = [(Event::Host, 5), (Event::Mpiexec, 5), (Event::Supervisor, 2)];
    end(Mode::OneHost, &ways);
    end(Mode::OneHost, &[(INT, 3), (TERM, 2), (Event::Timeout, 3)]);
}

/// 28 ends.
#[test]
fn of_hosts() {
    let ways = [(Event::Host, 6), (Event::Mpiexec, 5), (Event::Supervisor, 1)];
    end(Mode::Hosts, &ways);
    end(Mode::Hosts, &[(INT, 3), (TERM, 2), (Event::Timeout, 3)]);
    let ways = [
        (Event::Host, 3),
        (Event::Mpiexec, 2),
        (INT, 1),
        (TERM, 1),
        (Event::Timeout, 1),
    ];
    end(Mode::HostsOverTcp, &ways);
}

/// 38 ends.
#[test]
fn of_processes() {
    let ways = [(Event::Host, 8), (Event::Mpiexec, 6), (Event::Supervisor, 2)];
    end(Mode::Processes, &ways);
    end(Mode::Processes, &[(INT, 3), (TERM, 3), (Event::Timeout, 3)]);
    let ways = [
        (Event::Host, 2),
        (Event::Mpiexec, 3),
        (TERM, 1),
        (Event::Timeout, 1),
    ];
    end(Mode::Scripts, &ways);
    let ways = [
        (Event::Host, 2),
        (Event::Mpiexec, 2),
        (INT, 1),
        (Event::Timeout, 1),
    ];
    end(Mode::ProcessesOverTcp, &ways);
}

/// 16 ends.
#[test]
fn of_nodes() {
    let ways = [(Event::Host, 2), (Event::Agent, 3), (Event::Mpiexec, 2)];
    end(Mode::Nodes, &[&ways[..], &[(TERM, 1)]].concat());
    end(Mode::ProcessesOnNodes, &[&ways[..], &[(INT, 1)]].concat());
}
