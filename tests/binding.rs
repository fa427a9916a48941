//! The processors that ranks run on: the effect of `--map-by`, `--rank-by`, `--bind-to` and `--cpu-list` on this
//! machine. It may have few cores; the layout on larger machines is tested beside the code that makes it.

use simurgh_testing::{Binary, Compile, Mpiexec, Outcome, Stage, TCP};
use std::collections::BTreeMap;

/// A program that prints the processors that a rank in a process may use.
const SHELL: &str = "echo $SIMURGH_RANK $(grep Cpus_allowed_list /proc/self/status | cut -f 2)";

/// Two nodes, each of which has an agent.
const NODES: [&str; 4] = ["--launcher", "fork", "-hosts", "a:2,b:2"];

/// Programs that do not use MPI.
fn shells(mpiexec: Mpiexec) -> Outcome {
    mpiexec.mode("processes").args(["-c", SHELL]).run("sh")
}

fn mpi() -> Binary {
    Compile::c("tests/c/launch_bound.c")
        .against(&Stage::locate())
        .build()
}

/// The text that follows each rank in the lines of an output.
fn by_rank(outcome: &Outcome) -> Vec<String> {
    let lines = outcome.expect_success().stdout.lines();
    let pair = |line: &str| {
        let (rank, list) = line.split_once(' ').unwrap();
        (rank.parse::<u32>().unwrap(), list.to_owned())
    };
    let lists: BTreeMap<_, _> = lines.map(pair).collect();
    lists.into_values().collect()
}

/// The processors that `--report-bindings` has printed for each rank.
fn reported(outcome: &Outcome) -> Vec<String> {
    let mut told = BTreeMap::new();
    for line in outcome.stderr.lines() {
        let words = line.strip_prefix("simurgh: rank ").expect(line);
        let (rank, words) = words.split_once(' ').unwrap();
        let (_, list) = words.split_once("(processors ").expect(line);
        let list = list.strip_suffix(')').expect(line).to_owned();
        let earlier = told.insert(rank.parse::<u32>().unwrap(), list);
        assert_eq!(earlier, None, "{outcome}");
    }
    told.into_values().collect()
}

fn on(ranks: usize, options: &[&str]) -> Mpiexec {
    Stage::locate().mpiexec(ranks).options(TCP).options(options)
}

/// The processors of the machine.
fn all() -> Vec<String> {
    let shown = by_rank(&shells(on(1, &[])));
    let mut all = Vec::new();
    for item in shown[0].split(',') {
        let (first, last) = item.split_once('-').unwrap_or((item, item));
        let range = first.parse::<u32>().unwrap()..=last.parse().unwrap();
        all.extend(range.map(|processor| processor.to_string()));
    }
    all
}

#[test]
fn processors_can_be_chosen() {
    let first = &all()[0];
    for nodes in [&[][..], &["--launcher", "fork", "-hosts", "a"]] {
        let outcome = shells(on(1, nodes).options(["--cpu-list", first]));
        assert_eq!(by_rank(&outcome), [first.as_str()]);
    }
}

#[test]
fn processes_are_bound_when_they_start_and_that_is_told() {
    let all = all();
    let count = all.len();
    // Once in MPICH's spelling, and once in Open MPI's.
    for how in [&["-bind-to", "hwthread"][..], &["--map-by", "hwthread:PE=1"]] {
        let options = [how, &["--report-bindings"]].concat();
        let outcome = shells(on(count, &options));
        let mut lists = by_rank(&outcome);
        assert_eq!(reported(&outcome), lists, "{outcome}");
        lists.sort_by_key(|list| list.parse::<u32>().unwrap());
        assert_eq!(lists, all, "{outcome}");
    }
    let chosen = format!("user:{},{}", all[count - 1], all[0]);
    let outcome = shells(on(3, &["--bind-to", &chosen, "--report-bindings"]));
    let lists = [count - 1, 0, count - 1].map(|place| all[place].as_str());
    assert_eq!(by_rank(&outcome), lists);
    assert_eq!(reported(&outcome), lists);
    let whole = shells(on(2, &["--map-by", "machine", "--report-bindings"]));
    let free = shells(on(2, &["--report-bindings"]));
    assert_eq!(by_rank(&whole), by_rank(&free));
    assert_eq!(reported(&whole), reported(&free));
    free.expect_stderr("rank 1 is not bound (processors ");
}

#[test]
fn ranks_are_bound_in_both_modes_and_stay_there() {
    let all = all();
    let program = mpi();
    for mode in ["threads", "processes"] {
        for options in [&["--hosts-per-node", "2"][..], &[]] {
            let run = on(4, options).mode(mode);
            let run = run.options(["--map-by", "hwthread", "--report-bindings"]);
            let outcome = run.run(&program);
            let lists = by_rank(&outcome);
            assert_eq!(lists, reported(&outcome), "{outcome}");
            let mut used = lists.clone();
            used.sort();
            used.dedup();
            assert_eq!(used.len(), all.len().min(4), "{outcome}");
            assert!(used.iter().all(|processor| all.contains(processor)), "{outcome}");
        }
    }
}

