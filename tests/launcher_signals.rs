//! However a job is ended from outside, it ends at once, with the right status, and nothing is left of it.

use std::io::Read;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use simurgh_testing::{Binary, Compile, Signal, Stage, children, signal, supervisor, wait};

/// Longer than any end may take.
const AT_ONCE: Duration = Duration::from_secs(1);

fn program() -> Binary {
    Compile::c("tests/c/launch_wait.c").build()
}

/// A job whose two ranks have said that they are up.
struct Job {
    mpiexec: Child,
    stdout: ChildStdout,
    _program: Binary,
}

/// The same command, for which no signal is ignored that the tests' own parent ignores (as `nohup` does).
fn with_default_signals(command: &Command) -> Command {
    let mut wrapped = Command::new("env");
    wrapped
        .arg("--default-signal=HUP,INT,QUIT,TERM")
        .arg(command.get_program())
        .args(command.get_args())
        .envs(
            command
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        );
    wrapped
}

impl Job {
    fn start(how: &str) -> Self {
        let program = program();
        let command = Stage::locate().mpiexec(2).args([how]).command(&program);
        let mut mpiexec = with_default_signals(&command)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = mpiexec.stdout.take().unwrap();
        let mut said = [0; 6];
        stdout.read_exact(&mut said).unwrap();
        assert_eq!(&said, b"up\nup\n");
        Job {
            mpiexec,
            stdout,
            _program: program,
        }
    }

    /// The process in which the ranks are.
    fn host(&self) -> u32 {
        children(supervisor(self.mpiexec.id()))[0]
    }

    /// Waits for the end; the rest of the output ends only when the last process that could write has ended.
    #[track_caller]
    fn ends(mut self, code: i32) -> String {
        let start = Instant::now();
        let ending = wait(self.mpiexec, Duration::from_secs(10)).unwrap();
        assert!(
            !ending.timed_out && start.elapsed() < AT_ONCE,
            "after {:?}",
            start.elapsed()
        );
        let status = std::os::unix::process::ExitStatusExt::signal(&ending.status)
            .map_or(ending.status.code(), |s| Some(128 + s));
        assert_eq!(status, Some(code));
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || {
            let mut rest = String::new();
            let read = self.stdout.read_to_string(&mut rest);
            sender.send(read.map(|_| rest))
        });
        receiver
            .recv_timeout(AT_ONCE)
            .expect("a process of the job is left")
            .unwrap()
    }
}

#[test]
fn signals_end_the_job_with_their_status_and_flush() {
    for (which, code) in [(Signal::TERM, 143), (Signal::HUP, 129), (Signal::QUIT, 131)] {
        let job = Job::start("");
        signal(job.mpiexec.id(), which);
        assert!(job.ends(code).starts_with("not finished\n"));
    }
}

#[test]
fn an_interrupt_ends_the_job() {
    let job = Job::start("busy");
    signal(job.mpiexec.id(), Signal::INT);
    job.ends(130);
}

#[test]
fn killing_the_launcher_leaves_nothing_not_even_what_ranks_have_started() {
    for how in ["", "parent", "stubborn"] {
        let job = Job::start(how);
        signal(job.mpiexec.id(), Signal::KILL);
        job.ends(137);
    }
}

#[test]
fn killing_the_process_that_supervises_the_job_leaves_nothing() {
    let job = Job::start("parent");
    signal(supervisor(job.mpiexec.id()), Signal::KILL);
    job.ends(137);
}

#[test]
fn killing_the_host_ends_the_job() {
    let job = Job::start("parent");
    let host = job.host();
    signal(host, Signal::KILL);
    job.ends(137);
}

#[test]
fn a_program_that_ignores_signals_is_killed() {
    let job = Job::start("stubborn");
    signal(job.mpiexec.id(), Signal::TERM);
    job.ends(137);
}

#[test]
fn what_ranks_have_started_ends_with_a_job_that_is_ended() {
    let job = Job::start("parent");
    signal(job.mpiexec.id(), Signal::TERM);
    job.ends(143);
}

#[test]
fn the_time_limit_ends_the_job() {
    for (how, variable) in [("", "SIMURGH_TIMEOUT"), ("busy", "MPIEXEC_TIMEOUT")] {
        let outcome = Stage::locate()
            .mpiexec(2)
            .env(variable, "1")
            .args([how])
            .run(&program());
        outcome
            .expect_code(124)
            .expect_stderr("time limit")
            .expect_stderr("0-1");
        assert!(outcome.elapsed < Duration::from_secs(3), "{outcome}");
    }
}
