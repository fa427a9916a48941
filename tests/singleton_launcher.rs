//! Programs that are started without mpiexec, and use what only a launcher can do: spawning, ports, names.

use simurgh_testing::{AT_ONCE, Binary, Compile, LIMIT, Outcome, Scratch, Signal, Stage, Started, signal};
use std::process::Command;

const MODES: [&str; 2] = ["threads", "processes"];

fn build(program: &str) -> Binary {
    Compile::c(format!("tests/c/{program}.c"))
        .flags(["-O1", "-Wall", "-Werror", "-pthread"])
        .against(&Stage::locate())
        .build()
}

/// The program as a user starts it; `mode` is that of the programs that it starts.
fn alone(binary: &Binary, mode: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(binary);
    command
        .args(arguments)
        .env("LD_LIBRARY_PATH", Stage::locate().lib())
        .env("SIMURGH_MODE", mode);
    command
}

/// Its outcome when nobody is left who could write to its output: its launcher outlives the program.
fn outcome(command: &Command) -> Outcome {
    Started::new(command).ends(LIMIT)
}

#[test]
fn worlds_are_started_and_groups_meet() {
    for (program, mode) in ["mpi_spawn", "mpi_ports"].iter().zip(MODES) {
        let binary = build(program);
        let ended = outcome(&alone(&binary, mode, &[]));
        assert_eq!(ended.expect_success().stdout, "passed with 1 ranks\n", "{ended}");
    }
}

#[test]
fn threads_ask_at_once_and_no_child_is_left_to_wait_for() {
    let binary = build("spawn_alone");
    for transport in ["shm", "ofi"] {
        let mut command = alone(&binary, "threads", &[]);
        let ended = outcome(command.env("SIMURGH_TRANSPORT", transport));
        assert_eq!(ended.expect_success().stdout, "passed\n", "{ended}");
    }
}

#[test]
fn the_end_of_those_who_have_been_started_is_that_of_a_job() {
    let binary = build("spawn_end");
    for mode in MODES {
        let ends = |behaviour| outcome(&alone(&binary, mode, &[behaviour]));
        let crash = ends("crash");
        assert!(
            ["SIGSEGV", "signal 11"]
                .iter()
                .any(|what| crash.stderr.contains(what)),
            "{crash}"
        );
        crash.expect_code(1);
        ends("abort")
            .expect_code(1)
            .expect_stderr("rank 1.1 ended the job with code 7");
        // The shell has started the program, and gets its exit status.
        ends("status").expect_code(0);
        assert_eq!(ends("stay").expect_success().stdout, "still there\n");
    }
}

/// Starts a program with children that sleep, and waits until they do.
fn asleep(binary: &Binary, mode: &str) -> Started {
    let mut started = Started::new(&alone(binary, mode, &["sleep"]));
    started.says("up\nup\n");
    started
}

#[test]
fn nothing_is_left_when_the_program_is_killed() {
    let binary = build("spawn_end");
    for mode in MODES {
        let program = asleep(&binary, mode);
        signal(program.id(), Signal::KILL);
        let ended = program.ends(AT_ONCE);
        ended.expect_code(137).expect_stderr("has ended in MPI_Finalize");
    }
}

#[test]
fn nothing_is_left_when_the_program_does_not_finalize() {
    let binary = build("spawn_end");
    for (mode, (what, code, words)) in MODES.into_iter().zip([
        ("quit", 3, "has ended without calling MPI_Finalize"),
        (
            "give up",
            4,
            "rank 0 ended the job with code 4: it called MPI_Abort",
        ),
    ]) {
        let ended = Started::new(&alone(&binary, mode, &["stay", what])).ends(AT_ONCE);
        ended.expect_code(code).expect_stderr(words);
    }
}

/// The processes of the mpiexec that a program has started, the front first.
fn launchers(program: u32) -> Vec<u32> {
    let word = format!("--take-over=/proc/{program}/");
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(|entry| {
        let process = entry.ok()?.file_name().to_str()?.parse::<u32>().ok()?;
        let words = std::fs::read(format!("/proc/{process}/cmdline")).ok()?;
        let words = String::from_utf8_lossy(&words).into_owned();
        words
            .contains(&word)
            .then(|| (words.contains("--behind="), process))
    });
    let mut found: Vec<_> = processes.collect();
    found.sort_unstable();
    found.into_iter().map(|(_, process)| process).collect()
}

#[test]
fn nothing_is_left_when_mpiexec_is_killed() {
    let binary = build("spawn_end");
    for (mode, place) in MODES.into_iter().zip([0, 1]) {
        let program = asleep(&binary, mode);
        let launchers = launchers(program.id());
        assert_eq!(launchers.len(), 2);
        signal(launchers[place], Signal::KILL);
        let ended = program.ends(AT_ONCE);
        assert!(!ended.success(), "{ended}");
    }
}

#[test]
fn without_an_mpiexec_to_start_the_remedy_is_told() {
    let stage = Stage::locate();
    let scratch = Scratch::new("alone");
    let copy = scratch.path().join("lib");
    std::fs::create_dir(&copy).unwrap();
    let copied = std::fs::hard_link(stage.lib().join("libmpi_abi.so.1"), copy.join("libmpi_abi.so.1"));
    copied.expect("scratch directories are on the file system of the stage");
    let binary = build("spawn_alone");
    let mut command = alone(&binary, "threads", &[]);
    let ended = outcome(command.env("LD_LIBRARY_PATH", &copy));
    assert!(!ended.success());
    ended
        .expect_stderr("MPI_ERR_PORT")
        .expect_stderr("start the program with \"mpiexec -n 1\"");
}
