//! Crashes: the message names the rank, the reason and the place. The job ends with 128 + signal, and the process by
//! the signal, so that there is a core file where one is wanted.

use simurgh_testing::{Binary, Compile, LIMIT, Outcome, Scratch, Stage, Started, behind};
use std::ffi::OsStr;

/// Runs three ranks that crash in some way.
fn crash(way: &str, options: &[&str]) -> Outcome {
    let program = Compile::c("tests/c/launch_crash.c")
        .flags(["-g", "-O1", "-pthread", "-w"])
        .build();
    let outcome = Stage::locate()
        .mpiexec(3)
        .options(options)
        .args([way])
        .run(&program);
    assert!(outcome.stdout.contains("before the crash\n"), "{outcome}");
    assert!(outcome.stderr.contains("simurgh: rank "), "{outcome}");
    assert!(outcome.stderr.contains("launch_crash) "), "{outcome}");
    outcome
}

#[test]
fn a_segmentation_fault_shows_the_place() {
    let outcome = crash("segv", &[]);
    outcome
        .expect_code(139)
        .expect_stderr("segmentation fault (SIGSEGV) at address 0x0");
    outcome
        .expect_stderr("write_nowhere at ")
        .expect_stderr("launch_crash.c:")
        .expect_stderr("main at ");
}

#[test]
fn a_stack_overflow_says_so() {
    let outcome = crash("stack", &["--stack-size", "512K"]);
    outcome
        .expect_code(139)
        .expect_stderr("has overflown its stack of 512 KiB: give it more with --stack-size 2M");
    outcome.expect_stderr("endless at ").expect_stderr("more times");
}

#[test]
fn the_stack_overflow_of_a_thread_says_so() {
    crash("thread", &[])
        .expect_code(139)
        .expect_stderr("has overflown the stack of one of its threads");
}

#[test]
fn arithmetic_errors_and_aborts_are_told_apart() {
    crash("divide", &[]).expect_code(136).expect_stderr("SIGFPE");
    crash("abort", &[])
        .expect_code(134)
        .expect_stderr("aborted (SIGABRT)");
    crash("assert", &[]).expect_code(134).expect_stderr("Assertion");
}

/// A program that crashes after MPI_Init.
fn mpi_program() -> Binary {
    Compile::c("tests/c/crash_mpi.c")
        .flags(["-g", "-O1", "-pthread", "-w"])
        .against(&Stage::locate())
        .build()
}

#[test]
fn ranks_that_are_processes_say_where_they_crash() {
    let program = mpi_program();
    for (way, code, words) in [
        ("segv", 139, "segmentation fault (SIGSEGV) at address 0x0"),
        (
            "stack",
            139,
            "has overflown its stack: give it more with ulimit -s",
        ),
        ("divide", 136, "arithmetic error (SIGFPE)"),
        ("abort", 134, "aborted (SIGABRT)"),
    ] {
        let mpiexec = Stage::locate().mpiexec(3).mode("processes");
        let outcome = mpiexec.args([way]).run(&program);
        outcome
            .expect_code(code)
            .expect_stderr("simurgh: rank ")
            .expect_stderr("crash_mpi) ")
            .expect_stderr(words)
            .expect_stderr("launch_crash.c:");
        assert_eq!(outcome.stderr.matches("simurgh: ").count(), 1, "{outcome}");
        assert!(outcome.stdout.contains("before the crash"), "{outcome}");
    }
    let own = Stage::locate().mpiexec(1).mode("processes").args(["own"]);
    let outcome = own.run(&program);
    outcome.expect_code(3);
    assert!(outcome.stderr.starts_with("its own handler\n"), "{outcome}");
}

/// A thread of the library looks for the network while the program goes on. The handlers stay, whatever the libraries
/// of providers would do.
#[test]
fn processes_of_several_nodes_say_where_they_crash() {
    let program = mpi_program();
    for _ in 0..3 {
        let mpiexec = Stage::locate().mpiexec(2).mode("processes").args(["segv"]);
        let mpiexec = mpiexec.options(["--launcher", "fork", "-hosts", "a,b"]);
        let outcome = mpiexec.run(&program);
        outcome
            .expect_code(139)
            .expect_stderr("segmentation fault (SIGSEGV) at address 0x0")
            .expect_stderr("launch_crash.c:");
        // The agents of the nodes signal no process that ends by itself, and that writes out its buffers before.
        assert!(outcome.stdout.contains("before the crash"), "{outcome}");
    }
}

/// The program goes on while the thread that will report its crash still connects with the others.
#[test]
fn processes_that_crash_while_they_connect_say_where() {
    let program = mpi_program();
    for options in [
        &["--transport", "ofi"][..],
        &["--launcher", "fork", "-hosts", "a,b"],
    ] {
        let mpiexec = Stage::locate().mpiexec(2).mode("processes").options(options);
        let outcome = mpiexec.args(["segv", "session"]).run(&program);
        outcome
            .expect_code(139)
            .expect_stderr("segmentation fault (SIGSEGV) at address 0x0")
            .expect_stderr("launch_crash.c:");
    }
}

#[test]
fn a_crash_leaves_a_core_file() {
    let pattern = std::fs::read_to_string("/proc/sys/kernel/core_pattern").unwrap();
    if pattern.starts_with(['|', '/']) {
        eprintln!("skipped: core files go to {pattern}");
        return;
    }
    let program = mpi_program();
    for mode in ["threads", "processes"] {
        let folder = Scratch::new("core");
        let mpiexec = Stage::locate().mpiexec(2).mode(mode).args(["segv"]);
        let limitless = ["sh", "-c", "ulimit -c unlimited; cd \"$0\"; exec \"$@\""];
        let words = limitless.map(OsStr::new).into_iter();
        let command = behind(
            words.chain([folder.path().as_os_str()]),
            &mpiexec.command(&program),
        );
        Started::new(&command).ends(LIMIT).expect_code(139);
        let cores = std::fs::read_dir(folder.path()).unwrap();
        let cores = cores.map(|file| std::fs::read(file.unwrap().path()).unwrap());
        assert!(
            cores.into_iter().any(|core| core.starts_with(b"\x7fELF")),
            "{mode}"
        );
    }
}
