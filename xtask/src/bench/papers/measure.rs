//! The runs of an experiment.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use simurgh_testing::Outcome;

use super::super::contender::Contender;
use super::super::experiment::Placement;
use super::figure::{Experiment, Run, Runner, Series};
use super::results::Results;
use crate::command::capture;
use crate::failure::{Failure, Result};

/// The time that one run may take. A peer that takes longer is not run again.
const LIMIT: Duration = Duration::from_secs(60);

/// The cache that cachegrind simulates: first and last level. The latter is the second of a core of the machine for
/// which docs/papers.md is written, so that what misses it is what would leave the core.
const CACHE: [&str; 4] = [
    "--tool=cachegrind",
    "--cache-sim=yes",
    "--D1=32768,8,64",
    "--LL=1048576,8,64",
];

/// What runs the programs.
pub(super) struct Runners<'a> {
    contenders: &'a [Contender],
}

impl<'a> Runners<'a> {
    pub(super) fn new(contenders: &'a [Contender]) -> Self {
        Runners { contenders }
    }

    /// The command of a run, unless the peer is not there or is not given so many ranks.
    pub(super) fn command(&self, experiment: &Experiment, series: &Series, run: Run) -> Option<Command> {
        let name = match series.runner {
            Runner::Simurgh | Runner::Cachegrind => "Simurgh",
            Runner::Peer(name) => name,
        };
        let contender = self.contenders.iter().find(|one| one.name == name)?;
        if run.ranks > series.most {
            return None;
        }
        let mut command = match series.runner {
            Runner::Cachegrind => cachegrind(&contender.program(experiment.program), run.ranks),
            Runner::Simurgh | Runner::Peer(_) => contender.launch(
                experiment.program,
                run.ranks,
                placement(series, run),
                series.options,
            ),
        };
        command
            .args(run.arguments)
            .envs(series.environment.iter().copied());
        Some(command)
    }

    /// Measures an experiment so many times, with all series in turns. An error if a run of ours fails.
    pub(super) fn measure(&self, experiment: &Experiment, rounds: usize) -> Result<Results> {
        let mut results = Results::default();
        let mut given_up = Vec::new();
        for round in 1..=rounds {
            for (index, run) in experiment.runs.iter().enumerate() {
                let (program, ranks) = (experiment.program, run.ranks);
                eprintln!("x: round {round} of {rounds}: {program} with {ranks} ranks");
                for series in experiment.series {
                    if given_up.contains(&(index, series.name)) {
                        continue;
                    }
                    let Some(mut command) = self.command(experiment, series, *run) else {
                        continue;
                    };
                    let outcome = capture(&mut command, LIMIT)?;
                    let lines = outcome.success().then(|| lines(series, *run, &outcome));
                    let count = lines.map_or(0, |lines| results.add_lines(experiment, series, &lines));
                    if count == 0 {
                        let account = format!("{} of {program} printed no result\n{outcome}", series.name);
                        if series.runner == Runner::Simurgh {
                            return Err(Failure::Faults(account));
                        }
                        eprintln!("x: {account}");
                        given_up.push((index, series.name));
                    } else if series.runner == Runner::Cachegrind && rounds > 1 {
                        // What is counted is the same in each round.
                        given_up.push((index, series.name));
                    }
                }
            }
        }
        Ok(results)
    }
}

/// The placement of a run. Peers may spin as long as each rank has a core, wherever else they have to yield.
fn placement(series: &Series, run: Run) -> Placement {
    match (series.runner, series.placement) {
        (Runner::Peer(_), Placement::AllCores) if run.ranks <= 2 => Placement::TwoCores,
        (_, placement) => placement,
    }
}

fn cachegrind(program: &Path, blocks: usize) -> Command {
    let mut command = Command::new("valgrind");
    command
        .args(CACHE)
        .arg("--cachegrind-out-file=/dev/null")
        .arg(program)
        .arg(blocks.to_string());
    command
}

