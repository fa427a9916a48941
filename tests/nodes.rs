//! Jobs on several nodes, each of which has an agent. This machine stands for all of them: by the launcher `fork`, or
//! by a script in the place of ssh. Other tests have network namespaces, sshd and Slurm.

use simurgh_testing::{
    AT_ONCE, Binary, Compile, Input, LIMIT, Outcome, Scratch, Signal, Stage, Started, TCP, children,
    is_alive, run, signal, sums, supervisor, until,
};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

fn plain() -> Binary {
    Compile::c("tests/c/launch_plain.c").build()
}

fn mpi() -> Binary {
    Compile::c("tests/c/launch_mpi.c")
        .against(&Stage::locate())
        .build()
}

/// A run without a number of ranks.
fn unnumbered(options: &[&str], program: &Binary, arguments: &[&str]) -> Outcome {
    let mut command = Command::new(Stage::locate().tool("mpiexec"));
    command
        .args(TCP)
        .args(options)
        .arg(program.path())
        .args(arguments);
    run(&mut command, Input::Empty, LIMIT).unwrap()
}

/// A run with a number of ranks.
fn on(options: &[&str], ranks: usize, program: &Binary, arguments: &[&str]) -> Outcome {
    let mpiexec = Stage::locate().mpiexec(ranks).options(TCP).options(options);
    mpiexec.args(arguments).input("a\nb\n").run(program)
}

/// A script in the place of ssh: it gets the name of a node and a command.
fn script(scratch: &Scratch, text: &str) -> PathBuf {
    scratch.write_program("reach", &format!("#!/bin/sh\nnode=$1; shift\n{text}\n"))
}

