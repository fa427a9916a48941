//! The examples have the same result, which they check, with any number of ranks and on any number of hosts.

use simurgh_testing::{Input, LIMIT, Mpiexec, Stage, example, run};
use std::fs;
use std::process::Command;

/// The hosts of a job; each is a process of its own.
const HOSTS: [&str; 3] = ["a", "a,b", "a,b,c"];

/// A job on some hosts.
fn job(ranks: usize, hosts: &str) -> Mpiexec {
    let mpiexec = Mpiexec::new(&Stage::locate().tool("mpiexec"), ranks);
    // As users call it, who do not say how ranks live.
    let mpiexec = mpiexec.env("SIMURGH_MODE", "auto");
    mpiexec.options(["--launcher", "fork", "-hosts", hosts])
}

/// What does not depend on the number of ranks or on time.
fn result(output: &str) -> Vec<String> {
    let varies = |line: &&str| line.starts_with("plate") || line.starts_with("seconds");
    output
        .lines()
        .filter(|line| !varies(line))
        .map(str::to_owned)
        .collect()
}

/// The result of an example as a process of its own.
fn alone(name: &str, arguments: &[&str], ranks: usize) -> Vec<String> {
    let mut command = Command::new(example(name));
    command.args(arguments).env("SIMURGH_RANKS", ranks.to_string());
    let outcome = run(&mut command, Input::Bytes(b""), LIMIT).expect("the example can be started");
    result(&outcome.expect_success().stdout)
}

/// Runs an example, with arguments with which it takes little time, with some numbers of ranks in all places.
fn is_the_same_everywhere(name: &str, arguments: &[&str]) {
    let expected = alone(name, arguments, 1);
    assert!(!expected.is_empty(), "there is no result");
    for ranks in [1, 7, 64] {
        assert_eq!(alone(name, arguments, ranks), expected, "{ranks} ranks");
        for hosts in HOSTS {
            let outcome = job(ranks, hosts).args(arguments).run(&example(name));
            let found = result(&outcome.expect_success().stdout);
            assert_eq!(found, expected, "{ranks} ranks on {hosts}: {outcome}");
        }
    }
}

#[test]
fn the_solution_of_conjugate_gradients_is_the_same_everywhere() {
    is_the_same_everywhere("conjugate_gradient", &["32"]);
}

#[test]
fn the_spectrum_of_a_cube_is_the_same_everywhere() {
    is_the_same_everywhere("fft", &["16"]);
}

#[test]
fn the_hash_table_is_the_same_everywhere() {
    is_the_same_everywhere("hash_table", &["-n", "50"]);
}

#[test]
fn the_plate_is_the_same_everywhere() {
    is_the_same_everywhere("heat2d", &["-n", "96", "-s", "20"]);
}

#[test]
fn the_glider_is_the_same_everywhere() {
    is_the_same_everywhere("life", &["-n", "64", "-g", "64"]);
}

#[test]
fn the_bodies_are_the_same_everywhere() {
    is_the_same_everywhere("n_body", &["128"]);
}

#[test]
fn the_order_of_numbers_is_the_same_everywhere() {
    is_the_same_everywhere("sample_sort", &["20000"]);
}

#[test]
fn the_results_of_tasks_are_the_same_everywhere() {
    is_the_same_everywhere("task_farm", &["100"]);
}

#[test]
fn every_rank_of_every_host_says_hello() {
    for ranks in [1, 7, 64] {
        let mut expected: Vec<_> = (0..ranks)
            .map(|rank| format!("Hello from rank {rank} of {ranks}"))
            .collect();
        expected.sort();
        for hosts in HOSTS {
            let outcome = job(ranks, hosts).run(&example("hello"));
            assert_eq!(outcome.expect_success().sorted_lines(), expected, "{outcome}");
        }
    }
}

#[test]
fn the_readme_shows_an_example_that_runs() {
    let text = |name| fs::read_to_string(Stage::workspace().join(name)).expect("the file is there");
    let (readme, hello) = (text("README.md"), text("examples/hello.rs"));
    let program = &hello[hello.find("fn main").expect("the example is a program")..];
    assert!(readme.contains(&format!("```rust\n{program}```\n")), "{program}");
}
