//! A Rust program under the launchers of other MPIs: each process is a rank.
//!
//! Needs MPICH and Open MPI as `tests/pmi` does. Without them, the tests report that they are skipped.

use super::{exchanged, program};
use simurgh_testing::{Input, LIMIT, Outcome, Scratch, of_another, run};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The checks; `start` starts so many processes of a case.
fn is_joined(start: impl Fn(usize, &str) -> Outcome) {
    for ranks in [1, 3] {
        let outcome = start(ranks, "exchange");
        assert_eq!(
            outcome.expect_success().sorted_lines(),
            exchanged(ranks),
            "{outcome}"
        );
        assert_eq!(outcome.stderr, "");
    }
    let outcome = start(3, "panic");
    outcome
        .expect_stderr("simurgh: rank 2 panicked at tests/rust/job.rs:")
        .expect_stderr(": no flour\n");
    assert!(!outcome.success());
    start(3, "deadlock")
        .expect_code(125)
        .expect_stderr("rank 0 waits in a receive from rank 2 with tag 99\n");
}

fn hydra() -> Option<PathBuf> {
    of_another("MPICH", "SIMURGH_REFERENCE_PREFIX", "bin/mpiexec.hydra")
}

#[test]
fn the_launcher_of_mpich_starts_it() {
    let Some(hydra) = hydra() else { return };
    is_joined(|ranks, case| {
        let mut command = Command::new(&hydra);
        command.args(["-n", &ranks.to_string()]).arg(program()).arg(case);
        run(&mut command, Input::Empty, LIMIT).unwrap()
    });
}

#[test]
fn the_launcher_of_open_mpi_starts_it() {
    let Some(prterun) = of_another("Open MPI", "SIMURGH_OPEN_MPI_PREFIX", "bin/prterun") else {
        return;
    };
    // The launcher names its files by its process id.
    let files = Scratch::new("prterun-rust");
    let library = prterun
        .parent()
        .unwrap_or(Path::new("/"))
        .with_file_name("lib/openmpi");
    is_joined(|ranks, case| {
        let mut command = Command::new(&prterun);
        command
            .envs(["PRTE_ALLOW_RUN_AS_ROOT", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM"].map(|name| (name, "1")))
            .env("TMPDIR", files.path())
            .env("LD_LIBRARY_PATH", &library)
            .args(["--map-by", ":oversubscribe", "-n", &ranks.to_string()])
            .arg(program())
            .arg(case);
        run(&mut command, Input::Empty, LIMIT).unwrap()
    });
}
