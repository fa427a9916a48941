//! Jobs of several hosts on one node under `mpiexec`.

use simurgh_testing::{
    Binary, Compile, LIMIT, Outcome, Signal, Stage, Started, children, signal, supervisor,
};
use std::io::Read;
use std::process::{Command, Stdio};
use std::time::Duration;

fn plain() -> Binary {
    Compile::c("tests/c/launch_plain.c").build()
}

fn hosts(ranks: usize, hosts: usize, arguments: &[&str]) -> Outcome {
    let mpiexec = Stage::locate().mpiexec(ranks);
    let mpiexec = mpiexec.options(["-l", "--hosts-per-node", &hosts.to_string()]);
    mpiexec.args(arguments).input("a\nb\n").run(&plain())
}

#[test]
fn every_rank_runs_once_wherever_it_lives() {
    for (ranks, count) in [(4, 2), (7, 3), (2, 5), (16, 4)] {
        let outcome = hosts(ranks, count, &["x"]);
        let mut ranks: Vec<_> = (0..ranks).map(|rank| format!("[{rank}] ")).collect();
        ranks.sort_unstable();
        let lines = outcome.expect_success().sorted_lines();
        assert_eq!(lines.len(), ranks.len(), "{outcome}");
        assert!(
            lines
                .iter()
                .zip(&ranks)
                .all(|(line, rank)| line.starts_with(rank)),
            "{outcome}"
        );
        assert_eq!(outcome.stderr, "");
    }
}

#[test]
fn rank_0_reads_the_input_and_a_failure_anywhere_is_the_jobs() {
    let lines = hosts(3, 3, &["stdin"]);
    assert_eq!(
        lines.expect_success().sorted_lines(),
        ["[0] 2 lines", "[1] 0 lines", "[2] 0 lines"]
    );
    hosts(4, 2, &["exit", "3"]).expect_code(3);
    hosts(4, 2, &["tls"]).expect_success();
}

#[test]
fn a_variable_asks_for_hosts_too() {
    let mpiexec = Stage::locate().mpiexec(4).env("SIMURGH_HOSTS_PER_NODE", "2");
    let outcome = mpiexec.options(["--stats"]).run(&plain());
    outcome
        .expect_success()
        .expect_stderr("statistics of host 0, 2 ranks")
        .expect_stderr("statistics of host 1, 2 ranks");
}

/// A ring of 8 ranks on 2 and 4 hosts: what one host sends, another receives.
#[test]
fn statistics_of_the_network_add_up() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/launch_mpi.c").against(&stage).build();
    for hosts in ["2", "4"] {
        let mpiexec = stage.mpiexec(8).options(["--hosts-per-node", hosts, "--stats"]);
        let outcome = mpiexec.run(&program);
        outcome.expect_success();
        let figures = |word: &str| -> Vec<u64> {
            let found = outcome.stderr.split(word).skip(1);
            let figure = |rest: &str| rest.split_whitespace().next()?.trim_end_matches(';').parse().ok();
            found.filter_map(figure).collect()
        };
        let (sent, received, dropped) = (figures(": sent "), figures(", received "), figures(", dropped "));
        assert_eq!(sent.len().to_string(), hosts, "{outcome}");
        assert!(sent.iter().all(|packets| *packets > 0), "{outcome}");
        assert_eq!(
            sent.iter().sum::<u64>(),
            received.iter().sum::<u64>(),
            "{outcome}"
        );
        assert_eq!(dropped.iter().sum::<u64>(), 0, "{outcome}");
        outcome.expect_stderr("; 0 sends found their window used up");
    }
}

#[test]
fn lines_of_different_hosts_do_not_mix() {
    let program = Compile::c("tests/c/launch_lines.c").build();
    let mpiexec = Stage::locate().mpiexec(4).options(["--hosts-per-node", "4"]);
    let mut child = mpiexec.command(&program).stdout(Stdio::piped()).spawn().unwrap();
    // A pipe mixes pieces that are longer than its capacity.
    let mut text = String::new();
    let read = child.stdout.take().unwrap().read_to_string(&mut text);
    assert!(read.is_ok() && child.wait().unwrap().success());
    let whole = |line: &str| line.len() == 20_000 && line.bytes().all(|byte| byte == line.as_bytes()[0]);
    assert!(text.lines().count() == 4 * 20 && text.lines().all(whole));
}

