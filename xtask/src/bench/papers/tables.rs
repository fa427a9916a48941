//! The tables of an experiment.

use std::fmt::Write;

use super::super::report::number;
use super::figure::{Better, Experiment, Value};
use super::results::Results;
use crate::table::aligned;

/// All tables of an experiment, one for each quantity. A cell is best / median of the rounds.
pub(super) fn all(experiment: &Experiment, results: &Results) -> String {
    let mut text = String::new();
    for (index, value) in experiment.values.iter().enumerate() {
        let xs = results.abscissas(index);
        if !xs.is_empty() {
            let _ = writeln!(text, "{}:\n", value.title);
            text.push_str(&table(experiment, results, (index, value), &xs));
            text.push('\n');
        }
    }
    text
}

fn table(experiment: &Experiment, results: &Results, (index, value): (usize, &Value), xs: &[u64]) -> String {
    let names = experiment.series.iter().map(|series| series.name);
    let names: Vec<_> = names
        .filter(|name| {
            xs.iter()
                .any(|x| results.summary(experiment, index, *x, name).is_some())
        })
        .collect();
    let is_judged = !matches!(value.better, Better::Neither | Better::Part);
    let compares = is_judged
        && xs
            .iter()
            .any(|x| results.best_peer(experiment, index, *x).is_some());
    let mut head = vec![experiment.axis.to_owned()];
    head.extend(names.iter().map(|name| (*name).to_owned()));
    head.extend(compares.then(|| comparison(value).to_owned()));
    let mut rows = vec![head];
    for &x in xs {
        let mut row = vec![x.to_string()];
        row.extend(
            names
                .iter()
                .map(|name| cell(experiment, results, (index, x), name)),
        );
        row.extend(compares.then(|| advantage(experiment, results, (index, x))));
        rows.push(row);
    }
    aligned(&rows)
}

fn comparison(value: &Value) -> &'static str {
    match value.better {
        Better::MorePercent => "points more than the best peer",
        Better::LessByDifference => "µs less than the best peer",
        Better::Less | Better::More | Better::Neither | Better::Part => "times better than the best peer",
    }
}

fn cell(experiment: &Experiment, results: &Results, (index, x): (usize, u64), name: &str) -> String {
    match results.summary(experiment, index, x, name) {
        Some(found) => format!("{} / {}", number(found.best), number(found.median)),
        None => "–".to_owned(),
    }
}

/// The advantage of the first series over the best peer, by the medians.
fn advantage(experiment: &Experiment, results: &Results, (index, x): (usize, u64)) -> String {
    let first = experiment.series[0].name;
    match (
        results.median(experiment, index, x, first),
        results.best_peer(experiment, index, x),
    ) {
        (Some(ours), Some((_, theirs))) => {
            format!("{:.2}", experiment.values[index].advantage(ours, theirs))
        }
        _ => "–".to_owned(),
    }
}
