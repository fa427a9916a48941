//! The programs of `./x bench papers` compute what they say: each checks its results itself.

use std::collections::BTreeSet;
use std::fs;

use simurgh_testing::{Compile, Outcome, Stage, TCP};

/// The programs, each with ranks and arguments that keep it short, and the keywords of the values that it prints.
const PROGRAMS: &[(&str, usize, &[&str], &[&str])] = &[
    ("switch", 5, &[], &["switch"]),
    ("transfer", 2, &["256"], &["latency", "bandwidth"]),
    ("neighbours", 8, &["3", "8", "32"], &["iteration"]),
    ("unbalanced", 4, &["100", "10"], &["first", "later"]),
    ("allocator", 4, &[], &["replaced"]),
    ("advection", 8, &["64", "5", "1"], &["step"]),
    ("conduction", 8, &["64", "30"], &["iteration"]),
    ("lattice", 8, &["4", "4", "8", "8", "10"], &["iteration", "rate"]),
    (
        "post_work_wait",
        2,
        &["65536", "65536"],
        &[
            "overhead_send",
            "available_send",
            "overhead_receive",
            "available_receive",
        ],
    ),
    ("two_hosts", 4, &["1024", "20"], &["step", "compute"]),
    ("collaborative", 4, &["1024"], &["alone", "helped"]),
    ("halo", 4, &["32", "3"], &["step", "wait"]),
    ("memory_per_task", 8, &[], &["memory", "whole"]),
    ("wake_up", 8, &[], &["barrier", "sum"]),
];

/// The program that uses no MPI.
const KERNEL: &str = "lattice_kernel";

fn compile(name: &str) -> Compile {
    Compile::c(format!("benches/papers/{name}.c"))
        .flags(["-O2", "-Wall", "-Wextra", "-Werror"])
        .against(&Stage::locate())
        .libraries(["-lm"])
}

/// Whether all values have been printed as `KEYWORD ABSCISSA VALUE`.
fn expect_values(run: &Outcome, keywords: &[&str]) {
    let lines = run.expect_success().stdout.lines();
    let words: Vec<Vec<&str>> = lines.map(|line| line.split(' ').collect()).collect();
    for keyword in keywords {
        let is_value = |words: &Vec<&str>| match words[..] {
            [word, x, value] => word == *keyword && x.parse::<u64>().is_ok() && value.parse::<f64>().is_ok(),
            _ => false,
        };
        assert!(words.iter().any(is_value), "no {keyword} in {run}");
    }
}

#[test]
fn each_program_is_tested_here() {
    let folder = fs::read_dir(Stage::workspace().join("benches/papers")).unwrap();
    let names = folder.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let there: BTreeSet<String> = names
        .filter_map(|name| Some(name.strip_suffix(".c")?.to_owned()))
        .collect();
    let tested = PROGRAMS.iter().map(|(name, ..)| *name).chain([KERNEL]);
    assert_eq!(there, tested.map(str::to_owned).collect());
}

#[test]
fn programs_find_their_results_right_as_threads_of_one_process() {
    let stage = Stage::locate();
    for (name, ranks, arguments, keywords) in PROGRAMS {
        let mpiexec = stage.mpiexec(*ranks).vps(2).args(*arguments);
        expect_values(&mpiexec.run(&compile(name).build()), keywords);
    }
}

#[test]
fn programs_find_their_results_right_in_two_processes_over_tcp() {
    let stage = Stage::locate();
    let hosts = ["--hosts-per-node", "2", "--transport", "ofi"];
    for (name, ranks, arguments, keywords) in PROGRAMS {
        let mpiexec = stage.mpiexec(*ranks).options(hosts).options(TCP).args(*arguments);
        expect_values(&mpiexec.run(&compile(name).build()), keywords);
    }
}

#[test]
fn the_kernel_in_blocks_without_mpi_finds_its_result_right() {
    let program = compile(KERNEL).build();
    for blocks in ["1", "4", "32"] {
        let mpiexec = Stage::locate().mpiexec(1);
        let run = mpiexec.args([blocks, "4", "8", "4", "8"]).run(&program);
        run.expect_success();
    }
}

#[test]
fn a_wrong_result_ends_a_program_without_a_value() {
    let run = Stage::locate()
        .mpiexec(2)
        .args(["64", "1"])
        .run(&compile("conduction").build());
    assert!(!run.success() && !run.stdout.contains("iteration"), "{run}");
    assert!(run.stderr.contains("the residual is"), "{run}");
}
