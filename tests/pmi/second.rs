//! Our launcher serves PMI-1 and PMI-2: to our own programs that know nothing else, and to Slurm's client of PMI-2,
//! which has what MPI programs do not use. Needs libpmi2.so.0 (Debian: libpmi2-0).

use super::all_is_well;
use simurgh_testing::{Compile, Input, LIMIT, Outcome, Stage, run};
use std::process::Command;

/// A job of processes of ours.
fn started(options: &[&str], ranks: usize, words: &[&str]) -> Outcome {
    let mut command = Command::new(Stage::locate().tool("mpiexec"));
    command.args(["-n", &ranks.to_string()]).args(options).args(words);
    run(&mut command, Input::Bytes(b""), LIMIT).unwrap()
}

#[test]
fn our_launcher_serves_our_programs_as_it_does_others() {
    for version in ["SIMURGH_PMI=pmi1", "SIMURGH_PMI=pmi2"] {
        // Without the variables of mpiexec's own protocol, the library takes the one that is left.
        let alone = ["env", "-u", "SIMURGH_JOB_FD", version];
        all_is_well(|ranks, program| {
            started(
                &[],
                ranks,
                &[&alone[..], &[program.path().to_str().unwrap()]].concat(),
            )
        });
    }
}

#[test]
fn an_abort_by_the_second_version_ends_the_job() {
    let program = super::program("launch_mpi");
    let words = ["env", "-u", "SIMURGH_JOB_FD", "SIMURGH_PMI=pmi2"];
    let words = [&words[..], &[program.path().to_str().unwrap(), "abort", "7"]].concat();
    let outcome = started(&[], 3, &words);
    outcome
        .expect_code(7)
        .expect_stderr("simurgh: rank 1 ended the job with code 7: it called MPI_Abort\n")
        .expect_stderr("simurgh: rank 1 (env) ended the job with status 7\n");
}

#[test]
fn slurms_client_finds_what_the_second_version_has() {
    let program = Compile::c("tests/c/pmi2.c").flags(["-Wall", "-Wextra"]).build();
    let path = program.path().to_str().unwrap();
    let nodes = ["--launcher", "fork", "-hosts", "a,b"];
    for (options, places) in [
        (&[][..], "(vector,(0,1,4))"),
        (&nodes, "(vector,(0,1,2),(1,1,2))"),
    ] {
        let outcome = started(options, 4, &[path, places]);
        if outcome.stderr.contains("libpmi2.so.0") {
            eprintln!("skipped: {}", outcome.stderr);
            return;
        }
        let expected: Vec<_> = (0..4).map(|rank| format!("rank {rank} of 4 is well")).collect();
        assert_eq!(outcome.expect_success().sorted_lines(), expected, "{outcome}");
        assert_eq!(outcome.stderr, "");
    }
}
