//! The measured values of an experiment.

use std::collections::BTreeMap;

use super::super::samples::{Summary, summary};
use super::figure::{Experiment, Runner, Series, Value};

/// The values of all rounds, by the index of the quantity, abscissa and name of the series.
#[derive(Debug, Default)]
pub(super) struct Results(BTreeMap<(usize, u64), BTreeMap<&'static str, Vec<f64>>>);

impl Results {
    /// Adds what a run has printed: lines with a keyword, an abscissa and a value. Returns how many there were.
    pub(super) fn add_lines(&mut self, experiment: &Experiment, series: &Series, text: &str) -> usize {
        let mut count = 0;
        for line in text.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [keyword, x, value] = words[..] else {
                continue;
            };
            let known = experiment
                .values
                .iter()
                .position(|known| known.keyword == keyword);
            if let (Some(index), Ok(x), Ok(value)) = (known, x.parse(), value.parse()) {
                let cell = self.0.entry((index, x)).or_default();
                cell.entry(series.name).or_default().push(value);
                count += 1;
            }
        }
        count
    }

    /// The abscissas at which a quantity has been measured, in order.
    pub(super) fn abscissas(&self, index: usize) -> Vec<u64> {
        let keys = self.0.keys().filter(|(value, _)| *value == index);
        keys.map(|(_, x)| *x).collect()
    }

    /// The summary of a series at an abscissa, if it was measured there.
    pub(super) fn summary(
        &self,
        experiment: &Experiment,
        index: usize,
        x: u64,
        name: &str,
    ) -> Option<Summary> {
        let value: &Value = &experiment.values[index];
        summary(self.0.get(&(index, x))?.get(name)?, |a, b| value.better(a, b))
    }

    /// The median of a series at an abscissa.
    pub(super) fn median(&self, experiment: &Experiment, index: usize, x: u64, name: &str) -> Option<f64> {
        self.summary(experiment, index, x, name).map(|found| found.median)
    }

    /// The best peer at an abscissa by its median, and that.
    pub(super) fn best_peer(
        &self,
        experiment: &Experiment,
        index: usize,
        x: u64,
    ) -> Option<(&'static str, f64)> {
        let value = &experiment.values[index];
        let peers = experiment
            .series
            .iter()
            .filter(|series| matches!(series.runner, Runner::Peer(_)));
        peers
            .filter_map(|series| Some((series.name, self.median(experiment, index, x, series.name)?)))
            .reduce(|one, other| {
                if value.better(one.1, other.1) == one.1 {
                    one
                } else {
                    other
                }
            })
    }
}