/// The lines with the values of a run: those of the program, and those made of what is said about it elsewhere.
fn lines(series: &Series, run: Run, outcome: &Outcome) -> String {
    let mut lines = outcome.stdout.clone();
    let told = match series.runner {
        Runner::Cachegrind => counted(&outcome.stderr),
        Runner::Simurgh | Runner::Peer(_) => statistics(&outcome.stderr, worked(&outcome.stdout)),
    };
    for (keyword, value) in told {
        lines.push_str(&format!("\n{keyword} {} {value}", run.ranks));
    }
    lines
}

/// The misses that cachegrind has counted, in millions.
fn counted(text: &str) -> Vec<(&'static str, f64)> {
    let count = |words: &str| {
        let (_, rest) = text.split_once(words)?;
        let digits: String = rest
            .trim_start()
            .chars()
            .take_while(|c| c.is_ascii_digit() || *c == ',')
            .collect();
        digits.replace(',', "").parse::<f64>().ok()
    };
    [("first_misses", "D1  misses:"), ("second_misses", "LLd misses:")]
        .into_iter()
        .filter_map(|(keyword, words)| Some((keyword, count(words)? / 1e6)))
        .collect()
}

/// The time for which ranks have worked, by the word of the program, in milliseconds.
fn worked(text: &str) -> f64 {
    let line = text.lines().find(|line| line.starts_with("compute "));
    let value = line.and_then(|line| line.split_whitespace().last()?.parse().ok());
    value.unwrap_or(0.0)
}

/// What `mpiexec --stats` says about all virtual processors together: milliseconds, and thousands of switches. Ranks
/// have worked for `worked` of the time for which virtual processors ran them.
fn statistics(text: &str, worked: f64) -> Vec<(&'static str, f64)> {
    let vps: Vec<&str> = text
        .lines()
        .filter(|line| line.trim_start().starts_with("vp "))
        .collect();
    let networks: Vec<&str> = text
        .lines()
        .filter(|line| line.contains("looked at the network"))
        .collect();
    let sum = |lines: &[&str], words: &str| -> f64 {
        let numbers = lines.iter().filter_map(|line| {
            let (_, rest) = line.split_once(words)?;
            rest.split_whitespace().next()?.parse::<f64>().ok()
        });
        // An empty sum of floating-point numbers is minus zero.
        0.0 + numbers.sum::<f64>()
    };
    match vps.is_empty() {
        true => Vec::new(),
        false => vec![
            ("calls", (1e3 * sum(&vps, "ran for ") - worked).max(0.0)),
            ("idle", 1e3 * sum(&vps, "idle for ")),
            ("network", sum(&networks, "about ")),
            ("switches", 1e-3 * sum(&vps, ": ")),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_statistics_of_all_virtual_processors_are_added() {
        let text = "simurgh: statistics of 8 ranks on 2 virtual processors:\n  vp 0: 9 context switches, 6.7 % busy, \
                    slept 7 times, looked at the \
                    network 3 times, about 1.5 ms, ran for 0.001 s, idle for 0.016 s\n  \
                    vp 1: 8 context switches, 5.4 % busy, slept 3 times, ran for 0.002 s, idle for 0.015 s\n";
        let found = statistics(text, worked("step 8 1.5\ncompute 8 1.0\n"));
        let of = |keyword| found.iter().find(|(known, _)| *known == keyword).unwrap().1;
        assert!(
            (of("calls") - 2.0).abs() < 1e-9 && (of("idle") - 31.0).abs() < 1e-9,
            "{found:?}"
        );
        assert!((of("network") - 1.5).abs() < 1e-9, "{found:?}");
        assert!((of("switches") - 0.017).abs() < 1e-9, "{found:?}");
        assert_eq!(statistics("nothing", worked("nothing")), []);
    }

    #[test]
    fn the_misses_of_both_caches_are_read() {
        let text =
            "==7== D1  misses:       6,289,111  ( 5 rd + 1 wr)\n==7== LLd misses:       1,500,000  ( 1 rd)\n";
        assert_eq!(
            counted(text),
            [("first_misses", 6.289_111), ("second_misses", 1.5)]
        );
    }
}
