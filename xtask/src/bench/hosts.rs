//! The best algorithms of collectives between hosts: every algorithm is forced in turn, and the fastest of each size
//! wins.
//!
//! The rules for hosts in the built-in table are made from the tables that this prints.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use simurgh_testing::{Compile, Stage};

use crate::command::{captured_success, minutes};
use crate::failure::{Failure, Result};
use crate::table;
use crate::workspace::Workspace;

/// The numbers of hosts. Each host has [`RANKS`] ranks.
const HOSTS: [usize; 4] = [2, 3, 4, 8];

const RANKS: usize = 2;

const TRANSPORTS: [&str; 2] = ["shm", "ofi"];

/// The algorithms of each operation.
const WAYS: &[(&str, &[&str])] = &[
    (
        "bcast",
        &[
            "binomial",
            "ring",
            "binomial/2",
            "binomial/4",
            "ring/2",
            "parcels",
        ],
    ),
    (
        "reduce",
        &[
            "binomial",
            "halving",
            "binomial/2",
            "binomial/4",
            "halving/2",
            "parcels",
        ],
    ),
    (
        "allreduce",
        &[
            "doubling",
            "halving",
            "ring",
            "doubling/2",
            "halving/2",
            "ring/2",
            "halving/4",
            "ring/4",
        ],
    ),
    ("reduce_scatter", &["pairwise", "pairwise/2", "parcels"]),
    (
        "allgather",
        &["bruck", "ring", "parcels", "bruck/2", "ring/2", "parcels/2"],
    ),
    ("alltoall", &["parcels", "parcels/2"]),
];

/// The number of runners-up that a cell names.
const NEXT: usize = 2;

/// The microseconds of each algorithm, the best of all rounds, by operation, transport, hosts and bytes.
type Times = BTreeMap<Place, BTreeMap<&'static str, f64>>;

/// The operation, by its index in [`WAYS`], the transport, the number of hosts, and the bytes.
type Place = (usize, &'static str, usize, u64);

/// Measures all algorithms and returns the table of the winners.
pub(super) fn measure(workspace: &Workspace, stage: &Stage, rounds: usize) -> Result<String> {
    let folder = workspace.target("bench/standard-abi");
    fs::create_dir_all(&folder).map_err(Failure::file(&folder))?;
    let program = folder.join("between");
    let source = Compile::c("benches/c/between.c").flags(["-O2"]);
    let compiled = source.against(stage).output(&program).try_build();
    compiled.map_err(Failure::Faults)?;
    let most = WAYS.iter().map(|(_, ways)| ways.len()).max().unwrap_or(0);
    let mut times = Times::new();
    for round in 1..=rounds {
        for (hosts, transport) in HOSTS
            .iter()
            .flat_map(|hosts| TRANSPORTS.map(|transport| (*hosts, transport)))
        {
            eprintln!("x: round {round} of {rounds}: {hosts} hosts over {transport}");
            for turn in 0..most {
                run(stage, &program, (hosts, transport, turn), &mut times)?;
            }
        }
    }
    Ok(winners(&times))
}

/// The algorithm of an operation in a turn. Operations with few algorithms repeat them.
fn way(ways: &[&'static str], turn: usize) -> &'static str {
    ways[turn % ways.len()]
}

fn run(
    stage: &Stage,
    program: &Path,
    (hosts, transport, turn): (usize, &'static str, usize),
    times: &mut Times,
) -> Result<()> {
    let rule =
        |(operation, ways): &(&str, &[&'static str])| format!("{operation}:::hosts={}", way(ways, turn));
    let rules: Vec<String> = WAYS.iter().map(rule).collect();
    let mut command = Command::new(stage.prefix().join("bin/mpiexec"));
    command
        .args([
            "-n",
            &(hosts * RANKS).to_string(),
            "--hosts-per-node",
            &hosts.to_string(),
        ])
        .args(["--transport", transport, "--collectives", &rules.join(",")])
        .arg(program);
    let outcome = captured_success(&mut command, minutes(2))?;
    for line in outcome.stdout.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let &[name, bytes, time] = &words[..] else {
            continue;
        };
        let operation = WAYS.iter().position(|(operation, _)| *operation == name);
        if let (Some(operation), Ok(bytes), Ok(time)) = (operation, bytes.parse(), time.parse()) {
            let cell = times.entry((operation, transport, hosts, bytes)).or_default();
            let best = cell.entry(way(WAYS[operation].1, turn)).or_insert(f64::MAX);
            *best = best.min(time);
        }
    }
    Ok(())
}

/// A row for each operation, transport and number of hosts. For each size it has the best algorithm, its time in
/// microseconds, and the times of the next best as multiples.
fn winners(times: &Times) -> String {
    let mut sizes: Vec<u64> = times.keys().map(|(.., bytes)| *bytes).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let head = ["operation", "transport", "hosts"].map(str::to_owned);
    let mut rows = vec![
        head.into_iter()
            .chain(sizes.iter().map(|bytes| format!("{} KiB", bytes >> 10)))
            .collect(),
    ];
    for (operation, (name, _)) in WAYS.iter().enumerate() {
        for (transport, hosts) in TRANSPORTS.iter().flat_map(|way| HOSTS.map(|hosts| (*way, hosts))) {
            let cell = |bytes: &u64| {
                times
                    .get(&(operation, transport, hosts, *bytes))
                    .map_or(String::new(), cell)
            };
            let place = [(*name).to_owned(), transport.to_owned(), hosts.to_string()];
            rows.push(
                place
                    .into_iter()
                    .chain(sizes.iter().map(cell))
                    .collect::<Vec<_>>(),
            );
        }
    }
    table::aligned(&rows)
}

fn cell(ways: &BTreeMap<&'static str, f64>) -> String {
    let mut ways: Vec<(&str, f64)> = ways.iter().map(|(way, time)| (*way, *time)).collect();
    ways.sort_by(|(_, one), (_, other)| one.total_cmp(other));
    let Some(&(winner, best)) = ways.first() else {
        return String::new();
    };
    let others: Vec<String> = ways[1..]
        .iter()
        .take(NEXT)
        .map(|(way, time)| format!("{way} {:.2}", time / best))
        .collect();
    format!("**{winner} {best:.0}** {}", others.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quickest_way_comes_first() {
        let ways = BTreeMap::from([("ring", 30.0), ("halving", 20.0)]);
        assert_eq!(cell(&ways), "**halving 20** ring 1.50");
    }
}
