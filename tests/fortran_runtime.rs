//! Fortran's run-time in a rank: nothing that a rank has written is lost, however the job ends; crashes and errors name
//! the rank and the line; input and output belong to the ranks. The outputs of the jobs are files.

use simurgh_testing::{Binary, Compile, Deadline, Mpiexec, Outcome, Scratch, Stage};
use std::fmt::Write;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

/// The compilers, of which each brings a run-time of its own.
const COMPILERS: [&str; 2] = ["gfortran", "flang-new-19"];

/// How ranks run: several, and more than virtual processors; on one host, and on two; as processes.
const WAYS: [(usize, &[&str]); 4] = [
    (3, &["--vps", "2"]),
    (11, &["--vps", "2"]),
    (5, &["--vps", "1", "--hosts-per-node", "2"]),
    (3, &["--mode", "processes"]),
];

fn compile(compiler: &str, flags: &[&str]) -> Binary {
    Compile::by(compiler, "tests/fortran/runtime.f90")
        .flags(["-g", "-O0", "-fstack-arrays"])
        .flags(flags)
        .against(&Stage::locate())
        .build()
}

/// The program by the compiler with this number.
fn program(number: usize) -> &'static Binary {
    static PROGRAMS: [OnceLock<Binary>; 2] = [OnceLock::new(), OnceLock::new()];
    PROGRAMS[number].get_or_init(|| compile(COMPILERS[number], &[]))
}

fn mpiexec(ranks: usize, options: &[&str], arguments: &[&str]) -> Mpiexec {
    Stage::locate().mpiexec(ranks).options(options).args(arguments)
}

/// Runs a job in which rank 1 ends in this way, for all compilers and ways to run, and passes the number of the
/// compiler and the outcome on. All that the ranks have written before is there.
#[track_caller]
fn end_by(arguments: &[&str], check: impl Fn(usize, &Outcome)) {
    for compiler in 0..COMPILERS.len() {
        for (ranks, options) in WAYS {
            let folder = Scratch::new("units");
            let run = mpiexec(ranks, options, arguments).env("RUNTIME_FOLDER", folder.path());
            let outcome = run.run(program(compiler));
            check(compiler, &outcome);
            for rank in 0..ranks {
                expect_all_written(&outcome, folder.path(), rank);
            }
        }
    }
}

/// All that the rank has written is there: in its standard output, and in its two files.
#[track_caller]
fn expect_all_written(outcome: &Outcome, folder: &Path, rank: usize) {
    for line in 1..=3 {
        let said = format!("rank {rank} line {line}");
        // Before it, there may be an incomplete line of another process.
        let times = outcome
            .stdout
            .lines()
            .filter(|line| line.ends_with(&said))
            .count();
        assert_eq!(times, 1, "{said}: {outcome}");
    }
    let formatted = std::fs::read_to_string(folder.join(format!("rank.{rank}")));
    let unformatted = std::fs::read(folder.join(format!("rank.{rank}.raw")));
    let expected = "number 1\nnumber 2\nnumber 3\n";
    assert_eq!(formatted.unwrap(), expected, "rank {rank}: {outcome}");
    let number = u32::try_from(rank).unwrap();
    let expected = [number.to_le_bytes(), 4321_u32.to_le_bytes()].concat();
    assert_eq!(unformatted.unwrap(), expected, "rank {rank}: {outcome}");
}

/// The messages of mpiexec and its hosts.
fn messages(outcome: &Outcome) -> Vec<&str> {
    let lines = outcome.stderr.lines();
    lines.filter(|line| line.starts_with("simurgh: ")).collect()
}

/// The report of a crash names the rank, the signal and the line, and the run-time reports nothing.
#[track_caller]
fn expect_crash(outcome: &Outcome, code: i32, cause: &str, function: &str) {
    outcome
        .expect_code(code)
        .expect_stderr("simurgh: rank 1 (")
        .expect_stderr(cause)
        .expect_stderr(function)
        .expect_stderr("runtime.f90:");
    assert_eq!(messages(outcome).len(), 1, "{outcome}");
    assert!(!outcome.stderr.contains("Program received signal"), "{outcome}");
}

#[test]
fn nothing_is_lost_where_a_rank_aborts() {
    end_by(&["abort"], |_, outcome| {
        outcome.expect_code(7);
        let said = ["simurgh: rank 1 ended the job with code 7: it called MPI_Abort"];
        assert_eq!(messages(outcome), said, "{outcome}");
    });
}

