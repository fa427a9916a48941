//! The threads of a rank: where they run, how many OpenMP starts and how they wait, and what a rank's main thread finds
//! about itself.

use std::collections::BTreeMap;
use std::thread::available_parallelism;

use simurgh_testing::{Binary, Compile, Mpiexec, Outcome, Stage};

fn processors() -> usize {
    available_parallelism().map_or(1, usize::from)
}

fn affinity() -> Binary {
    Compile::c("tests/c/rank_affinity.c")
        .flags(["-O2", "-Wall"])
        .libraries(["-lpthread"])
        .against(&Stage::locate())
        .build()
}

/// The processors that a run has printed, by rank and thread.
fn told(run: &Outcome) -> BTreeMap<(usize, String), Vec<usize>> {
    let line = |line: &str| {
        let words: Vec<_> = line.split(' ').collect();
        let [rank, who, list] = words[..] else {
            return None;
        };
        let list = list.split(',').map(str::parse).collect::<Result<_, _>>().ok()?;
        Some(((rank.parse().ok()?, who.to_owned()), list))
    };
    run.stdout.lines().filter_map(line).collect()
}

/// The number of processors that each rank finds, which is the same for all its threads.
#[track_caller]
fn rooms(mpiexec: &Mpiexec, program: &Binary, ranks: usize) -> Vec<Vec<usize>> {
    let run = mpiexec.clone().args(["tell"]).run(program);
    run.expect_success();
    let fine = run.stdout.lines().filter(|line| *line == "affinity OK").count();
    assert_eq!(fine, ranks, "{run}");
    let told = told(&run);
    let of = |rank: usize, who: &str| told.get(&(rank, who.to_owned())).cloned().unwrap_or_default();
    (0..ranks)
        .map(|rank| {
            let main = of(rank, "main");
            for other in ["thread", "child", "posix_spawn", "vfork", "popen", "system"] {
                assert_eq!(of(rank, other), main, "{other}: {run}");
            }
            main
        })
        .collect()
}

#[test]
fn a_ranks_main_thread_answers_as_a_thread_does() {
    let (stage, program, all) = (Stage::locate(), affinity(), processors());
    let alone = rooms(&stage.mpiexec(1), &program, 1);
    assert_eq!(alone[0].len(), all, "all for one rank");
    // Each rank has a share, and all processors are shared out.
    let mut each: Vec<_> = rooms(&stage.mpiexec(2), &program, 2).concat();
    each.sort_unstable();
    each.dedup();
    assert_eq!(each, alone[0]);
    rooms(&stage.mpiexec(5).vps(2), &program, 5);
    rooms(&stage.mpiexec(2).options(["--hosts-per-node", "2"]), &program, 2);
    rooms(&stage.mpiexec(2).mode("processes"), &program, 2);
}

#[test]
fn the_threads_of_a_rank_stay_where_the_user_has_bound_it() {
    let (stage, program, all) = (Stage::locate(), affinity(), processors());
    for (options, room) in [
        (["--bind-to", "hwthread"], 1),
        (["--bind-to", "machine"], all),
        (["--bind-to", "none"], all),
    ] {
        for mode in ["threads", "processes"] {
            let run = stage.mpiexec(2).mode(mode).options(options);
            let found = rooms(&run, &program, 2);
            assert!(
                found.iter().all(|list| list.len() == room),
                "{options:?}, {mode}: {found:?}"
            );
        }
    }
}

#[test]
fn a_rank_may_have_as_many_cores_as_there_are() {
    let (stage, program, all) = (Stage::locate(), affinity(), processors());
    let map = format!("hwthread:PE={all}:HWTCPUS");
    for mode in ["threads", "processes"] {
        let run = stage.mpiexec(1).mode(mode).options(["--map-by", &map]);
        assert_eq!(rooms(&run, &program, 1)[0].len(), all, "{mode}");
    }
}