#[test]
fn hosts_are_started_through_a_command() {
    let through = |command: &str, arguments: &[&str]| {
        let mpiexec = Stage::locate().mpiexec(4);
        let mpiexec = mpiexec.options(["--hosts-per-node", "2", "--host-wrapper", command]);
        mpiexec.args(arguments).run(&plain())
    };
    let shown = through("env SHOWN=number{host}", &["env", "SHOWN"]);
    assert_eq!(
        shown.expect_success().sorted_lines(),
        ["SHOWN=number0", "SHOWN=number0", "SHOWN=number1", "SHOWN=number1"]
    );
    // A process that stays in between.
    through("setsid -w", &["x"]).expect_success();
    through("true", &["x"])
        .expect_code(1)
        .expect_stderr(") ended with status 0, before it joined")
        .expect_stderr("--host-wrapper");
    through("/no/such/command", &["x"])
        .expect_code(1)
        .expect_stderr("/no/such/command: the host process cannot be started");
}

#[test]
fn a_host_that_does_not_come_is_named_in_time() {
    let mpiexec = Stage::locate().mpiexec(2);
    let mpiexec = mpiexec.options(["--hosts-per-node", "2", "--start-timeout", "0.5"]);
    let mpiexec = mpiexec.options([
        "--host-wrapper",
        "sh -c \"test{host}=1\";exec${IFS}sleep${IFS}100",
    ]);
    mpiexec
        .run(&plain())
        .expect_code(1)
        .expect_stderr("has not joined the job within 0.5 s; --start-timeout gives it more time");
}

#[test]
fn hosts_that_wait_for_each_other_are_recognised_whoever_drives_the_network() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/launch_mpi.c").against(&stage).build();
    let ways = ["shm", "ofi"]
        .map(|transport| ["wq", "nd", "nd+wq", "sleep", "affine"].map(|policy| (transport, policy)));
    for (transport, policy) in ways.into_iter().flatten() {
        let hosts = ["--hosts-per-node", "2", "--transport", transport];
        let mpiexec = stage.mpiexec(4).options(hosts).options(["--policy", policy]);
        mpiexec
            .args(["wait"])
            .run(&program)
            .expect_code(125)
            .expect_stderr("deadlock: every rank waits and none can go on")
            .expect_stderr("host 0 (ranks 0-1): of 2 ranks these have not ended: 0-1")
            .expect_stderr("rank 1 waits in a receive from rank 0 with tag 99")
            .expect_stderr("host 1 (ranks 2-3): of 2 ranks these have not ended: 2-3");
    }
}

/// The provider net of libfabric 1.17 cannot be waited for: a host polls again and again, and finds nothing.
#[test]
fn hosts_that_wait_for_each_other_are_recognised_where_the_network_has_to_be_looked_at() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/launch_mpi.c").against(&stage).build();
    for policy in ["wq", "nd"] {
        let hosts = ["--hosts-per-node", "2", "--transport", "ofi", "--provider", "net"];
        let mpiexec = stage.mpiexec(4).options(hosts).options(["--policy", policy]);
        let outcome = mpiexec.args(["wait"]).run(&program);
        if outcome.stderr.contains("no provider") {
            eprintln!("skipped: libfabric has no provider net here");
            return;
        }
        outcome
            .expect_code(125)
            .expect_stderr("deadlock: every rank waits and none can go on")
            .expect_stderr("rank 1 waits in a receive from rank 0 with tag 99");
    }
}

#[test]
fn a_sender_that_waits_because_too_much_is_unreceived_is_told_from_others() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/launch_mpi.c").against(&stage).build();
    let mpiexec = stage
        .mpiexec(2)
        .options(["--hosts-per-node", "2", "--eager-window", "10K"]);
    mpiexec
        .args(["flood"])
        .run(&program)
        .expect_code(125)
        .expect_stderr("rank 0 waits in a send to rank 1 with tag 7, since too much lies unreceived")
        .expect_stderr("eager-window");
}

