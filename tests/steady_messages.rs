//! Steady messages between hosts allocate nothing, and make no system call while both ranks are at it. None leaves
//! memory behind.

use simurgh_testing::{Binary, Compile, Input, LIMIT, Stage, behind, run};

fn program(stage: &Stage) -> Binary {
    Compile::c("tests/c/steady_messages.c")
        .flags(["-O1", "-Wall", "-Wextra", "-Werror"])
        .against(stage)
        .build()
}

fn are_steady(options: &[&str], arguments: &[&str]) {
    let stage = Stage::locate();
    let run = stage.mpiexec(2).vps(1).options(options);
    run.args(arguments).run(&program(&stage)).expect_success();
}

/// The first of the cores that this process may use.
fn first_core() -> String {
    let status = std::fs::read_to_string("/proc/self/status").expect("the system tells");
    let cores = status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"))
        .expect("it tells the cores");
    cores.trim().chars().take_while(char::is_ascii_digit).collect()
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

/// Each message finds its receiver asleep in the kernel.
#[test]
fn ranks_that_sleep_for_each_message_allocate_nothing() {
    let stage = Stage::locate();
    let mpiexec = stage.mpiexec(2).vps(1).options(["--hosts-per-node", "2"]);
    let program = program(&stage);
    let command = mpiexec.command(&program);
    let mut confined = behind(["taskset", "-c", &first_core()], &command);
    let outcome = run(&mut confined, Input::Empty, LIMIT).expect("taskset is part of Debian");
    outcome.expect_success();
}