#[test]
fn a_unit_that_a_rank_is_writing_to_keeps_nothing_back() {
    end_by(&["in_write"], |_, outcome| {
        outcome.expect_code(7);
    });
    end_by(&["segv_in_write"], |_, outcome| {
        expect_crash(
            outcome,
            139,
            "segmentation fault (SIGSEGV) at address 0x8",
            "end_by",
        );
    });
}

#[test]
fn the_status_of_a_stop_is_that_of_the_job() {
    let ways = [
        (["stop_3"], 3),
        (["error_stop"], 1),
        (["error_stop_3"], 3),
        // A rank that others need has not ended well, whatever its status is.
        (["stop"], 1),
    ];
    // The host gives up after 2 s on a run-time that does not write out what it holds, in each of these 24 jobs.
    let mut deadline = Deadline::after(Duration::from_secs(24));
    for (arguments, code) in ways {
        end_by(&arguments, |_, outcome| {
            outcome.expect_code(code);
            let said = messages(outcome);
            assert_eq!(said.len(), 1, "{outcome}");
            assert!(said[0].starts_with("simurgh: rank 1 ("), "{outcome}");
            assert!(said[0].ends_with("without calling MPI_Finalize"), "{outcome}");
        });
    }
    assert!(!deadline.has_passed(), "the jobs ended late");
    for compiler in 0..COMPILERS.len() {
        for (ranks, options) in WAYS {
            let outcome = mpiexec(ranks, options, &["stop_after"]).run(program(compiler));
            outcome.expect_code(3);
            assert!(messages(&outcome).is_empty(), "{outcome}");
        }
    }
}

#[test]
fn errors_of_the_run_time_give_rank_and_line() {
    end_by(&["runtime_error"], |compiler, outcome| {
        outcome.expect_stderr("simurgh: rank 1 (");
        match COMPILERS[compiler] {
            "gfortran" => {
                outcome.expect_code(2).expect_stderr("At line ");
                outcome.expect_stderr("Fortran runtime error: Bad value during integer read\n");
                outcome.expect_stderr("ended with status 2 without calling MPI_Finalize");
            }
            _ => {
                outcome.expect_code(134).expect_stderr("aborted (SIGABRT)");
                outcome.expect_stderr("fatal Fortran runtime error(");
            }
        }
        outcome.expect_stderr("runtime.f90");
        assert_eq!(messages(outcome).len(), 1, "{outcome}");
    });
}

#[test]
fn crashes_are_reported_with_the_lines_of_the_program() {
    end_by(&["segv"], |_, outcome| {
        expect_crash(
            outcome,
            139,
            "segmentation fault (SIGSEGV) at address 0x8",
            "end_by",
        );
    });
}

#[test]
fn arrays_that_overflow_the_stack_say_so_wherever_they_reach() {
    let expect = |function: &str, size: &str, outcome: &Outcome| {
        let advice = match outcome.stderr.contains("ulimit -s") {
            true => "has overflown its stack: give it more with ulimit -s".to_owned(),
            false => format!("has overflown its stack of 8192 KiB: give it more with --stack-size {size}"),
        };
        expect_crash(outcome, 139, &advice, function);
    };
    // The first of these arrays ends in what would be the stack of the next rank.
    for (bytes, size) in [("12000000", "32M"), ("100000000", "128M")] {
        for way in ["stack_low", "stack_middle"] {
            end_by_with_a_stack_of_8_mib(&[way, bytes], |outcome| expect("deep", size, outcome));
        }
    }
    end_by_with_a_stack_of_8_mib(&["recursion"], |outcome| {
        expect("endless", "32M", outcome);
    });
}

/// As [`end_by`], with the same stack wherever the tests run.
#[track_caller]
fn end_by_with_a_stack_of_8_mib(arguments: &[&str], check: impl Fn(&Outcome)) {
    for compiler in 0..COMPILERS.len() {
        for (ranks, options) in WAYS {
            let options = [options, &["--stack-size", "8M"]].concat();
            check(&mpiexec(ranks, &options, arguments).run(program(compiler)));
        }
    }
}

