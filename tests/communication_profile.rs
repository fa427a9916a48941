//! Communication profiles (`--profile-out`), and the placement of ranks by them (`--place-by`).

use simurgh_testing::{Binary, Compile, Outcome, Scratch, Stage};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const RANKS: usize = 8;

fn pairs() -> Binary {
    Compile::c("tests/c/pairs.c")
        .flags(["-O2", "-Wall", "-Wextra", "-Werror"])
        .against(&Stage::locate())
        .build()
}

/// Runs the program with ranks that stay where they begin.
fn run(ranks: usize, options: &[&str]) -> Outcome {
    let mpiexec = Stage::locate().mpiexec(ranks).vps(2);
    mpiexec
        .options(["--policy", "balance"])
        .options(options)
        .run(&pairs())
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

/// The thread of each rank.
fn threads(outcome: &Outcome) -> BTreeMap<usize, String> {
    let of_rank = |line: &str| {
        let (rank, thread) = line.split_once(' ').expect("a rank and a thread");
        (rank.parse().expect("a rank"), thread.to_owned())
    };
    outcome.expect_success().stdout.lines().map(of_rank).collect()
}

#[test]
fn ranks_that_talk_much_begin_near_each_other() {
    let scratch = Scratch::new("profile");
    let profile = scratch.path().join("profile");
    let before = threads(&run(RANKS, &["--profile-out", text(&profile)]));
    let half = RANKS / 2;
    assert!(
        (0..half).all(|rank| before[&rank] != before[&(rank + half)]),
        "{before:?}"
    );
    let lines = std::fs::read_to_string(&profile).expect("the profile");
    assert_eq!(lines.lines().count(), 1 + 2 * RANKS, "{lines}");
    assert!(
        lines.contains("\n1 5 5 50000\n") && lines.contains("\n7 0 5 40\n"),
        "{lines}"
    );
    let outcome = run(RANKS, &["--place-by", text(&profile)]);
    let after = threads(&outcome);
    assert!(
        (0..half).all(|rank| after[&rank] == after[&(rank + half)]),
        "{after:?}"
    );
    let loads = after
        .values()
        .fold(BTreeMap::new(), |mut loads: BTreeMap<_, usize>, thread| {
            *loads.entry(thread).or_default() += 1;
            loads
        });
    assert!(loads.values().all(|load| *load == half), "{after:?}");
    // All long messages crossed before, and some short ones do afterwards.
    let told = outcome
        .stderr
        .split("between virtual processors ")
        .nth(1)
        .unwrap_or_default();
    let numbers: Vec<usize> = told
        .split(' ')
        .filter_map(|word| word.trim().parse().ok())
        .collect();
    assert_eq!(numbers.first(), Some(&(RANKS * 50_000 + 2 * 40)), "{outcome}");
    assert!(
        numbers.get(1).is_some_and(|after| *after <= RANKS * 40),
        "{outcome}"
    );
}

#[test]
fn hosts_write_a_file_each_and_read_them_all() {
    let scratch = Scratch::new("profile");
    let profile = scratch.path().join("profile");
    let hosts = ["--hosts-per-node", "2"];
    run(RANKS, &[&hosts[..], &["--profile-out", text(&profile)]].concat()).expect_success();
    assert!(!profile.exists());
    assert!(
        ["0", "1"]
            .iter()
            .all(|host| profile.with_extension(host).exists())
    );
    let outcome = run(RANKS, &[&hosts[..], &["--place-by", text(&profile)]].concat());
    outcome.expect_success();
    assert_eq!(
        outcome.stderr.matches("; to other processes 200040").count(),
        2,
        "{outcome}"
    );
}

/// Bytes by sender and receiver, of all files of a profile.
fn bytes_by_pair(files: &[PathBuf]) -> BTreeMap<(usize, usize), usize> {
    let mut all = BTreeMap::new();
    for file in files {
        let lines = std::fs::read_to_string(file).expect("the profile");
        for line in lines.lines().skip(1) {
            let numbers: Vec<usize> = line
                .split(' ')
                .map(|word| word.parse().expect("a number"))
                .collect();
            *all.entry((numbers[0], numbers[1])).or_default() += numbers[3];
        }
    }
    all.retain(|(from, to), bytes| from != to && *bytes > 0);
    all
}

#[test]
fn collectives_and_one_sided_operations_count_by_what_they_move() {
    let program = Compile::c("tests/c/profile_collectives.c")
        .against(&Stage::locate())
        .build();
    let mut expected = BTreeMap::new();
    let mut add = |from: usize, to: usize, bytes: usize| {
        if from != to {
            *expected.entry((from, to)).or_default() += bytes;
        }
    };
    for rank in 0..4 {
        add(1, rank, 1000);
        add(rank, 0, 10);
        add(2, rank, (rank + 1) * 100);
        add(rank, 3, 80);
        for to in 0..4 {
            let gathered = 3 + 5;
            let reduced = 2 * (1000 + 2) + 4 * (to + 1) * 100;
            add(rank, to, gathered + reduced + 6 + 9 + 2 * 7);
        }
        if rank < 3 {
            add(rank, rank + 1, 8);
        }
        // Between the groups each rank gets half of the numbers of the others, and tells its neighbour the sums.
        let others = if rank < 2 { [2, 3] } else { [0, 1] };
        others.iter().for_each(|&to| add(rank, to, 16));
        add(rank, rank ^ 1, 16);
    }
    add(0, 2, 11);
    add(0, 3, 11);
    add(3, 0, 50);
    add(0, 3, 64);
    add(2, 1, 32);
    add(3, 0, 4);
    add(0, 3, 4);
    add(2, 3, 96);
    for hosts in ["1", "2"] {
        let scratch = Scratch::new("profile");
        let profile = scratch.path().join("profile");
        let mpiexec = Stage::locate().mpiexec(4).vps(2);
        mpiexec
            .options(["--hosts-per-node", hosts, "--profile-out", text(&profile)])
            .run(&program)
            .expect_success();
        let files = match hosts {
            "1" => vec![profile],
            _ => vec![profile.with_extension("0"), profile.with_extension("1")],
        };
        assert_eq!(bytes_by_pair(&files), expected, "{hosts} hosts");
    }
}

#[test]
fn what_is_no_profile_of_the_job_is_refused_with_what_to_do() {
    let scratch = Scratch::new("profile");
    let profile = scratch.path().join("profile");
    let refused = |options: &[&str], told: &str| {
        let outcome = run(RANKS, &[&["--place-by", text(&profile)], options].concat());
        outcome.expect_code(1);
        outcome.expect_stderr(text(&profile)).expect_stderr(told);
    };
    refused(&[], "cannot be read");
    std::fs::write(&profile, "no profile\n").expect("a file");
    refused(&[], "is no communication profile; --profile-out FILE writes one");
    run(4, &["--profile-out", text(&profile)]).expect_success();
    refused(&[], "is the profile of a run with 4 ranks, and this one has 8");
    let outcome = run(4, &["--place-by", text(&profile), "--bind-to", "core"]);
    outcome.expect_code(1);
    outcome.expect_stderr("leave one out");
}

/// Each of three ranks sends 100 bytes to the next one, in a run of this process.
#[test]
fn ranks_of_a_rust_program_pass_data_on() {
    let results = simurgh::Builder::new().ranks(3).run(|world| {
        let (rank, size) = (world.rank(), world.size());
        let (next, before) = ((rank + 1) % size, (rank + 2) % size);
        let mut got = [0_u8; 100];
        world.send_receive(&[7_u8; 100], next, 0, &mut got, before, 0)?;
        world.broadcast(&mut [1_u8; 9], 1)?;
        Ok::<_, simurgh::Error>(got == [7; 100])
    });
    assert_eq!(results.expect("the run succeeds"), [const { Ok(true) }; 3]);
}

#[test]
fn a_rust_program_without_a_launcher_writes_its_profile() {
    let scratch = Scratch::new("profile");
    let profile = scratch.path().join("profile");
    let own = std::env::current_exe().expect("this program has a path");
    let mut command = std::process::Command::new(own);
    command.args([
        "--exact",
        "communication_profile::ranks_of_a_rust_program_pass_data_on",
        "--nocapture",
    ]);
    command
        .env("SIMURGH_PROFILE_OUT", &profile)
        .env("SIMURGH_PLACE_BY", &profile);
    let output = command.output().expect("it starts");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    assert!(
        told.contains("place_by has no effect in a run without a launcher"),
        "{told}"
    );
    let lines = std::fs::read_to_string(&profile).expect("the profile");
    assert!(
        lines.ends_with("\n0 1 1 100\n1 0 1 9\n1 2 2 109\n2 0 1 100\n"),
        "{lines}"
    );
}
