//! The heat conduction example: the result does not depend on the number of ranks.

use simurgh_testing::{Binary, Compile, Stage};

fn compiled(stage: &Stage) -> Binary {
    Compile::c("examples/heat2d.c")
        .flags(["-O2", "-Wall", "-Wextra", "-Werror"])
        .against(stage)
        .libraries(["-lm"])
        .build()
}

fn result(stage: &Stage, program: &Binary, ranks: usize) -> Vec<String> {
    let run = stage.mpiexec(ranks).args(["-n", "150", "-s", "60"]).run(program);
    run.expect_success();
    let lines = run
        .stdout
        .lines()
        .filter(|line| line.starts_with("checksum") || line.starts_with("largest"));
    lines.map(str::to_owned).collect()
}

#[test]
fn the_plate_does_not_depend_on_the_number_of_ranks() {
    let stage = Stage::locate();
    let program = compiled(&stage);
    let one = result(&stage, &program, 1);
    assert_eq!(one.len(), 2, "{one:?}");
    for ranks in [2, 6, 16, 64] {
        assert_eq!(result(&stage, &program, ranks), one, "{ranks} ranks");
    }
}

#[test]
fn a_bad_argument_ends_the_job_with_a_message() {
    let stage = Stage::locate();
    let run = stage.mpiexec(4).args(["-n", "0"]).run(&compiled(&stage));
    run.expect_code(1).expect_stderr("a side has 1 to 32768 cells");
}
