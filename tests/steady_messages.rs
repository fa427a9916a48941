//! Steady messages between hosts allocate nothing, and make no system call while both ranks are at it. None leaves
//! memory behind.

use simurgh_testing::{Compile, Stage};

fn are_steady(options: &[&str], arguments: &[&str]) {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/steady_messages.c")
        .flags(["-O1", "-Wall", "-Wextra", "-Werror"])
        .against(&stage)
        .build();
    let run = stage.mpiexec(2).vps(1).options(options);
    run.args(arguments).run(&program).expect_success();
}

/// The variants run one after the other: where there is a core for each rank, ranks poll before they sleep. For long
/// messages libfabric wants memory registered, which takes some.
#[test]
fn messages_allocate_nothing_and_stay_out_of_the_kernel() {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let counted: &[&str] = if cores < 2 { &[] } else { &["calls"] };
    let hosts = ["--hosts-per-node", "2"];
    are_steady(&[hosts, ["--cross-memory", "off"]].concat(), counted);
    are_steady(&[hosts, ["--cross-memory", "on"]].concat(), &[]);
    are_steady(&[hosts, ["--transport", "ofi"]].concat(), &["short"]);
    // Each rank has its process to itself.
    are_steady(&["--mode", "processes"], &["memory"]);
}
