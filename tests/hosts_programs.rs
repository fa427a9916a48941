//! The C test programs of `tests/c` with their ranks on several hosts, over shared memory and over libfabric.

use crate::programs;
use simurgh_testing::{Stage, passed};

/// Ranks, hosts, transport.
type Shape = (usize, &'static str, &'static str);

const SHAPES: [Shape; 3] = [(4, "2", "shm"), (9, "4", "shm"), (4, "2", "ofi")];

fn passes(program: &str, shapes: &[Shape], options: &[&str]) {
    let stage = Stage::locate();
    let binary = programs::build(&stage, program);
    for &(ranks, hosts, transport) in shapes {
        let mpiexec = stage.mpiexec(ranks);
        let outcome = mpiexec
            .options(["--hosts-per-node", hosts, "--transport", transport])
            .options(options)
            .run(&binary);
        outcome.expect_success();
        assert_eq!(outcome.stdout, passed(ranks), "{outcome}");
    }
}

programs!(tests passes [&SHAPES, &[]]);
agreeing_programs!(tests passes [&SHAPES, &["--check"]]);

/// All kinds of collectives of many ranks are under way between hosts at the same time.
#[test]
fn collectives_of_many_threads_and_ranks() {
    let shapes = [(16, "4", "ofi"), (16, "4", "shm"), (7, "7", "shm")];
    passes("collective_threads", &shapes, &[]);
}

/// Ranks hear of the mistakes of ranks of hosts that are not next to theirs.
#[test]
fn neighbours_of_many_hosts_agree_on_errors() {
    passes("neighbors", &[(16, "4", "shm"), (8, "8", "shm")], &["--check"]);
}

#[test]
fn hosts_that_outnumber_the_cores_take_turns_over_libfabric() {
    for program in ["communicators", "collectives", "exchange"] {
        passes(program, &[(9, "3", "ofi"), (8, "4", "ofi")], &[]);
    }
}
