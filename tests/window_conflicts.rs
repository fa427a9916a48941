//! Conflicting accesses to windows, which `--check` finds in all places where ranks live.

use simurgh_testing::{Binary, Compile, Mpiexec, Stage, TCP, passed};

/// The ways in which ranks live.
const PLACES: [&[&str]; 5] = [
    &["--mode", "threads"],
    &["--mode", "processes"],
    &["--hosts-per-node", "2"],
    &["--hosts-per-node", "2", "--transport", "ofi"],
    &["--launcher", "fork", "-hosts", "a,b"],
];

fn program() -> Binary {
    Compile::c("tests/c/window_conflicts.c")
        .flags(["-Wall", "-Wextra"])
        .against(&Stage::locate())
        .build()
}

fn job(ranks: usize, place: &[&str], options: &[&str]) -> Mpiexec {
    let mpiexec = Stage::locate().mpiexec(ranks);
    mpiexec.options(TCP).options(place).options(options)
}

fn passes(options: &[&str], arguments: &[&str]) {
    let program = program();
    for (ranks, places) in [(3, &PLACES[..]), (7, &PLACES[..3])] {
        for place in places {
            let outcome = job(ranks, place, options).args(arguments).run(&program);
            assert_eq!(
                outcome.expect_success().stdout,
                passed(ranks),
                "{place:?}: {outcome}"
            );
        }
    }
}

#[test]
fn the_check_finds_conflicts_and_nothing_else() {
    passes(&["--check"], &[]);
}

/// Random epochs of all kinds, in which each rank has parts of its own.
#[test]
fn the_check_finds_nothing_in_a_program_without_conflicts() {
    let program = Compile::c("tests/c/mpi_windows.c")
        .against(&Stage::locate())
        .build();
    for place in PLACES {
        job(4, place, &["--check"]).run(&program).expect_success();
    }
}

#[test]
fn nothing_is_told_without_the_check() {
    passes(&[], &["unchecked"]);
}

#[test]
fn the_message_names_both_calls_and_their_bytes() {
    let program = program();
    for place in PLACES {
        let outcome = job(3, place, &["--check"]).args(["fatal"]).run(&program);
        assert!(!outcome.success(), "{place:?}: {outcome}");
        for text in [
            "MPI_Put of rank 1 on bytes 0 to 32",
            "MPI_Put of rank 2 on bytes 28 to 60",
            "rank 0's memory",
            " conflicts with ",
        ] {
            outcome.expect_stderr(text);
        }
    }
}
