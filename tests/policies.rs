//! Scheduling policies that users have written, as shared libraries under `mpiexec --policy`.

use simurgh_testing::{Binary, Compile, Outcome, Scratch, Stage};
use std::path::PathBuf;

/// Where a rank has run.
struct Place {
    rank: usize,
    threads: [String; 2],
}

fn library(scratch: &Scratch, source: &str, flags: &[&str]) -> PathBuf {
    let stage = Stage::locate();
    let path = scratch.path().join("mine.so");
    Compile::c(source)
        .flags(["-shared", "-fPIC", "-O2", "-Wall", "-Wextra", "-Werror"])
        .flags([format!("-I{}", stage.include().display())])
        .flags(flags)
        .output(&path)
        .build();
    path
}

fn program() -> Binary {
    Compile::c("tests/c/policy_places.c")
        .against(&Stage::locate())
        .build()
}

fn run(policy: &str) -> Outcome {
    let mpiexec = Stage::locate().mpiexec(8).vps(2);
    mpiexec.options(["--policy", policy]).run(&program())
}

fn places(outcome: &Outcome) -> Vec<Place> {
    let place = |line: &str| {
        let words: Vec<_> = line.split(' ').map(str::to_owned).collect();
        let [rank, first, last] = <[String; 3]>::try_from(words).expect("a rank and two threads");
        Place {
            rank: rank.parse().expect("a rank"),
            threads: [first, last],
        }
    };
    let mut places: Vec<_> = outcome.expect_success().stdout.lines().map(place).collect();
    places.sort_by_key(|place| place.rank);
    places
}

#[test]
fn the_example_keeps_even_and_odd_ranks_apart() {
    let scratch = Scratch::new("policies");
    let policy = library(&scratch, "examples/policy.c", &["-std=c99"]);
    let outcome = run(policy.to_str().expect("a path in UTF-8"));
    let places = places(&outcome);
    assert_eq!(places.len(), 8, "{outcome}");
    for place in &places {
        let expected = &places[place.rank % 2].threads[0];
        assert!(place.threads.iter().all(|thread| thread == expected), "{outcome}");
    }
    assert_ne!(places[0].threads[0], places[1].threads[0], "{outcome}");
}

#[test]
fn the_header_is_one_for_cxx_too() {
    let stage = Stage::locate();
    Compile::cxx("tests/cxx/policy.cpp")
        .flags(["-shared", "-fPIC", "-Wall", "-Wextra", "-Werror"])
        .flags([format!("-I{}", stage.include().display())])
        .build();
}

#[test]
fn what_is_no_policy_is_refused_with_file_symbol_and_remedy() {
    let scratch = Scratch::new("policies");
    let refused = |path: &str, told: &[&str]| {
        let outcome = run(path);
        outcome.expect_code(1);
        for text in told {
            outcome.expect_stderr(text);
        }
        assert_eq!(outcome.stderr.matches("simurgh: ").count(), 1, "{outcome}");
    };
    let missing = scratch.path().join("none.so");
    let missing = missing.to_str().expect("a path in UTF-8");
    refused(missing, &[missing, "give the path of a shared library"]);
    let mine = library(&scratch, "tests/c/policy_wrong.c", &[]);
    let mine = mine.to_str().expect("a path in UTF-8");
    refused(
        mine,
        &[mine, "the symbol simurgh_policy", "simurgh_policy.h says how"],
    );
    library(&scratch, "tests/c/policy_wrong.c", &["-DVERSION=7"]);
    refused(
        mine,
        &[mine, "is of version 7", "compile", "with the simurgh_policy.h"],
    );
    library(&scratch, "tests/c/policy_wrong.c", &["-DVERSION=1"]);
    refused(mine, &[mine, "has no name"]);
}

#[test]
fn a_word_that_is_no_policy_is_refused_before_the_job_starts() {
    let outcome = run("whim");
    let told = "\"whim\" is not one of wq, nd, nd+wq, sleep, affine";
    outcome
        .expect_stderr(told)
        .expect_stderr("the path of a file, with a slash");
}
