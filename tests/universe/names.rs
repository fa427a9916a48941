//! Ports and names of jobs in a universe, during its life and after.

use super::{MODES, Universe, build, together};
use simurgh_testing::{
    Binary, Input, LIMIT, Outcome, Scratch, Signal, Stage, Started, TCP, passed, run, signal,
};
use std::fs;
use std::path::Path;
use std::process::Command;

const PROGRAM: &str = "universe_ports";

/// The behaviour of a universe's server with this name, which ends at once.
fn serve(file: &Path) -> Outcome {
    let mut command = Command::new(Stage::locate().tool("simurgh"));
    command.arg("universe").arg(file);
    run(&mut command, Input::Empty, LIMIT).unwrap()
}

impl Universe {
    /// A job of so many ranks, with these arguments of its program.
    fn job(&self, binary: &Binary, mode: &str, ranks: usize, arguments: &[&str]) -> Command {
        let mpiexec = self.mpiexec(ranks).mode(mode).args(arguments);
        mpiexec.command(binary)
    }
}

fn has_passed(outcome: &Outcome, ranks: usize) {
    assert_eq!(outcome.expect_success().stdout, passed(ranks), "{outcome}");
}

#[test]
fn names_last_as_long_as_those_who_published_them() {
    let (universe, binary) = (Universe::new("universe-names"), build(PROGRAM));
    for mode in MODES {
        for what in ["unknown", "keep", "unknown"] {
            let [outcome] = together([universe.job(&binary, mode, 2, &[what, "ocean"])]);
            has_passed(&outcome, 2);
        }
    }
}

#[test]
fn jobs_use_the_ports_and_names_of_others() {
    let (universe, binary) = (Universe::new("universe-ports"), build(PROGRAM));
    for mode in MODES {
        let jobs = ["own", "visit"].map(|what| universe.job(&binary, mode, 1, &[what, "first"]));
        together(jobs).iter().for_each(|outcome| has_passed(outcome, 1));
    }
}

#[test]
fn many_ranks_meet_at_the_same_time() {
    let (universe, binary) = (Universe::new("universe-many"), build(PROGRAM));
    for mode in MODES {
        let jobs = ["many", "many-visit"].map(|what| universe.job(&binary, mode, 4, &[what, "each"]));
        together(jobs).iter().for_each(|outcome| has_passed(outcome, 4));
    }
}

#[test]
fn who_waits_for_a_job_that_has_not_begun_is_in_no_deadlock() {
    let (universe, binary) = (Universe::new("universe-late"), build(PROGRAM));
    for mode in MODES {
        let mut first = Started::new(&universe.job(&binary, mode, 2, &["late", "later", "accept"]));
        first.says("up\n");
        let [second] = together([universe.job(&binary, mode, 3, &["late", "later", "connect"])]);
        has_passed(&second, 3);
        has_passed(&first.ends(LIMIT), 2);
    }
}

#[test]
fn who_connects_where_nobody_accepts_gives_up_in_time() {
    let (universe, binary) = (Universe::new("universe-unaccepted"), build(PROGRAM));
    for mode in MODES {
        let [outcome] = together([universe.job(&binary, mode, 2, &["unaccepted"])]);
        has_passed(&outcome, 2);
    }
}

#[test]
fn who_waits_in_vain_is_told_of_when_the_time_is_over() {
    let (universe, binary) = (Universe::new("universe-vain"), build(PROGRAM));
    // A busy machine needs longer until the ranks wait.
    let told = ["1", "5", "25"].into_iter().any(|limit| {
        let mpiexec = universe.mpiexec(2).options(["--timeout", limit]).args(["alone"]);
        let outcome = mpiexec.run(&binary);
        outcome.expect_code(124);
        outcome.stderr.contains("rank 0 waits in MPI_Comm_accept at port")
    });
    assert!(told);
}

#[test]
fn jobs_that_wait_hear_of_the_end_of_their_universe() {
    let binary = build(PROGRAM);
    for (mode, how) in [("threads", Signal::INT), ("processes", Signal::KILL)] {
        let mut universe = Universe::new(&format!("universe-alone-{mode}"));
        let mut job = Started::new(&universe.job(&binary, mode, 2, &["alone"]));
        job.says("up\n");
        universe.hit(how);
        let outcome = job.ends(LIMIT);
        has_passed(&outcome, 2);
        outcome.expect_stderr(
            "the universe has ended, or has given this job up; jobs can meet no others any more",
        );
        assert_eq!(universe.file.exists(), how == Signal::KILL);
    }
}

