//! Open MPI's launcher, and PRRTE's, which it is made of, start our programs.

use super::{all_is_well, alone, expect_deadlock, program};
use simurgh_testing::{Compile, Input, LIMIT, Outcome, Scratch, is_alive, of_another, run, until};
use std::fs::File;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A launcher, and the directory of its temporary files.
///
/// The launcher names these files by its process id and refuses to start where they exist. One that was killed leaves
/// them behind: in a directory that all share, they would stop a later launcher which has the same process id.
struct Launcher {
    path: PathBuf,
    files: Scratch,
}

impl Launcher {
    fn find(name: &str) -> Option<Self> {
        let path = of_another("Open MPI", "SIMURGH_OPEN_MPI_PREFIX", &format!("bin/{name}"))?;
        let files = Scratch::new(name);
        Some(Self { path, files })
    }

    /// A job of so many ranks; the machine may be small, and the user may be root.
    fn job(&self, ranks: usize) -> Command {
        let mut command = Command::new(&self.path);
        command
            .envs(["PRTE_ALLOW_RUN_AS_ROOT", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM"].map(|name| (name, "1")))
            .envs(["OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"].map(|name| (name, "1")))
            .env("TMPDIR", self.files.path())
            .args(["--map-by", ":oversubscribe", "-n", &ranks.to_string()]);
        command
    }
}

fn ended(command: &mut Command) -> Outcome {
    run(command, Input::Bytes(b""), LIMIT).unwrap()
}

#[test]
fn a_launcher_that_speaks_pmix_starts_our_programs() {
    // Once with the launcher's own library, and once with that of the system, when a launcher of another version may
    // print warnings.
    let Some(prterun) = Launcher::find("prterun") else {
        return;
    };
    let library = prterun.path.parent().unwrap().with_file_name("lib/openmpi");
    all_is_well(|ranks, program| {
        ended(
            prterun
                .job(ranks)
                .env("LD_LIBRARY_PATH", &library)
                .arg(program.path()),
        )
    });
    let Some(mpiexec) = Launcher::find("mpiexec") else {
        return;
    };
    all_is_well(|ranks, program| {
        let mut outcome = ended(mpiexec.job(ranks).arg(program.path()));
        let is_ours = |line: &&str| !line.contains("PMIX ERROR: PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER");
        outcome.stderr = outcome.stderr.lines().filter(is_ours).collect();
        outcome
    });
}

#[test]
fn an_abort_is_passed_on() {
    let Some(launcher) = Launcher::find("prterun") else {
        return;
    };
    let program = program("launch_mpi");
    let outcome = ended(launcher.job(3).arg(program.path()).args(["abort", "7"]));
    outcome
        .expect_code(7)
        .expect_stderr("simurgh: rank 1 ended the job with code 7: it called MPI_Abort\n");
}

#[test]
fn a_deadlock_ends_the_job() {
    let Some(launcher) = Launcher::find("prterun") else {
        return;
    };
    let program = program("launch_mpi");
    let outcome = ended(launcher.job(3).arg(program.path()).arg("wait"));
    expect_deadlock(outcome.expect_code(125));
}

#[test]
fn a_launcher_that_is_gone_ends_the_job() {
    let Some(launcher) = Launcher::find("prterun") else {
        return;
    };
    let scratch = Scratch::new("gone");
    let file = scratch.write("pids", "");
    let program = program("launch_stay");
    let mut child = launcher
        .job(3)
        .arg(program.path())
        .stdin(Stdio::null())
        .stdout(File::create(&file).unwrap())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let said = || std::fs::read_to_string(&file).unwrap();
    assert!(until(LIMIT, || said().lines().count() == 3));
    let processes: Vec<u32> = said().lines().map(|pid| pid.parse().unwrap()).collect();
    assert!(processes.iter().all(|pid| is_alive(*pid)), "{processes:?}");
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(until(LIMIT, || !processes.iter().any(|pid| is_alive(*pid))));
}

#[test]
fn a_library_that_is_of_no_use_ends_the_program() {
    let program = program("launch_mpi");
    let scratch = Scratch::new("pmix");
    let folder = scratch.path().to_str().unwrap();
    let variables = [
        ("PMIX_NAMESPACE", "x"),
        ("PMIX_RANK", "0"),
        ("LD_LIBRARY_PATH", folder),
    ];
    let source = scratch.write("empty.c", "int nothing;\n");
    let file = scratch.path().join("libpmix.so.2");
    Compile::c(source)
        .flags(["-shared", "-fPIC"])
        .output(&file)
        .build();
    let says = |words: &str| {
        let outcome = alone(&program, &variables);
        outcome.expect_code(1).expect_stderr(words);
        assert_eq!(outcome.stderr.lines().count(), 1, "{outcome}");
    };
    says("but libpmix.so.2 has no function PMIx_Init: it is too old");
    scratch.write("libpmix.so.2", "no library");
    says("install libpmix (Debian: libpmix2), or name its directory in LD_LIBRARY_PATH");
}