/// While hosts connect, libfabric's rxm refuses to be waited for. A host that tries again and again meanwhile goes to
/// sleep hundreds of times or more.
#[test]
fn hosts_that_connect_over_libfabric_do_not_keep_the_core() {
    const SLEEPS_MAX: u32 = 300;
    let stage = Stage::locate();
    let program = Compile::c("tests/c/launch_mpi.c").against(&stage).build();
    let mpiexec = stage.mpiexec(8).options(["--hosts-per-node", "4", "--stats"]);
    let outcome = mpiexec.options(["--transport", "ofi"]).run(&program);
    outcome.expect_success();
    let sleeps: Vec<u32> = outcome
        .stderr
        .split("slept ")
        .skip(1)
        .filter_map(|rest| rest.split_once(" times")?.0.parse().ok())
        .collect();
    assert!(
        sleeps.len() >= 4 && sleeps.iter().all(|sleeps| *sleeps < SLEEPS_MAX),
        "{outcome}"
    );
}

/// A job whose ranks are up.
struct Job(Started);

impl Job {
    /// Two hosts with a rank each, which wait.
    fn start(how: &str) -> Self {
        Self::start_with(&[], how)
    }

    /// The same, with options of mpiexec.
    fn start_with(options: &[&str], how: &str) -> Self {
        let program = Compile::c("tests/c/launch_wait.c").build();
        let mpiexec = Stage::locate().mpiexec(2).options(["--hosts-per-node", "2"]);
        let mpiexec = mpiexec.options(options).args([how]);
        Self::begin(&mpiexec.command(&program), "up\nup\n")
    }

    /// A job that prints a line when it is up.
    fn begin(command: &Command, up: &str) -> Self {
        let mut mpiexec = Started::new(command);
        mpiexec.says(up);
        Self(mpiexec)
    }

    fn host(&self, number: usize) -> u32 {
        children(supervisor(self.0.id()))[number]
    }

    /// Waits for the end of the job and of all its processes; returns its output.
    #[track_caller]
    fn ends(self, code: i32) -> (String, String) {
        let outcome = self.0.ends(LIMIT);
        outcome.expect_code(code);
        outcome.expect_end_after(Duration::ZERO);
        (outcome.stdout, outcome.stderr)
    }
}

/// Repeated, since the mistake may happen only once in a while.
#[test]
fn jobs_start_and_end_in_the_same_way_each_time() {
    let stage = Stage::locate();
    let [ways, exchange] = ["launch_mpi", "launch_exchange"].map(|name| {
        let program = Compile::c(format!("tests/c/{name}.c"));
        program.against(&stage).build()
    });
    for (transport, rounds) in [("shm", 12), ("ofi", 2)] {
        let options = ["--hosts-per-node", "4", "--transport", transport];
        let mpiexec = || stage.mpiexec(8).options(options);
        for host in (0..4).cycle().take(rounds) {
            let outcome = mpiexec().run(&ways);
            assert_eq!(outcome.expect_success().sorted_lines().len(), 8, "{outcome}");
            let aborted = mpiexec().args(["abort", "7"]).run(&ways);
            aborted
                .expect_code(7)
                .expect_stderr("simurgh: rank 1 ended the job with code 7: it called MPI_Abort\n");
            let job = Job::begin(&mpiexec().command(&exchange), "up\n");
            signal(job.host(host), Signal::KILL);
            let (_, err) = job.ends(137);
            let ranks = format!("ranks {}-{}", 2 * host, 2 * host + 1);
            assert_eq!(
                err,
                format!("simurgh: host {host} ({ranks}) was killed by signal 9\n")
            );
        }
    }
}

/// No program of the user has been started that could determine the status.
#[test]
fn a_signal_that_comes_while_hosts_look_for_each_other_is_the_status() {
    let wrapper = "sh -c trap${IFS}\"\"${IFS}TERM;echo${IFS}up;sleep${IFS}100";
    let mpiexec = Stage::locate().mpiexec(2);
    let mpiexec = mpiexec.options(["--hosts-per-node", "2", "--host-wrapper", wrapper]);
    let job = Job::begin(&mpiexec.command(&plain()), "up\nup\n");
    signal(job.0.id(), Signal::TERM);
    job.ends(143);
}

