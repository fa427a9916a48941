//! MPICH's launcher starts our programs, and ours starts MPICH's.

use super::{DEADLOCK, all_is_well, expect_deadlock, program};
use simurgh_testing::{Compile, Input, LIMIT, Outcome, Stage, of_another, run, sums};
use std::path::PathBuf;
use std::process::Command;

fn hydra() -> Option<PathBuf> {
    of_another("MPICH", "SIMURGH_REFERENCE_PREFIX", "bin/mpiexec.hydra")
}

fn started(hydra: &PathBuf, options: &[&str], words: &[&str]) -> Outcome {
    let mut command = Command::new(hydra);
    command.args(options).args(words);
    run(&mut command, Input::Bytes(b""), LIMIT).unwrap()
}

#[test]
fn the_launcher_of_another_mpi_starts_our_programs() {
    let Some(hydra) = hydra() else { return };
    for options in [&[][..], &["-pmi-port"], &["-genv", "SIMURGH_PMI", "pmi2"]] {
        all_is_well(|ranks, program| {
            let ranks = ["-n", &ranks.to_string(), program.path().to_str().unwrap()];
            started(&hydra, options, &ranks)
        });
    }
}

#[test]
fn processes_of_another_launcher_bind_themselves() {
    let Some(hydra) = hydra() else { return };
    let program = program("launch_bound");
    let path = program.path().to_str().unwrap();
    let mut options = vec!["-n", "2", "-genv", "SIMURGH_BIND_TO", "hwthread"];
    options.extend(["-genv", "SIMURGH_REPORT_BINDINGS", "on"]);
    let outcome = started(&hydra, &options, &[path]);
    let lines = outcome.expect_success().sorted_lines();
    assert_eq!(lines.len(), 2, "{outcome}");
    for line in lines {
        let (rank, processor) = line.split_once(' ').unwrap();
        assert!(processor.parse::<u32>().is_ok(), "{outcome}");
        let told = format!("simurgh: rank {rank} is bound to hwthread {rank} (processors {processor})\n");
        outcome.expect_stderr(&told);
    }
}

#[test]
fn an_abort_ends_the_job_of_another_launcher() {
    let Some(hydra) = hydra() else { return };
    let program = program("launch_mpi");
    // Repeated, since this launcher ends without reading what is left in its pipes.
    for version in ["pmi1", "pmi2"].repeat(8) {
        let path = program.path().to_str().unwrap();
        let options = ["-genv", "SIMURGH_PMI", version, "-n", "3"];
        let outcome = started(&hydra, &options, &[path, "abort", "7"]);
        assert!(!outcome.success(), "{outcome}");
        outcome.expect_stderr("simurgh: rank 1 ended the job with code 7: it called MPI_Abort\n");
    }
}

#[test]
fn a_deadlock_ends_the_job_of_another_launcher() {
    let Some(hydra) = hydra() else { return };
    let program = program("launch_mpi");
    let path = program.path().to_str().unwrap();
    for options in [&["-n", "3"][..], &["-genv", "SIMURGH_PMI", "pmi2", "-n", "3"]] {
        let outcome = started(&hydra, options, &[path, "wait"]);
        expect_deadlock(outcome.expect_code(125));
    }
    // One rank has had an answer from the substitute for mpiexec.
    expect_deadlock(started(&hydra, &["-n", "3"], &[path, "ask"]).expect_code(125));
    // Some ranks have ceased to use MPI.
    let outcome = started(&hydra, &["-n", "3"], &[path, "finish"]);
    let outcome = outcome.expect_code(125).expect_stderr(DEADLOCK);
    outcome.expect_stderr("\nrank 1 has not ended\n  rank 1 waits in a receive from rank 0 with tag 99\n");
    assert!(!outcome.stderr.contains("rank 2"), "{outcome}");
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
    // The processes write at the same time, so the end of a line may come later.
    let words = |outcome: &Outcome| {
        let parts = outcome.stdout.split("rank ").map(str::trim);
        let mut words: Vec<_> = parts
            .filter(|part| !part.is_empty())
            .map(|part| format!("rank {part}"))
            .collect();
        words.sort_unstable();
        words
    };
    for (options, ranks) in [
        (&[][..], 1),
        (&[], 4),
        (&["--launcher", "fork", "-hosts", "a,b"], 4),
    ] {
        let outcome = run(&mut on(options, ranks), Input::Bytes(b""), LIMIT).unwrap();
        assert_eq!(words(outcome.expect_success()), sums(ranks), "{outcome}");
        assert_eq!(outcome.stderr, "");
    }
    let ended = |arguments: [&str; 2]| run(on(&[], 3).args(arguments), Input::Bytes(b""), LIMIT).unwrap();
    // Repeated, since a process that is not ended at once goes on.
    for _ in 0..8 {
        ended(["abort", "7"])
            .expect_code(7)
            .expect_stderr("ended the job with status 7");
    }
    ended(["return", "3"])
        .expect_code(3)
        .expect_stderr("ended with status 3 without calling MPI_Finalize");
}
