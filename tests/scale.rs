//! Many ranks in one process.

use std::collections::BTreeSet;

use simurgh_testing::{Compile, Stage};

fn all_say_hello(ranks: usize) {
    let stage = Stage::locate();
    let program = Compile::c("benches/c/hello.c")
        .flags(["-O2"])
        .against(&stage)
        .build();
    let run = stage.mpiexec(ranks).run(&program);
    run.expect_success();
    let expected: BTreeSet<String> = (0..ranks)
        .map(|rank| format!("hello from rank {rank} of {ranks}"))
        .collect();
    let said: BTreeSet<String> = run.stdout.lines().map(str::to_owned).collect();
    assert!(
        said == expected && run.stdout.lines().count() == ranks,
        "{} lines of {ranks}",
        said.len()
    );
}

#[test]
fn a_thousand_ranks_start_and_end() {
    all_say_hello(1024);
}

#[test]
fn two_and_a_half_thousand_ranks_start_and_end() {
    all_say_hello(2500);
}

#[test]
fn a_thousand_waiting_ranks_use_no_processor() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/idle.c")
        .flags(["-O2", "-Wall", "-Wextra"])
        .against(&stage)
        .build();
    let run = stage.mpiexec(1000).run(&program);
    let used = run
        .expect_success()
        .stdout
        .trim()
        .rsplit(' ')
        .next()
        .and_then(|number| number.parse::<f64>().ok());
    // There may be a tick now and then, but nothing that grows with the ranks or polls.
    assert!(used.is_some_and(|milliseconds| milliseconds < 50.0), "{run}");
}

#[test]
fn starting_a_rank_takes_as_long_as_starting_another() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/start_cost.c")
        .flags(["-O2", "-Wall", "-Wextra"])
        .against(&stage)
        .build();
    let milliseconds = |ranks| -> f64 {
        let run = stage.mpiexec(ranks).run(&program);
        run.expect_success().stdout.trim().parse().unwrap()
    };
    let (few, many) = (milliseconds(1000), milliseconds(4000));
    // Four times as many would take sixteen times as long if each had to look at all that came before.
    assert!(many < 8.0 * few, "1000 ranks take {few} ms, 4000 take {many} ms");
}

/// Profilers open the files that `/proc/self/maps` names to find the function at an address.
#[test]
fn code_is_mapped_from_files_and_the_loader_has_few_objects() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/pages.c")
        .flags(["-O2", "-Wall", "-Wextra"])
        .against(&stage)
        .build();
    let objects = |ranks: usize, mode: &str| -> usize {
        let run = stage.mpiexec(ranks).mode(mode).run(&program);
        let lines: Vec<&str> = run.expect_success().stdout.lines().collect();
        let good = lines
            .iter()
            .filter(|line| **line == "executable pages OK, main's caller OK");
        assert_eq!(good.count(), ranks, "{run}");
        let counts = lines.iter().filter_map(|line| line.strip_prefix("objects "));
        counts.map(|count| count.parse().unwrap()).max().unwrap()
    };
    let few = objects(1, "threads");
    assert_eq!(
        few,
        objects(30, "threads"),
        "the loader's list grows with the ranks"
    );
    objects(2, "processes");
}

/// The kernel limits them, and the user's guide says how many ranks there may be.
#[test]
fn a_rank_takes_few_mappings() {
    let stage = Stage::locate();
    let source = "tests/c/mappings.c";
    for (program, most) in [(Compile::c(source), 9), (Compile::cxx(source), 14)] {
        let program = program.against(&stage).build();
        let mappings = |ranks| -> usize {
            let run = stage.mpiexec(ranks).run(&program);
            run.expect_success().stdout.trim().parse().unwrap()
        };
        let of_more = (mappings(110) - mappings(10)) / 100;
        assert!(of_more <= most, "{of_more} for each rank, not {most}");
    }
}
