//! Memory that a rank uses wrongly is told: some of it always, more of it with `--check`.

use simurgh_testing::{Binary, Compile, Outcome, Stage};

const RANKS: usize = 3;
/// The status of a rank that has aborted.
const ABORTED: i32 = 134;

fn program() -> Binary {
    Compile::c("tests/c/memory_faults.c")
        .flags([
            "-O1",
            "-g",
            "-Wall",
            "-Wextra",
            "-fno-builtin",
            "-Wno-use-after-free",
        ])
        .libraries(["-lpthread"])
        .against(&Stage::locate())
        .build()
}

fn run(program: &Binary, option: &str, fault: &str) -> Outcome {
    let mpiexec = Stage::locate().mpiexec(RANKS).mode("threads");
    mpiexec.options([option]).args([fault]).run(program)
}

/// Runs the program, and expects that the last rank is told of this fault.
#[track_caller]
fn expect(program: &Binary, option: &str, fault: &str, texts: &[&str]) {
    let run = run(program, option, fault);
    run.expect_code(ABORTED);
    let begin = format!("simurgh: rank {} (", RANKS - 1);
    assert!(run.stderr.starts_with(&begin), "{fault}: {run}");
    for text in texts {
        assert!(run.stderr.contains(text), "{fault}, {text}: {run}");
    }
}

#[test]
fn faults_that_cost_nothing_to_see_are_told_always() {
    let program = program();
    let never = &["in free_here at ", "tests/c/memory_faults.c:30"][..];
    for (fault, call) in [
        ("twice-long", "called free(0x3"),
        ("inside-long", "called free(0x3"),
        ("never", "called free(0x3"),
    ] {
        expect(
            &program,
            "--no-check",
            fault,
            &[call, "where no block in use begins"],
        );
        expect(&program, "--no-check", fault, never);
    }
    for fault in ["twice-long-realloc", "never-realloc"] {
        let texts = [
            "called realloc(0x3",
            "where no block in use begins",
            "in do_wrong at ",
        ];
        expect(&program, "--no-check", fault, &texts);
    }
}

#[test]
fn an_address_where_no_heap_has_been_is_named_in_the_report_of_the_crash() {
    let run = run(&program(), "--no-check", "far");
    run.expect_stderr("that belongs to no block (a wild pointer to free or realloc?)");
}

#[test]
fn faults_are_told_with_the_calls_if_blocks_are_checked() {
    let program = program();
    let allocated = "allocated in allocate_here at ";
    let freed = "freed in free_here at ";
    let seen = "\n in free_here at ";
    let line = "memory_faults.c:30\n   called by do_wrong at ";
    let cases: [(&str, &[&str]); 9] = [
        (
            "twice",
            &[
                "a block of 100 bytes that has been freed",
                seen,
                line,
                allocated,
                freed,
            ],
        ),
        (
            "twice-long",
            &["a block of 200000 bytes that has been freed", allocated, freed],
        ),
        (
            "inside",
            &[
                "which is 16 bytes behind the beginning of a block of 100 bytes",
                seen,
                allocated,
            ],
        ),
        ("never", &["where no block in use begins", seen]),
        (
            "behind",
            &[
                "has a block of 100 bytes at 0x3",
                "first at byte 100 (seen in free)",
                seen,
                allocated,
            ],
        ),
        (
            "behind-aligned",
            &[
                "has a block of 100 bytes at 0x3",
                "first at byte 100 (seen in free)",
                seen,
            ],
        ),
        (
            "behind-realloc",
            &[
                "first at byte 103 (seen in realloc)",
                "\n in do_wrong at ",
                allocated,
            ],
        ),
        (
            "behind-end",
            &["first at byte 100 (seen at the end of the rank)", allocated],
        ),
        (
            "before",
            &[
                "before whose beginning something has been written (seen in free)",
                allocated,
            ],
        ),
    ];
    for (fault, texts) in cases {
        expect(&program, "--check", fault, texts);
    }
    let other = [
        "a block of 333 bytes that has been freed",
        "the block is one of rank 0",
        allocated,
        freed,
    ];
    expect(&program, "--check", "other", &other);
    expect(
        &program,
        "--check",
        "far",
        &["where no block in use begins", seen],
    );
}

#[test]
fn a_right_use_is_not_reported() {
    let program = program();
    for option in ["--check", "--no-check"] {
        let run = run(&program, option, "nothing");
        run.expect_success().expect_no_complaints();
        assert_eq!(run.stdout.lines().count(), RANKS, "{run}");
    }
}

/// The array is allocated and freed by code that the compiler makes of statements.
#[test]
fn a_fortran_program_is_told_of_writes_behind_an_allocatable_array() {
    let stage = Stage::locate();
    let program = Compile::by(stage.tool("mpifort"), "tests/fortran/out_of_bounds.f90")
        .flags(["-O1", "-g", "-fno-inline"])
        .build();
    let texts = [
        "has a block of 8000 bytes at 0x3",
        "behind whose end something has been written, first at byte 800",
        "in out_of_bounds at ",
        "tests/fortran/out_of_bounds.f90:12",
        "allocated in make at ",
        "tests/fortran/out_of_bounds.f90:20",
        "tests/fortran/out_of_bounds.f90:10",
    ];
    let mpiexec = stage.mpiexec(RANKS).mode("threads");
    let run = mpiexec.options(["--check"]).run(&program);
    run.expect_code(ABORTED);
    assert!(
        run.stderr.starts_with(&format!("simurgh: rank {} (", RANKS - 1)),
        "{run}"
    );
    for text in texts {
        assert!(run.stderr.contains(text), "{text}: {run}");
    }
}