#[test]
fn a_rank_traps_for_itself() {
    let traps = compile("gfortran", &["-ffpe-trap=invalid,zero,overflow"]);
    let traps = traps.path().display().to_string();
    let kinds = [
        ("zero", "floating-point division by zero"),
        ("overflow", "floating-point overflow"),
        ("invalid", "invalid floating-point operation"),
    ];
    for (ranks, options) in WAYS {
        for (kind, cause) in kinds {
            let run = mpiexec(ranks, options, &[kind, ":", "-n", "1", &traps, kind]);
            let outcome = run.run(program(0));
            outcome
                .expect_code(136)
                .expect_stderr(&format!("simurgh: rank {ranks} ("))
                .expect_stderr(&format!("crashed: arithmetic error (SIGFPE), {cause}\n"))
                .expect_stderr("is_special")
                .expect_stderr("runtime.f90:");
            assert!(!outcome.stderr.contains("Program received signal"), "{outcome}");
            let mut expected: Vec<_> = (0..ranks).map(|rank| format!("rank {rank} goes on T")).collect();
            expected.sort_unstable();
            assert_eq!(outcome.sorted_lines(), expected, "{outcome}");
        }
    }
}

#[test]
fn rank_0_alone_reads_the_input() {
    for compiler in 0..COMPILERS.len() {
        for (ranks, options) in WAYS {
            let run = mpiexec(ranks, options, &["read"]).input("11\n22\n33\n");
            let outcome = run.run(program(compiler));
            outcome.expect_success();
            let mut expected = vec!["rank 0 read 11 and 22, end F".to_owned()];
            expected.extend((1..ranks).map(|rank| format!("rank {rank} read 0 and 0, end T")));
            expected.sort_unstable();
            assert_eq!(outcome.sorted_lines(), expected, "{outcome}");
        }
    }
}

/// The lines that a rank writes in pieces.
fn lines_of(rank: usize) -> String {
    (1..=200).fold(String::new(), |mut text, line| {
        let _ = writeln!(text, "from {rank} {line} to the end");
        text
    })
}

#[test]
fn lines_are_whole_tagged_and_apart() {
    for compiler in 0..COMPILERS.len() {
        for (ranks, options) in WAYS {
            let run = |more: &[&str]| {
                let outcome = mpiexec(ranks, options, &["lines"])
                    .options(more)
                    .run(program(compiler));
                outcome.expect_success();
                outcome
            };
            // Processes that share a file write whole buffers into it.
            if !options.contains(&"processes") {
                expect_lines(&run(&[]).stdout, ranks, |_| String::new());
            }
            expect_lines(&run(&["-l"]).stdout, ranks, |rank| format!("[{rank}] "));
            let folder = Scratch::new("lines");
            let directory = folder.path().display().to_string();
            assert_eq!(run(&["--output-dir", &directory]).stdout, "");
            for rank in 0..ranks {
                let kept = std::fs::read_to_string(folder.path().join(format!("rank.{rank}/stdout")));
                assert_eq!(kept.unwrap(), lines_of(rank));
            }
        }
    }
}

/// Each rank has written its lines, in their order and with their tag, and nothing else has been written.
#[track_caller]
fn expect_lines(text: &str, ranks: usize, tag: impl Fn(usize) -> String) {
    assert_eq!(text.lines().count(), 200 * ranks, "{text}");
    for rank in 0..ranks {
        let (tag, own) = (tag(rank), format!("from {rank} "));
        let own = text
            .lines()
            .filter_map(|line| line.strip_prefix(&tag))
            .filter(|line| line.starts_with(&own));
        let found = own.fold(String::new(), |text, line| text + line + "\n");
        assert_eq!(found, lines_of(rank));
    }
}

#[test]
fn a_run_time_in_the_program_is_known_too() {
    let program = compile("gfortran", &["-static-libgfortran"]);
    for (ranks, options) in WAYS {
        let outcome = mpiexec(ranks, options, &["segv"]).run(&program);
        expect_crash(
            &outcome,
            139,
            "segmentation fault (SIGSEGV) at address 0x8",
            "end_by",
        );
        let folder = Scratch::new("units");
        let run = mpiexec(ranks, options, &["abort", "21"]).env("RUNTIME_FOLDER", folder.path());
        run.run(&program).expect_code(7);
        for rank in 0..ranks {
            let kept = std::fs::read_to_string(folder.path().join(format!("rank.{rank}")));
            assert_eq!(kept.unwrap(), "number 1\nnumber 2\nnumber 3\n");
        }
    }
}

#[test]
fn the_run_time_of_a_program_that_keeps_standard_output_back_is_flushed() {
    for compiler in 0..COMPILERS.len() {
        for (ranks, options) in WAYS {
            let run = mpiexec(ranks, options, &["abort"]).env("GFORTRAN_UNBUFFERED_PRECONNECTED", "n");
            let outcome = run.run(program(compiler));
            outcome.expect_code(7);
            assert_eq!(outcome.stdout.lines().count(), 3 * ranks, "{outcome}");
        }
    }
}