fn regions() -> Binary {
    Compile::c("tests/c/openmp_regions.c")
        .flags(["-O2", "-fopenmp"])
        .against(&Stage::locate())
        .build()
}

/// The expected output of each rank: its processors, by OpenMP and by the kernel, its threads, and how they wait.
#[track_caller]
fn says(mpiexec: &Mpiexec, ranks: &[(usize, usize)], waits: &str) {
    let run = mpiexec.clone().run(&regions());
    run.expect_success();
    let line = |(rank, (processors, threads)): (usize, &(usize, usize))| {
        format!("rank {rank} processors {processors} {processors} threads {threads} waits {waits} OK")
    };
    let expected: Vec<_> = ranks.iter().enumerate().map(line).collect();
    assert_eq!(run.sorted_lines(), expected, "{run}");
}

#[test]
fn openmp_starts_as_many_threads_as_a_rank_has_processors() {
    let (stage, all) = (Stage::locate(), processors());
    says(&stage.mpiexec(1).args(["200"]), &[(all, all)], "as ever");
    let shares = rooms(&stage.mpiexec(2), &affinity(), 2);
    let shares: Vec<_> = shares.iter().map(|list| (list.len(), list.len())).collect();
    let waits = if all < 2 { "passive" } else { "as ever" };
    says(&stage.mpiexec(2).args(["200"]), &shares, waits);
    let bound = stage.mpiexec(2).options(["--bind-to", "machine"]).args(["20"]);
    says(&bound, &[(all, all); 2], "passive");
}

#[test]
fn threads_that_outnumber_processors_sleep_while_they_wait() {
    let (stage, all) = (Stage::locate(), processors());
    let threads = (all + 1).to_string();
    for mode in ["threads", "processes"] {
        let run = stage.mpiexec(1).mode(mode).args(["50"]);
        let (many, found) = (run.clone().env("OMP_NUM_THREADS", &threads), [(all, all + 1)]);
        says(&many, &found, "passive");
        let given = run.clone().options(["-x", &format!("OMP_NUM_THREADS={threads}")]);
        says(&given, &found, "passive");
        // The user's choice counts.
        says(&many.clone().env("OMP_WAIT_POLICY", "active"), &found, "active");
        says(&many.env("GOMP_SPINCOUNT", "10"), &found, "as ever");
    }
}

/// The main thread has a real-time priority, so no other thread can begin on its processor. Without the right to such a
/// priority, which root has, nothing is tested.
#[test]
fn the_threads_of_a_rank_begin_on_all_its_processors() {
    let program = Compile::c("tests/c/thread_places.c")
        .flags(["-O2", "-Wall"])
        .libraries(["-lpthread"])
        .against(&Stage::locate())
        .build();
    if processors() < 2 {
        return;
    }
    let run = Stage::locate()
        .mpiexec(1)
        .options(["--bind-to", "machine"])
        .run(&program);
    if run.stdout.contains("no real-time priority") {
        return;
    }
    run.expect_success();
    let elsewhere = run.stdout.split(' ').next().and_then(|count| count.parse().ok());
    assert!(elsewhere > Some(10), "{run}");
}

/// The stacks of all ranks' threads are more than the C library keeps of its own accord, which is 40 MiB.
#[test]
fn the_next_threads_of_ranks_get_the_stacks_of_those_that_have_ended() {
    let program = Compile::c("tests/c/thread_stacks.c")
        .flags(["-O2", "-Wall"])
        .libraries(["-lpthread"])
        .against(&Stage::locate())
        .build();
    let run = Stage::locate().mpiexec(8).mode("threads").run(&program);
    run.expect_success();
    assert_eq!(run.stdout, "16\n", "{run}");
    // What the user says comes first.
    let few = Stage::locate()
        .mpiexec(8)
        .mode("threads")
        .env("GLIBC_TUNABLES", "glibc.pthread.stack_cache_size=20000000")
        .run(&program);
    few.expect_success();
    let kept: usize = few.stdout.trim().parse().expect("a number");
    assert!(kept <= 2, "{few}");
}