fn shown(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn ranks_are_shared_out_among_nodes() {
    let scratch = Scratch::new("hostfile");
    let file = scratch.write("nodes", "# two\na slots=2\nb:1\n");
    let file = shown(&file);
    for (options, ranks) in [
        (vec!["-hosts", "a:2,b"], 3),
        (vec!["-hostfile", file], 3),
        (vec!["-machinefile", file, "-ppn", "2"], 4),
        (
            vec!["-H", "n[1-2]", "--map-by", "ppr:1:node", "--bind-to", "core"],
            2,
        ),
    ] {
        let options = [&["--launcher", "fork"], &options[..]].concat();
        let outcome = unnumbered(&options, &mpi(), &[]);
        assert_eq!(outcome.expect_success().sorted_lines(), sums(ranks), "{outcome}");
    }
}

#[test]
fn agents_start_agents_and_the_environment_goes_with_the_job() {
    let scratch = Scratch::new("tree");
    let reach = script(&scratch, "exec env -i NODE=$node PATH=\"$PATH\" \"$@\"");
    let options = [
        "--launcher-exec",
        shown(&reach),
        "--tree-width",
        "2",
        "-l",
        "-hosts",
        "n[1-6]",
    ];
    let stage = Stage::locate();
    let mpiexec = stage.mpiexec(6).options(TCP).options(options);
    let outcome = mpiexec.env("SHOWN", "x y").args(["env", "SHOWN"]).run(&plain());
    let expected: Vec<_> = (0..6).map(|rank| format!("[{rank}] SHOWN=x y")).collect();
    assert_eq!(outcome.expect_success().sorted_lines(), expected);
    outcome.expect_no_complaints();
}

#[test]
fn rank_0_reads_and_lines_stay_whole() {
    let fork = ["--launcher", "fork", "-hosts", "a,b", "-l"];
    let outcome = on(&fork, 3, &plain(), &["stdin"]);
    let lines = ["[0] 2 lines", "[1] 0 lines", "[2] 0 lines"];
    assert_eq!(outcome.expect_success().sorted_lines(), lines);
    let local = on(&["-l", "--mode", "processes"], 3, &plain(), &["stdin"]);
    assert_eq!(local.expect_success().sorted_lines(), lines);
    let program = Compile::c("tests/c/launch_lines.c").build();
    let outcome = on(&fork[..4], 4, &program, &[]);
    let text = &outcome.expect_success().stdout;
    let whole = |line: &str| line.len() == 20_000 && line.bytes().all(|byte| byte == line.as_bytes()[0]);
    assert!(text.lines().count() == 4 * 20 && text.lines().all(whole));
}

#[test]
fn a_job_ends_on_all_nodes_with_its_status_and_one_reason() {
    let fork = ["--launcher", "fork", "-hosts", "a,b"];
    on(&fork, 4, &plain(), &["exit", "3"]).expect_code(3);
    let outcome = on(&fork, 4, &mpi(), &["abort", "7"]);
    outcome.expect_code(7);
    assert_eq!(
        outcome.stderr,
        "simurgh: rank 1 ended the job with code 7: it called MPI_Abort\n"
    );
    on(&fork, 4, &mpi(), &["wait"])
        .expect_code(125)
        .expect_stderr("deadlock: every rank waits")
        .expect_stderr("host 0 (ranks 0-1 on a): ")
        .expect_stderr("host 1 (ranks 2-3 on b): ");
    let timed = [&fork[..], &["--timeout", "0.5"]].concat();
    let program = Compile::c("tests/c/launch_wait.c").build();
    on(&timed, 2, &program, &[])
        .expect_code(124)
        .expect_stderr("the job has run for 0.5 s, its time limit");
}

#[test]
fn a_node_that_cannot_be_reached_is_named_with_what_the_launcher_says() {
    let scratch = Scratch::new("unreachable");
    let with = |text: &str, more: &[&str]| {
        let reach = script(&scratch, text);
        let options = [&["--launcher-exec", shown(&reach), "-hosts", "a,b"], more].concat();
        on(&options, 2, &plain(), &[])
    };
    with(
        "[ $node = a ] && exec \"$@\"; echo no route to $node >&2; exit 9",
        &[],
    )
    .expect_code(1)
    .expect_stderr("simurgh: node b: ")
    .expect_stderr("/reach ended with status 9: no route to b\n");
    with("echo Welcome; exec \"$@\"", &[])
        .expect_code(1)
        .expect_stderr(
            "\"Welcome\" came instead of a message: the startup files of the login shell must not print anything",
        );
    let slow = with(
        "[ $node = a ] && exec \"$@\"; exec sleep 100",
        &["--start-timeout", "1"],
    );
    slow.expect_code(1);
    let told = ["simurgh: starting for ", ": node b has not answered ", "/reach\n"];
    assert!(told.iter().all(|told| slow.starting.contains(told)), "{slow}");
    slow.expect_stderr("/reach within 1 s; --start-timeout gives it more time");
    on(
        &["--launcher-exec", "/no/such", "-hosts", "a,b"],
        2,
        &plain(),
        &[],
    )
    .expect_code(1)
    .expect_stderr("node a: /no/such: No such file or directory");
}

#[test]
fn what_makes_no_sense_is_refused_with_a_word() {
    let refused = |options: &[&str], words: &str| {
        let outcome = on(options, 2, &plain(), &[]);
        outcome.expect_code(2).expect_stderr(words);
        assert_eq!(outcome.stderr.lines().count(), 1, "{outcome}");
    };
    refused(&["-hosts", "a,,b"], "\"a,,b\" is not a list of host names");
    refused(&["-hosts", "-oProxyCommand=x"], "is not a list of host names");
    refused(&["-hostfile", "/no/such"], "/no/such: No such file");
    refused(
        &["--map-by", "rack"],
        "\"rack\" is not slot, node, ppr:N:node, hwthread, core",
    );
    refused(
        &["--rank-by", "rack"],
        "\"rack\" is not slot, fill, node, hwthread, core",
    );
    refused(
        &["--bind-to", "rack"],
        "\"rack\" is not auto, none, hwthread, core",
    );
    refused(&["--launcher", "rsh"], "auto, fork, ssh or slurm");
    refused(&["--cpu-list", "x"], "a list of processors such as 0-3,6");
    on(&["--cpu-list", "1000"], 1, &plain(), &[])
        .expect_code(1)
        .expect_stderr("processor 1000 is not among those that may be used here");
}

#[test]
fn nodes_can_take_turns() {
    let turns = ["--launcher", "fork", "-hosts", "a:1,b:3,c:2", "--map-by", "node"];
    // Nodes take turns while they have places; then all have places again.
    let nodes = ["a", "b", "c", "b", "c", "b", "a", "b"];
    let outcome = on(&turns, 8, &mpi(), &["wait"]);
    outcome.expect_code(125);
    for (rank, node) in nodes.iter().enumerate() {
        outcome.expect_stderr(&format!("host {rank} (rank {rank} on {node}): "));
    }
    let processes = [&turns[..], &["--mode", "processes", "-l"]].concat();
    let outcome = on(&processes, 8, &plain(), &["env", "MPI_LOCALRANKID"]);
    let expected = |rank: usize| {
        let earlier = nodes[..rank].iter().filter(|node| **node == nodes[rank]);
        format!("[{rank}] MPI_LOCALRANKID={}", earlier.count())
    };
    let expected: Vec<_> = (0..8).map(expected).collect();
    assert_eq!(outcome.expect_success().sorted_lines(), expected);
    on(&processes, 6, &mpi(), &[]).expect_success();
}

/// A job on two nodes, whose ranks have printed that they are up.
struct Job {
    mpiexec: Started,
    agents: Vec<u32>,
    _program: Binary,
}

impl Job {
    /// Four ranks.
    fn start() -> Self {
        Self::of(Compile::c("tests/c/launch_wait.c").build(), 4, 4)
    }

    /// Two ranks, and two that they have started.
    fn start_two_worlds() -> Self {
        let program = Compile::c("tests/c/spawn_end.c").against(&Stage::locate());
        Self::of(program.build(), 2, 2)
    }

    /// So many ranks; of these or their children so many print that they are up.
    fn of(program: Binary, ranks: usize, up: usize) -> Self {
        Self::with(&[], program, ranks, up)
    }

    /// The same with options of mpiexec.
    fn with(options: &[&str], program: Binary, ranks: usize, up: usize) -> Self {
        let mpiexec = Stage::locate().mpiexec(ranks).options(TCP).options(options);
        let mpiexec = mpiexec.options(["--launcher", "fork", "-hosts", "a,b", "--mode", "threads"]);
        let mut mpiexec = Started::new(&mpiexec.args(["sleep"]).command(&program));
        mpiexec.says(&"up\n".repeat(up));
        Self {
            agents: children(supervisor(mpiexec.id())),
            mpiexec,
            _program: program,
        }
    }

    /// Expects the end at once, with this status; returns the message.
    #[track_caller]
    fn ends(self, code: Option<i32>) -> String {
        self.ends_after(Duration::ZERO, code)
    }

    /// The same after this time.
    #[track_caller]
    fn ends_after(self, time: Duration, code: Option<i32>) -> String {
        let agents = self.agents;
        let hosts: Vec<_> = agents.iter().flat_map(|&agent| children(agent)).collect();
        let outcome = self.mpiexec.ends(LIMIT);
        outcome.expect_end_after(time);
        assert_eq!(outcome.status.code(), code, "{outcome}");
        let is_over = || !agents.iter().chain(&hosts).any(|&process| is_alive(process));
        assert!(until(AT_ONCE, is_over), "{outcome}");
        outcome.stderr
    }
}

#[test]
fn the_loss_of_an_agent_ends_the_job_everywhere() {
    let job = Job::start();
    signal(job.agents[1], Signal::KILL);
    let text = job.ends(Some(137));
    assert!(
        text.starts_with("simurgh: node b: ") && text.contains("was killed by signal 9"),
        "{text}"
    );
    assert_eq!(text.lines().count(), 1, "{text}");
}

#[test]
fn the_loss_of_a_host_ends_the_job_everywhere() {
    let job = Job::start();
    signal(children(job.agents[1])[0], Signal::KILL);
    let text = job.ends(Some(137));
    assert_eq!(text, "simurgh: host 1 (ranks 2-3 on b) was killed by signal 9\n");
}

#[test]
fn the_loss_of_mpiexec_ends_the_job_everywhere() {
    let job = Job::start();
    signal(job.mpiexec.id(), Signal::KILL);
    job.ends(None);
}

#[test]
fn a_stopped_agent_ends_with_mpiexec() {
    let job = Job::start();
    signal(job.agents[1], Signal::STOP);
    signal(job.mpiexec.id(), Signal::KILL);
    job.ends(None);
}

#[test]
fn signals_go_to_all_nodes() {
    for (which, code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let job = Job::start();
        signal(job.mpiexec.id(), which);
        assert_eq!(job.ends(Some(code)), "");
    }
}

#[test]
fn worlds_that_ranks_have_started_end_with_the_job_everywhere() {
    let job = Job::start_two_worlds();
    signal(job.agents[1], Signal::KILL);
    let text = job.ends(Some(137));
    assert!(text.starts_with("simurgh: node b: "), "{text}");

    let job = Job::start_two_worlds();
    signal(children(job.agents[1])[1], Signal::KILL);
    let text = job.ends(Some(137));
    assert_eq!(
        text,
        "simurgh: host 3 (rank 1 of world 1 on b) was killed by signal 9\n"
    );

    let job = Job::start_two_worlds();
    signal(job.mpiexec.id(), Signal::KILL);
    job.ends(None);

    let job = Job::start_two_worlds();
    signal(job.mpiexec.id(), Signal::INT);
    assert_eq!(job.ends(Some(130)), "");
}

/// The time is long enough for the other node to be heard, however busy the machine is.
#[test]
fn an_agent_that_is_stopped_is_missed() {
    let program = Compile::c("tests/c/launch_wait.c").build();
    let job = Job::with(&["--peer-timeout", "3"], program, 2, 2);
    signal(job.agents[1], Signal::STOP);
    let text = job.ends_after(Duration::from_secs(3), Some(1));
    assert_eq!(
        text,
        "simurgh: node b has given no sign of life for 3 s (--peer-timeout)\n"
    );
}
