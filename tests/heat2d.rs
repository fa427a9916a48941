//! The heat conduction example, in C and in Fortran: the result does not depend on the number of ranks, nor on the
//! language.

use simurgh_testing::{Binary, Compile, Scratch, Stage};

fn compiled(stage: &Stage) -> Binary {
    Compile::c("examples/heat2d.c")
        .flags(["-O2", "-Wall", "-Wextra", "-Werror"])
        .against(stage)
        .libraries(["-lm"])
        .build()
}

fn compiled_fortran(stage: &Stage, scratch: &Scratch, compiler: &str) -> Binary {
    let modules = if compiler == "gfortran" {
        "-J"
    } else {
        "-module-dir"
    };
    Compile::by(stage.tool("mpifort"), "examples/heat2d.f90")
        .flags([&format!("-fc={compiler}"), "-O2", modules])
        .flags([scratch.path()])
        .output(scratch.path().join("heat2d"))
        .build()
}

/// The largest change and the checksum. Fortran writes numbers in another form.
fn numbers(lines: &[String]) -> (f64, &str) {
    let largest = lines[0].rsplit(' ').next().and_then(|number| number.parse().ok());
    (largest.expect("a number"), &lines[1])
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
fn the_plate_is_the_same_in_fortran_bit_by_bit() {
    let stage = Stage::locate();
    let in_c = result(&stage, &compiled(&stage), 6);
    for compiler in ["gfortran", "flang-new-19"] {
        let scratch = Scratch::new("heat2d");
        let program = compiled_fortran(&stage, &scratch, compiler);
        for ranks in [1, 6, 16, 64] {
            let in_fortran = result(&stage, &program, ranks);
            assert_eq!(numbers(&in_fortran), numbers(&in_c), "{compiler}, {ranks} ranks");
        }
    }
}

#[test]
fn a_bad_argument_ends_the_job_with_a_message() {
    let stage = Stage::locate();
    let scratch = Scratch::new("heat2d");
    for program in [compiled(&stage), compiled_fortran(&stage, &scratch, "gfortran")] {
        let run = stage.mpiexec(4).args(["-n", "0"]).run(&program);
        run.expect_code(1).expect_stderr("a side has 1 to 32768 cells");
    }
}
