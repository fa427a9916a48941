//! Sentences that follow from the measured values.

use super::super::report::number;
use super::figure::{Better, Experiment, Finding, Runner, Value};
use super::results::Results;

/// One sentence for each finding and quantity of an experiment, as items of a list. By medians.
pub(super) fn all(experiment: &Experiment, results: &Results) -> String {
    let mut text = String::new();
    for finding in experiment.findings {
        for (index, value) in experiment.values.iter().enumerate() {
            if matches!(value.better, Better::Neither | Better::Part) {
                continue;
            }
            let said = Said {
                experiment,
                results,
                index,
            };
            let sentences = match finding {
                Finding::Peers => said.peers().into_iter().collect(),
                Finding::Change => said.change().into_iter().collect(),
                Finding::Variants => said.variants(),
                Finding::PeerAt(x) => said.peer_at(*x).into_iter().collect(),
            };
            for sentence in sentences {
                text.push_str(&format!("* {}: {sentence}\n", value.title));
            }
        }
    }
    text
}

/// What is said about one quantity.
struct Said<'a> {
    experiment: &'a Experiment,
    results: &'a Results,
    index: usize,
}

impl Said<'_> {
    fn value(&self) -> &Value {
        &self.experiment.values[self.index]
    }

    fn first(&self) -> &'static str {
        self.experiment.series[0].name
    }

    fn axis(&self) -> &'static str {
        self.experiment.axis
    }

    /// The medians of a series by abscissa.
    fn curve(&self, name: &str) -> Vec<(u64, f64)> {
        let xs = self.results.abscissas(self.index).into_iter();
        xs.filter_map(|x| Some((x, self.results.median(self.experiment, self.index, x, name)?)))
            .collect()
    }

    fn peers(&self) -> Option<String> {
        let compare = |(x, ours)| {
            let (_, theirs) = self.results.best_peer(self.experiment, self.index, x)?;
            Some((x, self.value().advantage(ours, theirs)))
        };
        let ratios: Vec<_> = self.curve(self.first()).into_iter().filter_map(compare).collect();
        let ((low_x, low), (high_x, high)) = extremes(&ratios)?;
        let even = if self.unit_of_difference().is_some() {
            0.0
        } else {
            1.0
        };
        let ahead = ratios.iter().filter(|(_, ratio)| *ratio > even).count();
        Some(format!(
            "{} is ahead of the best peer at {ahead} of {} points: {} at {low_x} {axis}, {} at {high_x} {axis}.",
            self.first(),
            ratios.len(),
            self.amount(low),
            self.amount(high),
            axis = self.axis(),
        ))
    }

    fn change(&self) -> Option<String> {
        let curve = self.curve(self.first());
        let (&(x, start), rest) = curve.split_first()?;
        let relative = |&(x, value): &(u64, f64)| (x, self.value().advantage(value, start));
        let ratios: Vec<_> = rest.iter().map(relative).collect();
        let ((low_x, low), (high_x, high)) = extremes(&ratios)?;
        Some(format!(
            "{} at {x} {axis}: {}. Compared with that, at least {} (at {low_x} {axis}) and at most {} (at {high_x} \
             {axis}).",
            self.first(),
            number(start),
            self.amount(low),
            self.amount(high),
            axis = self.axis(),
        ))
    }

    fn variants(&self) -> Vec<String> {
        let base = self.curve(self.first());
        let others = self.experiment.series[1..].iter();
        let others = others.filter(|series| !matches!(series.runner, Runner::Peer(_)));
        others
            .filter_map(|series| {
                let curve = self.curve(series.name);
                let relative = |&(x, value): &(u64, f64)| {
                    let (_, first) = base.iter().find(|(place, _)| *place == x)?;
                    Some((x, self.value().advantage(value, *first)))
                };
                let ratios: Vec<_> = curve.iter().filter_map(relative).collect();
                let ((low_x, low), (high_x, high)) = extremes(&ratios)?;
                if ratios.len() == 1 {
                    let amount = self.amount(low);
                    return Some(format!("“{}” beside “{}”: {amount}.", series.name, self.first()));
                }
                Some(format!(
                    "“{}” beside “{}”: from {} (at {low_x} {axis}) to {} (at {high_x} {axis}).",
                    series.name,
                    self.first(),
                    self.amount(low),
                    self.amount(high),
                    axis = self.axis(),
                ))
            })
            .collect()
    }

    fn peer_at(&self, x: u64) -> Option<String> {
        let (name, theirs) = self.results.best_peer(self.experiment, self.index, x)?;
        let ours = self.curve(self.first()).into_iter();
        let ratios: Vec<String> = ours
            .map(|(place, ours)| format!("{} at {place}", self.amount(self.value().advantage(ours, theirs))))
            .collect();
        (!ratios.is_empty()).then(|| {
            format!(
                "beside the best peer at {x} {axis} ({name}, {}), {} is {}.",
                number(theirs),
                self.first(),
                ratios.join(", "),
                axis = self.axis(),
            )
        })
    }

    /// What differences are counted in; none if values are compared by ratios.
    fn unit_of_difference(&self) -> Option<&'static str> {
        match self.value().better {
            Better::MorePercent => Some("points"),
            Better::LessByDifference => Some("µs less"),
            Better::Less | Better::More | Better::Neither | Better::Part => None,
        }
    }

    fn amount(&self, advantage: f64) -> String {
        match self.unit_of_difference() {
            Some(unit) => format!("{advantage:+.1} {unit}"),
            None => format!("{advantage:.2} times as good"),
        }
    }
}

/// The points with the smallest and with the largest value. A ratio to nothing is none.
fn extremes(points: &[(u64, f64)]) -> Option<((u64, f64), (u64, f64))> {
    let low = points
        .iter()
        .copied()
        .reduce(|a, b| if b.1 < a.1 { b } else { a })?;
    let high = points
        .iter()
        .copied()
        .reduce(|a, b| if b.1 > a.1 { b } else { a })?;
    Some((low, high))
}