#[test]
fn a_killed_host_is_named_and_the_others_end() {
    for number in 0..2 {
        let job = Job::start("");
        signal(job.host(number), Signal::KILL);
        let (out, err) = job.ends(137);
        let told = format!("simurgh: host {number} (rank {number}) was killed by signal 9\n");
        assert_eq!(err, told);
        assert_eq!(out, "not finished\n", "the other one's output");
    }
}

#[test]
fn signals_end_all_hosts() {
    for (which, code) in [(Signal::TERM, 143), (Signal::INT, 130)] {
        let job = Job::start("");
        signal(job.0.id(), which);
        let (out, err) = job.ends(code);
        assert_eq!((out.as_str(), err.as_str()), ("not finished\nnot finished\n", ""));
    }
    let job = Job::start("stubborn");
    signal(job.0.id(), Signal::TERM);
    job.ends(137);
    let job = Job::start("parent");
    signal(job.0.id(), Signal::TERM);
    job.ends(143);
}

#[test]
fn killing_the_launcher_leaves_nothing() {
    let job = Job::start("");
    signal(job.0.id(), Signal::KILL);
    job.ends(137);
}

#[test]
fn a_crash_on_any_host_is_told_once() {
    let program = Compile::c("tests/c/launch_crash.c").flags(["-g"]).build();
    let mpiexec = Stage::locate().mpiexec(4).options(["--hosts-per-node", "4"]);
    let outcome = mpiexec.args(["segv"]).run(&program);
    outcome.expect_code(139).expect_stderr("simurgh: rank ");
    assert_eq!(outcome.stderr.matches("simurgh: ").count(), 1, "{outcome}");
}

#[test]
fn the_time_limit_asks_all_hosts() {
    let program = Compile::c("tests/c/launch_wait.c").build();
    let mpiexec = Stage::locate()
        .mpiexec(2)
        .options(["--hosts-per-node", "2", "--timeout", "1"]);
    let outcome = mpiexec.run(&program);
    outcome
        .expect_code(124)
        .expect_stderr("the job has run for 1 s, its time limit\n")
        .expect_stderr("host 0 (rank 0): of 1 ranks these have not ended: 0\n")
        .expect_stderr("host 1 (rank 1): of 1 ranks these have not ended: 1\n")
        .expect_end_after(Duration::from_secs(1));
}

/// The others have one, and all end.
#[test]
fn a_host_that_has_been_stopped_does_not_say_what_its_ranks_wait_for() {
    let job = Job::start_with(&["--timeout", "1"], "");
    signal(job.host(1), Signal::STOP);
    job.0
        .ends(LIMIT)
        .expect_code(124)
        .expect_stderr("\nhost 0 (rank 0): of 1 ranks these have not ended: 0\n")
        .expect_stderr("\nhost 1 (rank 1) does not answer\n");
}

#[test]
fn a_rank_that_gives_up_ends_all_hosts_with_one_message() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/launch_mpi.c").against(&stage).build();
    for (way, message) in [
        ("abort", "rank 1 ended the job with code 7"),
        (
            "exit",
            "launch_mpi) ended with status 7 without calling MPI_Finalize",
        ),
    ] {
        for transport in ["shm", "ofi"] {
            let mpiexec = stage
                .mpiexec(3)
                .options(["--hosts-per-node", "3", "--transport", transport]);
            let outcome = mpiexec.args([way, "7"]).run(&program);
            outcome.expect_code(7).expect_stderr(message);
            assert_eq!(outcome.stderr.matches("simurgh: ").count(), 1, "{outcome}");
        }
    }
}

/// A gigabyte is sent, most of it while the receiver computes. Only the window, 4 MiB, lies at the receiver.
#[test]
fn a_million_unexpected_messages_take_little_memory() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/unexpected.c")
        .flags(["-O1", "-Wall", "-Wextra", "-Werror"])
        .against(&stage)
        .build();
    // In MiB; libfabric itself takes much from the start.
    for (transport, most, growth) in [("shm", 64, 16), ("ofi", 160, 64)] {
        let mpiexec = stage.mpiexec(4);
        let mpiexec = mpiexec.options(["--hosts-per-node", "2", "--transport", transport]);
        let limits = [most, growth].map(|limit: u32| (limit << 10).to_string());
        let outcome = mpiexec.args(limits.each_ref().map(String::as_str)).run(&program);
        outcome.expect_success();
    }
}
