//! A Rust program as a job of launchers: ours on one node and on several, MPICH's (PMI) and Open MPI's (PMIx).
//! `tests/slurm.rs` has srun.
//!
//! The program is `tests/rust/job.rs`, an example of this package.

mod ends;
mod launchers;

use simurgh_testing::{Mpiexec, Outcome, Stage, TCP, example};
use std::path::PathBuf;

/// The program.
fn program() -> PathBuf {
    example("rust_job")
}

/// A run of mpiexec as users call it, who do not say how ranks live.
fn mpiexec(ranks: usize, options: &[&str]) -> Mpiexec {
    let mpiexec = Mpiexec::new(&Stage::locate().tool("mpiexec"), ranks);
    mpiexec.env("SIMURGH_MODE", "auto").options(options)
}

/// The end of a case of the program.
fn ended(ranks: usize, options: &[&str], words: &[&str]) -> Outcome {
    mpiexec(ranks, options).args(words).run(&program())
}

/// Two nodes, which are processes of this machine.
const NODES: [&str; 4] = ["--launcher", "fork", "-hosts", "a,b"];

/// What the ranks of the cases print that add up the ranks.
fn exchanged(ranks: usize) -> Vec<String> {
    let sum = ranks * (ranks - 1) / 2;
    let mut lines: Vec<_> = (0..ranks)
        .map(|rank| format!("rank {rank} of {ranks}: sum {sum}"))
        .collect();
    lines.sort_unstable();
    lines
}

/// Numbers of ranks, and the options by which they live in one process or in several.
const PLACES: [(usize, &[&str]); 7] = [
    (1, &[]),
    (2, &[]),
    (7, &["--hosts-per-node", "3"]),
    (64, &["--hosts-per-node", "2"]),
    (7, &NODES),
    (4, &["--mode", "processes"]),
    (
        4,
        &[
            "--hosts-per-node",
            "2",
            "--transport",
            "ofi",
            TCP[0],
            TCP[1],
            TCP[2],
            TCP[3],
        ],
    ),
];

/// Runs a case whose ranks print the sum of all ranks, wherever they live.
fn adds_up_everywhere(case: &str) {
    for (ranks, options) in PLACES {
        let outcome = ended(ranks, options, &[case]);
        assert_eq!(
            outcome.expect_success().sorted_lines(),
            exchanged(ranks),
            "{options:?}: {outcome}"
        );
        assert_eq!(outcome.stderr, "", "{options:?}");
    }
}

#[test]
fn ranks_exchange_messages_wherever_they_live() {
    adds_up_everywhere("exchange");
}

#[test]
fn ranks_access_windows_wherever_they_live() {
    adds_up_everywhere("windows");
}

#[test]
fn futures_are_awaited_wherever_the_ranks_live() {
    adds_up_everywhere("futures");
}

#[test]
fn ranks_without_a_world_communicate_in_sessions() {
    adds_up_everywhere("sessions");
}

#[test]
fn ranks_start_the_program_again_wherever_they_live() {
    adds_up_everywhere("spawn");
}

#[test]
fn groups_meet_at_a_port_wherever_their_ranks_live() {
    adds_up_everywhere("ports");
}

#[test]
fn two_groups_meet_wherever_their_ranks_live() {
    adds_up_everywhere("groups");
}

#[test]
fn a_process_has_the_ranks_of_its_node() {
    let lines = |ranks, options: &[&str], expected: &[&str]| {
        let outcome = ended(ranks, options, &["who", "x", "y z"]);
        assert_eq!(outcome.expect_success().sorted_lines(), expected, "{outcome}");
    };
    lines(6, &[], &["0..6 x y z"]);
    lines(
        6,
        &["--mode", "threads", "--hosts-per-node", "2"],
        &["0..3 x y z", "3..6 x y z"],
    );
    lines(
        5,
        &[&NODES[..], &["-l"]].concat(),
        &["[0-2] 0..3 x y z", "[3-4] 3..5 x y z"],
    );
}

#[test]
fn statistics_and_checks_know_such_a_program() {
    let outcome = ended(4, &["--stats", "--hosts-per-node", "2"], &["exchange"]);
    for text in [
        "statistics of host 0, 2 ranks on",
        "statistics of host 1, 2 ranks on",
        "network: sent ",
        "heaps: at most ",
    ] {
        outcome.expect_success().expect_stderr(text);
    }
    let mut check = std::process::Command::new(Stage::locate().tool("simurgh"));
    let said = check.arg("check").arg(program()).output().unwrap();
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(
        said.contains("a Rust program, whose ranks are closures"),
        "{said}"
    );
}

#[test]
fn programs_in_c_and_in_rust_are_one_job() {
    let c = simurgh_testing::Compile::c("tests/c/rust_partner.c")
        .against(&Stage::locate())
        .build();
    for options in [&[][..], &NODES] {
        let file = std::env::temp_dir().join(format!("simurgh-partners-{}", std::process::id()));
        let file = file.display().to_string();
        let words = ["partner", &file, ":", "-n", "3"].map(str::to_owned);
        let words = words
            .into_iter()
            .chain([c.path().display().to_string(), file.clone()]);
        let outcome = mpiexec(2, options).args(words).run(&program());
        let expected = [
            "c: rank 2 of 5: sum 10, from 1: 101, of file 1520",
            "c: rank 3 of 5: sum 10, from 2: 102, of file 1520",
            "c: rank 4 of 5: sum 10, from 3: 103, of file 1520",
            "rust: rank 0 of 5: sum 10, from 4: 104, of file 1520",
            "rust: rank 1 of 5: sum 10, from 0: 100, of file 1520",
        ];
        assert_eq!(outcome.expect_success().sorted_lines(), expected, "{outcome}");
        assert!(!std::path::Path::new(&file).exists(), "{file} was to be deleted");
    }
}
