//! Programs that are started without mpiexec, and ask for what only a launcher can do: other programs, ports, names.

use simurgh_testing::{Binary, Compile, Input, Outcome, Scratch, Signal, Stage, run, signal};
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

const MODES: [&str; 2] = ["threads", "processes"];

const LIMIT: Duration = Duration::from_secs(60);

/// How long anything may be there when the program has ended.
const SOON: Duration = Duration::from_secs(5);

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

fn outcome(command: &mut Command) -> Outcome {
    run(command, Input::Empty, LIMIT).unwrap()
}

#[test]
fn worlds_are_started_and_groups_meet() {
    for (program, mode) in ["mpi_spawn", "mpi_ports"].iter().zip(MODES) {
        let binary = build(program);
        let ended = outcome(&mut alone(&binary, mode, &[]));
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
        let ends = |behaviour| outcome(&mut alone(&binary, mode, &[behaviour]));
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
        // The shell has started the program, and learns how that has ended.
        ends("status").expect_code(0);
        assert_eq!(ends("stay").expect_success().stdout, "still there\n");
    }
}

/// A program whose children sleep, and what is to be read of it.
struct Running {
    program: Child,
    output: BufReader<ChildStdout>,
}

impl Running {
    fn start(binary: &Binary, mode: &str, arguments: &[&str]) -> Self {
        let mut command = alone(binary, mode, arguments);
        let mut program = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(program.stdout.take().unwrap());
        Self { program, output }
    }

    /// Until so many of them sleep.
    fn wait_for(&mut self, number: usize) {
        for _ in 0..number {
            let mut line = String::new();
            self.output.read_line(&mut line).unwrap();
            assert_eq!(line, "up\n");
        }
    }

    /// The exit status of the program, and what it wrote to its standard error, when nobody is left who could write to
    /// its output.
    fn end(mut self) -> (Option<i32>, String) {
        let start = Instant::now();
        let (mut rest, mut errors) = (String::new(), String::new());
        self.output.read_to_string(&mut rest).unwrap();
        self.program
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut errors)
            .unwrap();
        let status = self.program.wait().unwrap();
        assert!(start.elapsed() < SOON, "{:?}: {errors}", start.elapsed());
        (status.code(), errors)
    }
}

#[test]
fn nothing_is_left_when_the_program_is_killed() {
    let binary = build("spawn_end");
    for mode in MODES {
        let mut running = Running::start(&binary, mode, &["sleep"]);
        running.wait_for(2);
        signal(running.program.id(), Signal::KILL);
        let (status, errors) = running.end();
        assert_eq!(status, None);
        assert!(errors.contains("has ended in MPI_Finalize"), "{errors}");
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
        let (status, errors) = Running::start(&binary, mode, &["stay", what]).end();
        assert_eq!(status, Some(code), "{errors}");
        assert!(errors.contains(words), "{errors}");
    }
}

/// The processes of the mpiexec that a program has started: the one in front first.
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
        let mut running = Running::start(&binary, mode, &["sleep"]);
        running.wait_for(2);
        let launchers = launchers(running.program.id());
        assert_eq!(launchers.len(), 2);
        signal(launchers[place], Signal::KILL);
        let (status, errors) = running.end();
        assert_ne!(status, Some(0), "{errors}");
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
