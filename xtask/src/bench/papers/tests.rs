//! Tests of the figures and of what is made of their values.

use std::collections::BTreeSet;
use std::fs;

use super::document::{self, FILE};
use super::figure::{Experiment, Finding, Run, Series, Value, everybody, ours, run, time};
use super::results::Results;
use super::{figures, findings, tables};
use crate::bench::experiment::Placement;
use crate::workspace::Workspace;

#[test]
fn the_document_has_each_figure_and_no_other() {
    let text = fs::read_to_string(Workspace::locate().source(FILE)).unwrap();
    let expected: Vec<String> = figures()
        .flat_map(|figure| [document::mark(figure, "begin"), document::mark(figure, "end")])
        .collect();
    let found: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("<!-- figure "))
        .collect();
    assert_eq!(found, expected);
    for figure in figures() {
        let command = format!("`./x bench papers --figure {}`", figure.name);
        assert!(text.contains(&command), "{command}");
        assert!(solid(&text).contains(&solid(figure.paper)), "{}", figure.name);
    }
}

/// A text without blanks, wherever its lines end.
fn solid(text: &str) -> String {
    text.split_whitespace().collect()
}

#[test]
fn figures_have_names_of_their_own_and_use_each_program_there_is() {
    let names: BTreeSet<_> = figures().map(|figure| figure.name).collect();
    assert_eq!(names.len(), figures().count());
    let used: BTreeSet<String> = figures()
        .flat_map(|figure| figure.experiments)
        .map(|experiment| format!("{}.c", experiment.program))
        .collect();
    let folder = fs::read_dir(Workspace::locate().source("benches/papers")).unwrap();
    let there: BTreeSet<String> = folder
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".c"))
        .collect();
    assert_eq!(used, there);
}

const SERIES: &[Series] = &everybody(Placement::OneCore);
const VARIANTS: &[Series] = &[
    ours("as it is", Placement::OneCore, &[]),
    ours("without", Placement::OneCore, &["--x"]),
];
const VALUES: &[Value] = &[time("switch", "Time, ns")];
const RUNS: &[Run] = &[run(2, &[])];

const fn experiment(series: &'static [Series], findings: &'static [Finding]) -> Experiment {
    Experiment {
        program: "switch",
        series,
        runs: RUNS,
        axis: "ranks",
        values: VALUES,
        findings,
    }
}

#[test]
fn what_is_found_follows_from_the_values() {
    let experiment = &experiment(SERIES, &[Finding::Peers, Finding::Change, Finding::PeerAt(2)]);
    let mut results = Results::default();
    let lines = "switch 2 100\nnoise\nswitch 4 50\n";
    assert_eq!(results.add_lines(experiment, &experiment.series[0], lines), 2);
    results.add_lines(experiment, &experiment.series[1], "switch 2 300\nswitch 4 40\n");
    results.add_lines(experiment, &experiment.series[2], "switch 2 200\n");
    let text = findings::all(experiment, &results);
    for part in [
        "ahead of the best peer at 1 of 2 points: 0.80 times as good at 4 ranks, 2.00 times as good at 2 ranks",
        "Simurgh at 2 ranks: 100. Compared with that, at least 2.00 times as good (at 4 ranks)",
        "the best peer at 2 ranks (Intel MPI, 200), Simurgh is 2.00 times as good at 2, 4.00 times as good at 4",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let table = tables::all(experiment, &results);
    assert!(
        table.contains("200 / 200") && !table.contains("Open MPI"),
        "{table}"
    );
}

#[test]
fn variants_are_compared_with_the_first() {
    let experiment = &experiment(VARIANTS, &[Finding::Variants]);
    let mut results = Results::default();
    results.add_lines(experiment, &experiment.series[0], "switch 2 100");
    results.add_lines(experiment, &experiment.series[1], "switch 2 125");
    let text = findings::all(experiment, &results);
    assert!(
        text.contains("“without” beside “as it is”: 0.80 times as good."),
        "{text}"
    );
    assert!(!tables::all(experiment, &results).contains("peer"));
}
