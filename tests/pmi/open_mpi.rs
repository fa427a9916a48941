//! Our launcher starts programs of Open MPI, which find each other by PMIx.

use simurgh_testing::{Input, LIMIT, Outcome, Scratch, Stage, of_open_mpi, passed, run, sums};
use std::path::Path;

fn started(words: &[&str]) -> Outcome {
    let mut command = std::process::Command::new(Stage::locate().tool("mpiexec"));
    run(command.args(words), Input::Bytes(b""), LIMIT).unwrap()
}

#[test]
fn programs_of_open_mpi_are_one_job() {
    let Some(program) = of_open_mpi("launch_mpi") else {
        return;
    };
    let path = program.path().to_str().unwrap();
    for (options, ranks) in [
        (&["-n", "1"][..], 1),
        (&["-n", "4"], 4),
        (&["-n", "3", "--mode", "processes"], 3),
    ] {
        let outcome = started(&[options, &[path]].concat());
        assert_eq!(outcome.expect_success().sorted_lines(), sums(ranks), "{outcome}");
        outcome.expect_no_complaints();
    }
    let tagged = started(&["-n", "2", "-l", path]);
    let lines: Vec<_> = (0..)
        .zip(sums(2))
        .map(|(rank, line)| format!("[{rank}] {line}"))
        .collect();
    assert_eq!(tagged.expect_success().sorted_lines(), lines, "{tagged}");
    // This program does not look like one of Open MPI.
    let scratch = Scratch::new("script");
    let script = scratch.write_program("script", &format!("#!/bin/sh\nexec {path}\n"));
    let outcome = started(&["-n", "2", "--pmi", "pmix", script.to_str().unwrap()]);
    assert_eq!(outcome.expect_success().sorted_lines(), sums(2), "{outcome}");
}

#[test]
fn their_messages_arrive() {
    let Some(program) = of_open_mpi("other_mpi") else {
        return;
    };
    let path = program.path().to_str().unwrap();
    let nodes = ["-n", "6", "--launcher", "fork", "-hosts"];
    for (options, ranks, on_node) in [
        (&["-n", "3"][..], 3, "3"),
        (&[&nodes[..], &["a,b"]].concat(), 6, "3"),
        // Neighbours in rank are on different nodes, and agents start agents.
        (
            &[
                &nodes[..],
                &["a:2,b:2,c:2", "--map-by", "node", "--tree-width", "1"],
            ]
            .concat(),
            6,
            "2",
        ),
    ] {
        let outcome = started(&[options, &[path, on_node]].concat());
        assert_eq!(outcome.expect_success().stdout, passed(ranks), "{outcome}");
        outcome.expect_no_complaints();
    }
}

#[test]
fn what_their_processes_show_is_fetched_from_other_nodes() {
    let Some(program) = of_open_mpi("other_mpi") else {
        return;
    };
    // No fence brings this data, so they ask for it when they need it.
    let alone = ["-genv", "OMPI_MCA_pmix_base_async_modex", "1"];
    let only = ["-genv", "OMPI_MCA_pmix_base_collect_data", "0"];
    let nodes = ["-n", "4", "--launcher", "fork", "-hosts", "a,b"];
    let words = [
        &nodes[..],
        &alone,
        &only,
        &[program.path().to_str().unwrap(), "2"],
    ];
    let outcome = started(&words.concat());
    assert_eq!(outcome.expect_success().stdout, passed(4), "{outcome}");
}

#[test]
fn their_failures_end_the_job() {
    let Some(program) = of_open_mpi("launch_mpi") else {
        return;
    };
    let path = program.path().to_str().unwrap();
    for nodes in [&[][..], &["--launcher", "fork", "-hosts", "a,b"]] {
        let ended = |way: [&str; 2]| started(&[nodes, &["-n", "3", path], &way].concat());
        // Other processes would report its loss if it ended before the job does.
        ended(["abort", "7"])
            .expect_code(7)
            .expect_stderr("simurgh: rank 1 (")
            .expect_stderr("ended the job with status 7\n");
        ended(["return", "3"])
            .expect_code(3)
            .expect_stderr("ended with status 3 without calling MPI_Finalize");
    }
}

/// The entries of a directory whose names contain a text.
fn named(directory: &Path, text: &str) -> Vec<String> {
    let entries = std::fs::read_dir(directory).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    names.filter(|name| name.contains(text)).collect()
}

#[test]
fn nothing_is_left_of_their_files() {
    let (Some(talks), Some(ends)) = (of_open_mpi("other_mpi"), of_open_mpi("launch_mpi")) else {
        return;
    };
    let scratch = Scratch::new("files");
    // The names of files contain their node.
    let own = format!("left{}", std::process::id());
    let nodes = format!("{own}a,{own}b");
    for words in [
        &[talks.path().to_str().unwrap(), "2"][..],
        &[ends.path().to_str().unwrap(), "abort", "7"],
    ] {
        let mut command = std::process::Command::new(Stage::locate().tool("mpiexec"));
        command.args(["-n", "4", "--launcher", "fork", "-hosts", &nodes]);
        command.args(words).env("TMPDIR", scratch.path());
        let outcome = run(&mut command, Input::Bytes(b""), LIMIT).unwrap();
        assert_eq!(outcome.success(), words.len() == 2, "{outcome}");
        assert_eq!(named(scratch.path(), ""), [""; 0], "{outcome}");
        for directory in ["/tmp", "/dev/shm"] {
            assert_eq!(named(Path::new(directory), &own), [""; 0], "{outcome}");
        }
    }
}

#[test]
fn what_would_not_be_one_job_is_not_started() {
    let Some(program) = of_open_mpi("launch_mpi") else {
        return;
    };
    let path = program.path().to_str().unwrap();
    for (words, reason) in [
        (
            &["-n", "1", path, ":", "-n", "1", "hostname"][..],
            "programs of Open MPI cannot be in one job with others: they would not find each other",
        ),
        (
            &["-n", "2", "--mode", "threads", path],
            "cannot run in threads mode: it is linked to Open MPI (libmpi.so.40)",
        ),
    ] {
        let outcome = started(words);
        assert!(!outcome.success(), "{outcome}");
        outcome.expect_stderr(reason);
        assert_eq!(
            (outcome.stderr.lines().count(), outcome.stdout.as_str()),
            (1, ""),
            "{outcome}"
        );
    }
}
