//! The measured values.

use std::collections::BTreeMap;

use super::experiment::Placement;
use super::metric::Metric;

/// One row of a table: a quantity at one parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Point {
    /// The quantity that was measured.
    pub(crate) metric: Metric,
    /// The placement of the ranks.
    pub(crate) placement: Placement,
    /// The number of ranks.
    pub(crate) ranks: usize,
    /// The message size or the number of ranks.
    pub(crate) parameter: u64,
}

/// The values of all repetitions, by point and contender.
#[derive(Debug, Default)]
pub(crate) struct Samples(BTreeMap<Point, BTreeMap<&'static str, Vec<f64>>>);

/// The best and the median of the repetitions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Summary {
    /// The best value. It is the nearest to what the software can do, since noise only makes values worse.
    pub(crate) best: f64,
    /// The median.
    pub(crate) median: f64,
}

impl Samples {
    /// Adds a value.
    pub(crate) fn add(&mut self, point: Point, contender: &'static str, value: f64) {
        self.0
            .entry(point)
            .or_default()
            .entry(contender)
            .or_default()
            .push(value);
    }

    /// Adds the values that a program printed: lines with a keyword, a parameter and a value. A program that compares
    /// two things has a series for each, in place of that of the contender.
    pub(crate) fn add_lines(
        &mut self,
        (ranks, placement): (usize, Placement),
        contender: &'static str,
        text: &str,
    ) {
        for line in text.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [keyword, parameter, value] = words[..] else {
                continue;
            };
            let Some(metric) = Metric::of_keyword(keyword) else {
                continue;
            };
            if let (Ok(parameter), Ok(value)) = (parameter.parse(), value.parse()) {
                self.add(
                    Point {
                        metric,
                        placement,
                        ranks,
                        parameter,
                    },
                    metric.series_of(keyword).unwrap_or(contender),
                    value,
                );
            }
        }
    }

    /// All points, by metric, placement, ranks and parameter.
    pub(crate) fn points(&self) -> impl Iterator<Item = Point> {
        self.0.keys().copied()
    }

    /// The summary of a contender's values at a point, if it was measured there.
    pub(crate) fn summary(&self, point: Point, contender: &str) -> Option<Summary> {
        let values = self.0.get(&point)?.get(contender)?;
        summary(values, |a, b| point.metric.better(a, b))
    }
}

/// The summary of some values, of which `better` chooses the better of two. None if there are no values.
pub(crate) fn summary(values: &[f64], better: impl Fn(f64, f64) -> f64) -> Option<Summary> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let best = sorted.iter().copied().reduce(better)?;
    let middle = sorted.len() / 2;
    let median = if sorted.len() % 2 == 1 {
        sorted[middle]
    } else {
        (sorted[middle - 1] + sorted[middle]) / 2.0
    };
    Some(Summary { best, median })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_summaries() {
        let mut samples = Samples::default();
        for text in [
            "latency 8 130.0\n",
            "noise\nlatency 8 120.0\n",
            "latency 8 500.0\nbandwidth 8 3.0\n",
        ] {
            samples.add_lines((2, Placement::OneCore), "A", text);
        }
        let point = Point {
            metric: Metric::Latency,
            placement: Placement::OneCore,
            ranks: 2,
            parameter: 8,
        };
        assert_eq!(
            samples.summary(point, "A"),
            Some(Summary {
                best: 120.0,
                median: 130.0
            })
        );
        assert_eq!(samples.summary(point, "B"), None);
        assert_eq!(samples.points().count(), 2);
    }

    #[test]
    fn more_bandwidth_is_better() {
        let mut samples = Samples::default();
        samples.add_lines(
            (2, Placement::TwoCores),
            "A",
            "bandwidth 8 3.0\nbandwidth 8 5.0\n",
        );
        let point = Point {
            metric: Metric::Bandwidth,
            placement: Placement::TwoCores,
            ranks: 2,
            parameter: 8,
        };
        assert_eq!(
            samples.summary(point, "A"),
            Some(Summary {
                best: 5.0,
                median: 4.0
            })
        );
        assert_eq!(Metric::Bandwidth.advantage(6.0, 3.0), 2.0);
        assert_eq!(Metric::Latency.advantage(6.0, 3.0), 0.5);
    }
}
