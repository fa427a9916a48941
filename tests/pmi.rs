//! Programs of ours under other launchers: the mpiexec of MPICH, which serves PMI-1. `tests/slurm.rs` has srun.
//!
//! Needs MPICH from PyPI at SIMURGH_REFERENCE_PREFIX, where `./x test` puts it. Without, tests say that they are
//! skipped.

use simurgh_testing::{Binary, Compile, Input, Outcome, Stage, run};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(60);

/// MPICH's launcher.
fn hydra() -> Option<PathBuf> {
    let prefix = std::env::var_os("SIMURGH_REFERENCE_PREFIX").map(PathBuf::from);
    let hydra = prefix.map(|prefix| prefix.join("bin/mpiexec.hydra"));
    let hydra = hydra.filter(|hydra| hydra.is_file());
    if hydra.is_none() {
        eprintln!("skipped: no MPICH at SIMURGH_REFERENCE_PREFIX, where ./x test puts it");
    }
    hydra
}

/// A test program that finds our library by itself.
fn program(name: &str) -> Binary {
    let compiler = Stage::locate().tool("mpicc");
    Compile::by(compiler, format!("tests/c/{name}.c"))
        .flags(["-O1", "-pthread"])
        .build()
}

fn started_by(hydra: &PathBuf, ranks: usize, program: &Binary, arguments: &[&str]) -> Outcome {
    let mut command = Command::new(hydra);
    command
        .args(["-n", &ranks.to_string()])
        .arg(program.path())
        .args(arguments);
    run(&mut command, Input::Bytes(b""), PATIENCE).unwrap()
}

#[test]
fn the_launcher_of_another_mpi_starts_our_programs() {
    let Some(hydra) = hydra() else { return };
    let mpi = program("launch_mpi");
    for ranks in [1, 2, 5] {
        let outcome = started_by(&hydra, ranks, &mpi, &[]);
        let line = |rank| format!("rank {rank} of {ranks}: sum {}", ranks * (ranks - 1) / 2);
        let lines: Vec<_> = (0..ranks).map(line).collect();
        assert_eq!(outcome.expect_success().sorted_lines(), lines, "{outcome}");
        assert_eq!(outcome.stderr, "");
    }
    for name in ["mpi_matching", "mpi_exchange"] {
        let outcome = started_by(&hydra, 3, &program(name), &[]);
        assert_eq!(
            outcome.expect_success().stdout,
            "passed with 3 ranks\n",
            "{name}: {outcome}"
        );
    }
}

#[test]
fn an_abort_ends_the_job_of_another_launcher() {
    let Some(hydra) = hydra() else { return };
    let outcome = started_by(&hydra, 3, &program("launch_mpi"), &["abort", "7"]);
    assert!(!outcome.success(), "{outcome}");
    outcome.expect_stderr("simurgh: rank 1 ended the job with code 7: it called MPI_Abort\n");
}

/// The program, started by nobody, with these variables.
fn alone(program: &Binary, variables: &[(&str, &str)]) -> Outcome {
    let mut command = Command::new(program.path());
    command.envs(variables.iter().copied());
    run(&mut command, Input::Bytes(b""), PATIENCE).unwrap()
}

#[test]
fn a_program_is_no_job_of_its_own_if_a_launcher_has_started_several() {
    let program = program("launch_mpi");
    alone(&program, &[]).expect_success();
    alone(&program, &[("SLURM_PROCID", "0"), ("SLURM_STEP_NUM_TASKS", "1")]).expect_success();
    for (variables, words) in [
        (
            &[("PMI_FD", "77"), ("PMI_RANK", "0"), ("PMI_SIZE", "2")][..],
            "PMI_FD is \"77\", which is of no use",
        ),
        (
            &[("PMI_PORT", "nowhere:1"), ("PMI_ID", "0")],
            "PMI_PORT is \"nowhere:1\"",
        ),
        (
            &[("PMIX_NAMESPACE", "x"), ("PMIX_RANK", "0")],
            "that speaks PMIx has started this program",
        ),
        (
            &[("SLURM_PROCID", "1"), ("SLURM_STEP_NUM_TASKS", "4")],
            "srun has started 4 tasks of this program",
        ),
        (
            &[("OMPI_COMM_WORLD_SIZE", "2")],
            "Open MPI's launcher has started 2 processes",
        ),
    ] {
        let outcome = alone(&program, variables);
        outcome.expect_code(1).expect_stderr(words);
        assert_eq!(
            (outcome.stderr.lines().count(), outcome.stdout.as_str()),
            (1, ""),
            "{outcome}"
        );
    }
}

#[test]
fn our_launcher_starts_programs_of_another_mpi() {
    let Some(hydra) = hydra() else { return };
    let prefix = hydra.ancestors().nth(2).unwrap();
    let shown = |folder: &str| prefix.join(folder).display().to_string();
    let lib = shown("lib");
    let program = Compile::by("cc", "tests/c/launch_mpi.c")
        .flags([format!("-I{}", shown("include"))])
        .libraries([
            format!("-L{lib}"),
            format!("-Wl,-rpath,{lib}"),
            "-l:libmpi.so.12".to_owned(),
        ])
        .build();
    let on = |options: &[&str], ranks: usize| {
        let mut command = Command::new(Stage::locate().tool("mpiexec"));
        command
            .args(["-n", &ranks.to_string()])
            .args(options)
            .arg(program.path());
        command
    };
    let words = |outcome: &Outcome| {
        let mut words: Vec<_> = outcome
            .stdout
            .split("rank ")
            .map(|part| part.trim().to_owned())
            .collect();
        words.retain(|word| !word.is_empty());
        words.sort_unstable();
        words
    };
    for (options, ranks) in [
        (&[][..], 1),
        (&[], 4),
        (&["--launcher", "fork", "-hosts", "a,b"], 4),
    ] {
        let outcome = run(&mut on(options, ranks), Input::Bytes(b""), PATIENCE).unwrap();
        let sum = ranks * (ranks - 1) / 2;
        let expected: Vec<_> = (0..ranks)
            .map(|rank| format!("{rank} of {ranks}: sum {sum}"))
            .collect();
        assert_eq!(words(outcome.expect_success()), expected, "{outcome}");
        assert_eq!(outcome.stderr, "");
    }
    let ended = |arguments: [&str; 2]| run(on(&[], 3).args(arguments), Input::Bytes(b""), PATIENCE).unwrap();
    ended(["abort", "7"])
        .expect_code(7)
        .expect_stderr("ended the job with status 7");
    ended(["return", "3"])
        .expect_code(3)
        .expect_stderr("ended with status 3 without calling MPI_Finalize");
}
