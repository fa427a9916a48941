//! Jobs that are ended from outside: each ends at once, with the right status, and nothing is left of it.

use std::process::Command;
use std::time::Duration;

use simurgh_testing::{
    AT_ONCE, Binary, Compile, Input, LIMIT, Signal, Stage, Started, children, is_alive, run, signal,
    supervisor, until,
};

fn program() -> Binary {
    Compile::c("tests/c/launch_wait.c").build()
}

/// A job whose two ranks have printed that they are up.
struct Job {
    mpiexec: Started,
    _program: Binary,
}

impl Job {
    fn start(how: &str) -> Self {
        let program = program();
        let command = Stage::locate().mpiexec(2).args([how]).command(&program);
        let mut mpiexec = Started::new(&command);
        mpiexec.says("up\nup\n");
        Job {
            mpiexec,
            _program: program,
        }
    }

    /// The process in which the ranks are.
    fn host(&self) -> u32 {
        children(supervisor(self.mpiexec.id()))[0]
    }

    /// Waits for the end of the job and of all its processes; returns its message.
    #[track_caller]
    fn ends(self, code: i32) -> String {
        let outcome = self.mpiexec.ends(LIMIT);
        outcome.expect_code(code);
        outcome.expect_end_after(Duration::ZERO);
        outcome.stdout
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

/// The stopped process acts on no signal but the one that continues it.
#[test]
fn killing_the_launcher_leaves_nothing_though_its_other_process_is_stopped() {
    for how in ["", "parent", "stubborn"] {
        let job = Job::start(how);
        let stopped = [supervisor(job.mpiexec.id()), job.host()];
        signal(stopped[0], Signal::STOP);
        signal(job.mpiexec.id(), Signal::KILL);
        job.ends(137);
        assert!(until(AT_ONCE, || !stopped.into_iter().any(is_alive)));
    }
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

/// A supervisor that finds that mpiexec has been killed meanwhile.
#[test]
fn who_comes_too_late_to_supervise_ends_silently() {
    let mut command = Command::new(Stage::locate().tool("mpiexec"));
    let outcome = run(
        command.args(["--behind=1", "-n", "1", "echo", "run"]),
        Input::Empty,
        AT_ONCE,
    );
    let outcome = outcome.unwrap();
    outcome.expect_code(143).expect_no_complaints();
    assert_eq!(outcome.stdout, "", "{outcome}");
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
            .expect_stderr("0-1")
            .expect_end_after(Duration::from_secs(1));
    }
}
