//! Our programs under other launchers, and programs of other MPIs under ours.
//!
//! Our programs run under the mpiexec of MPICH, which serves PMI-1 and PMI-2 ([`hydra`]), and Open MPI's, which serves
//! PMIx ([`prterun`]); `tests/slurm.rs` has srun. Foreign programs are in [`hydra`], [`open_mpi`] and [`second`].
//!
//! Needs MPICH and Open MPI from PyPI at SIMURGH_REFERENCE_PREFIX and SIMURGH_OPEN_MPI_PREFIX, where `./x test` puts
//! them. Without them, tests report that they are skipped.

mod hydra;
mod open_mpi;
mod prterun;
mod second;

use simurgh_testing::{Binary, Compile, Input, LIMIT, Outcome, Stage, passed, run, sums};
use std::process::Command;

/// A test program that finds our library by itself.
fn program(name: &str) -> Binary {
    let compiler = Stage::locate().tool("mpicc");
    Compile::by(compiler, format!("tests/c/{name}.c"))
        .flags(["-O1", "-pthread"])
        .build()
}

/// Checks that programs run as a job of so many ranks, which `start` starts.
#[track_caller]
fn all_is_well(start: impl Fn(usize, &Binary) -> Outcome) {
    let mpi = program("launch_mpi");
    for ranks in [1, 2, 5] {
        let outcome = start(ranks, &mpi);
        assert_eq!(outcome.expect_success().sorted_lines(), sums(ranks), "{outcome}");
        assert_eq!(outcome.stderr, "");
    }
    for name in ["mpi_matching", "mpi_exchange"] {
        let outcome = start(3, &program(name));
        assert_eq!(outcome.expect_success().stdout, passed(3), "{name}: {outcome}");
    }
}

/// The message of a job whose ranks wait for each other.
const DEADLOCK: &str = "simurgh: deadlock: every rank waits and none can go on\n";

/// Checks that the program which waits in its rank 1 was found to wait for ever.
#[track_caller]
fn expect_deadlock(outcome: &Outcome) {
    outcome
        .expect_stderr(DEADLOCK)
        .expect_stderr(
            "\nrank 0 has not ended\n  MPI_Barrier has been called by ranks 0, and waits for other hosts\n",
        )
        .expect_stderr("\nrank 1 has not ended\n  rank 1 waits in a receive from rank 0 with tag 99\n");
}

/// The program, started without a launcher, with these variables.
fn alone(program: &Binary, variables: &[(&str, &str)]) -> Outcome {
    let mut command = Command::new(program.path());
    command.envs(variables.iter().copied());
    run(&mut command, Input::Bytes(b""), LIMIT).unwrap()
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
            "cannot be reached by PMIx: PMIx_Init says",
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