#[test]
fn ranks_leave_reserved_cores_in_both_modes() {
    let all = all();
    let program = mpi();
    if all.len() < 2 {
        return;
    }
    for mode in ["threads", "processes"] {
        for how in [&["--map-by", "core"][..], &["--bind-to", "none"], &[]] {
            let run = on(4, how)
                .mode(mode)
                .options(["--reserve-cores", "1", "--report-bindings"]);
            let outcome = run.run(&program);
            outcome.expect_success();
            let lists = by_rank(&outcome).join(",");
            let last = all.last().expect("there are two");
            assert!(
                !lists.split([',', '-']).any(|processor| processor == last),
                "{outcome}"
            );
            assert!(lists.contains(&all[0]), "{outcome}");
        }
    }
    let everything = all.len().to_string();
    let refused = on(1, &["--reserve-cores", &everything]).run(&program);
    refused.expect_code(1);
    refused.expect_stderr(&format!("--reserve-cores {everything} leaves no core for ranks"));
}

#[test]
fn without_a_word_on_it_processes_run_anywhere_and_threads_on_cores() {
    let program = mpi();
    let lists = |mode: &str, bound: &[&str]| by_rank(&on(2, bound).mode(mode).run(&program));
    let none = lists("processes", &["--bind-to", "none"]);
    let all = &none[0];
    assert_eq!(lists("processes", &[]), [all.as_str(); 2]);
    assert_eq!(lists("threads", &["--bind-to", "none"]), [all.as_str(); 2]);
    for mode in ["threads", "processes"] {
        let bound = lists(mode, &["--bind-to", "core"]);
        if all.contains(['-', ',']) {
            assert!(!bound.contains(all), "{mode}: {bound:?} of {all}");
        }
    }
    let outcome = on(2, &["--report-bindings"]).mode("threads").run(&program);
    outcome.expect_stderr("rank 1 moves between virtual processors, which are bound to cores (processors ");
}

#[test]
fn agents_bind_the_ranks_of_their_nodes() {
    let options = [&NODES[..], &["--map-by", "hwthread", "--report-bindings"]].concat();
    let outcome = shells(on(4, &options));
    let lists = by_rank(&outcome);
    assert_eq!(lists, reported(&outcome), "{outcome}");
    assert_eq!(lists[..2], lists[2..], "{outcome}");
    let outcome = on(4, &options).mode("threads").run(&mpi());
    assert_eq!(by_rank(&outcome), lists, "{outcome}");
    // Nodes share the ranks alike, or take turns.
    let spread = [&NODES[..], &["--map-by", "hwthread:SPAN"]].concat();
    assert_eq!(by_rank(&shells(on(2, &spread))), [lists[0].as_str(); 2]);
    let turns = [&NODES[..], &["--map-by", "hwthread", "--rank-by", "node"]].concat();
    let lists = [0, 0, 1, 1].map(|place| lists[place].as_str());
    assert_eq!(by_rank(&shells(on(4, &turns))), lists);
}

#[test]
fn crowds_are_refused_where_they_are_unwanted() {
    let many = all().len() + 1;
    let refused = |options: &[&str], words: &str| {
        let outcome = shells(on(many, options));
        outcome.expect_code(1).expect_stderr(words);
        assert_eq!(outcome.stdout, "", "{outcome}");
    };
    refused(&["--nooversubscribe"], "ranks are too many for");
    refused(
        &["--map-by", "hwthread:NOOVERSUBSCRIBE"],
        "ranks are too many for the",
    );
    let slots = ["-hosts", "localhost", "--nooversubscribe"];
    refused(&slots, "too many for 1 places; --oversubscribe lets them share");
    refused(
        &["--map-by", "core:PE=999"],
        "no core of this machine has the 999 cores",
    );
    refused(
        &["--bind-to", "user:1023"],
        "processor 1023 is not among those that may be used here",
    );
    by_rank(&shells(on(many, &["--oversubscribe"])));
}

#[test]
fn so_many_ranks_start_on_each_piece_of_this_machine() {
    let mut mpiexec = std::process::Command::new(Stage::locate().tool("mpiexec"));
    mpiexec.args([
        "--mode",
        "processes",
        "--map-by",
        "ppr:2:hwthread",
        "sh",
        "-c",
        SHELL,
    ]);
    let outcome = simurgh_testing::run(
        &mut mpiexec,
        simurgh_testing::Input::Empty,
        simurgh_testing::LIMIT,
    )
    .unwrap();
    let lists = by_rank(&outcome);
    assert_eq!(lists.len(), 2 * all().len());
    assert!(lists.chunks(2).all(|pair| pair[0] == pair[1]), "{outcome}");
}
