//! A hundred jobs that are ended from outside, in all modes and at any time: each ends at once, with the right status
//! and message, and nothing is left of it.
//!
//! Leftovers are looked for in namespaces of the test (which need root; without, only processes are looked for):
//! processes with the job's mark in their environment, sockets of any kind, files in `/dev/shm` and in TMPDIR. Things
//! without a name, like memory files, go with the last process that has them.
//!
//! The moment of the end and the victim depend on the seed, SIMURGH_TEST_SEED. An end that takes too long is repeated,
//! since the machine may have been busy with something else for a moment; none may be late three times.

mod case;
mod mode;
mod sandbox;

use case::{Case, Event};
use mode::Mode;
use sandbox::Sandbox;
use simurgh_testing::{Compile, Random, Signal, Stage};
use std::time::Duration;

/// The longest time that an end may take, in virtual time.
const AT_ONCE: Duration = Duration::from_secs(1);

/// The number of times that an end may be late.
const ATTEMPTS: usize = 3;

const INT: Event = Event::Told(Signal::INT);
const TERM: Event = Event::Told(Signal::TERM);

/// The stages of ranks.
const STAGES: [&str; 7] = [
    "before",
    "start",
    "collectives",
    "transfers",
    "finalize",
    "after",
    "computing",
];

/// Ends jobs of a mode so many times in each way, at one stage after another.
#[track_caller]
fn end(mode: Mode, ways: &[(Event, usize)]) {
    let program = Compile::c("tests/c/ends.c").against(&Stage::locate()).build();
    let sandbox = Sandbox::new();
    let first = Random::sequence(0).index(STAGES.len());
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
        let late: Vec<_> = std::iter::repeat_with(|| case.run(&sandbox, &program))
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