#[test]
fn jobs_that_have_met_do_without_their_universe() {
    let binary = build(PROGRAM);
    for (mode, what) in MODES
        .into_iter()
        .flat_map(|mode| [(mode, "part"), (mode, "stay")])
    {
        let mut universe = Universe::new(&format!("universe-gone-{mode}-{what}"));
        let jobs = ["accept", "connect"].map(|role| universe.job(&binary, mode, 2, &[what, "both", role]));
        let mut jobs = jobs.map(|job| Started::new(&job));
        jobs.iter_mut().for_each(|job| job.says("up\n"));
        universe.hit(Signal::TERM);
        for job in jobs {
            has_passed(&job.ends(LIMIT), 2);
        }
    }
}

#[test]
fn a_job_that_cannot_be_reached_meets_nobody() {
    let universe = Universe::new("universe-shm");
    let binary = build("universe_meet");
    let jobs = ["accept", "connect"].map(|role| {
        let mpiexec = universe.mpiexec(2).mode("processes").args([role, "near", "meet"]);
        let near: &[&str] = if role == "accept" {
            &["--transport", "shm"]
        } else {
            &[]
        };
        mpiexec.options(near).command(&binary)
    });
    for outcome in together(jobs) {
        assert!(!outcome.success(), "{outcome}");
        outcome.expect_stderr("--transport shm");
    }
}

#[test]
fn a_job_may_begin_before_its_universe() {
    let scratch = Scratch::new("universe-later");
    let file = scratch.path().join("universe");
    let (stage, binary) = (Stage::locate(), build(PROGRAM));
    let mpiexec = stage
        .mpiexec(1)
        .options(["--universe".as_ref(), file.as_os_str()]);
    let job = mpiexec.options(TCP).args(["keep", "s"]).command(&binary);
    let job = Started::new(&job);
    let mut command = Command::new(stage.tool("simurgh"));
    let server = Started::new(command.arg("universe").arg(&file));
    has_passed(&job.ends(LIMIT), 1);
    signal(server.id(), Signal::TERM);
    server.ends(LIMIT).expect_success().expect_no_complaints();
}

#[test]
fn files_that_lead_to_no_universe_are_told_apart() {
    let mut universe = Universe::new("universe-files");
    let binary = build(PROGRAM);
    has_passed(
        &together([universe.job(&binary, "threads", 1, &["keep", "s"])])[0],
        1,
    );
    let start = |file: &Path| {
        let mpiexec = Stage::locate().mpiexec(1).env("SIMURGH_UNIVERSE", file);
        mpiexec.args(["keep", "s"]).run(&binary)
    };
    let absent = universe.file.with_file_name("absent");
    let refused = start(&absent);
    refused
        .expect_code(1)
        .expect_stderr("no universe has appeared there in time; `simurgh universe ");
    let other = universe.file.with_file_name("other");
    fs::write(&other, "{\"version\": 0}").unwrap();
    start(&other)
        .expect_code(1)
        .expect_stderr("no `simurgh universe` of this version");
    serve(&universe.file)
        .expect_code(1)
        .expect_stderr("there already");
    universe.hit(Signal::KILL);
    start(&universe.file)
        .expect_code(1)
        .expect_stderr("the universe cannot be reached");
    serve(&universe.file).expect_code(1).expect_stderr("remove it");
    fs::remove_file(&universe.file).unwrap();
}

#[test]
fn a_program_without_mpiexec_belongs_to_no_universe() {
    let universe = Universe::new("universe-singleton");
    let binary = build(PROGRAM);
    let mut command = Command::new(binary.path());
    command
        .arg("reason")
        .env("LD_LIBRARY_PATH", Stage::locate().lib())
        .env("SIMURGH_UNIVERSE", &universe.file);
    let outcome = Started::new(&command).ends(LIMIT);
    assert!(!outcome.success(), "{outcome}");
    outcome.expect_stderr("`mpiexec --universe ");
}
