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
    // A tick now and then, but nothing that grows with the ranks or polls.
    assert!(used.is_some_and(|milliseconds| milliseconds < 50.0), "{run}");
}

/// The kernel limits them, and the user's guide says how many ranks there may be.
#[test]
fn a_rank_takes_few_mappings() {
    let stage = Stage::locate();
    let source = "tests/c/mappings.c";
    for (program, most) in [(Compile::c(source), 14), (Compile::cxx(source), 21)] {
        let program = program.against(&stage).build();
        let mappings = |ranks| -> usize {
            let run = stage.mpiexec(ranks).run(&program);
            run.expect_success().stdout.trim().parse().unwrap()
        };
        let of_more = (mappings(110) - mappings(10)) / 100;
        assert!(of_more <= most, "{of_more} for each rank, not {most}");
    }
}
