//! The tables.

use std::fmt::Write;

use super::experiment::Placement;
use super::metric::Metric;
use super::samples::{Point, Samples, Summary};
use crate::table::aligned;

/// All tables in Markdown, which reads well in a terminal too. Ours is the first contender. A cell is best / median of
/// the repetitions.
pub(crate) fn tables(samples: &Samples, contenders: &[&'static str]) -> String {
    let mut groups: Vec<(Metric, Placement)> = samples.points().map(|p| (p.metric, p.placement)).collect();
    groups.dedup();
    let mut text = String::new();
    for (metric, placement) in groups {
        let points: Vec<Point> = samples
            .points()
            .filter(|p| (p.metric, p.placement) == (metric, placement))
            .collect();
        let _ = writeln!(text, "### {}: {}\n", metric.title(), placement.title());
        text.push_str(&table(metric, &points, samples, metric.series(contenders)));
        text.push('\n');
    }
    text
}

/// A table of those who took part.
fn table(metric: Metric, points: &[Point], samples: &Samples, contenders: &[&'static str]) -> String {
    let took_part = |name: &&str| points.iter().any(|point| samples.summary(*point, name).is_some());
    let contenders: Vec<_> = contenders.iter().copied().filter(took_part).collect();
    let mut head = vec![metric.parameter().to_owned()];
    if metric.varies_ranks() {
        head.insert(0, "ranks".to_owned());
    }
    head.extend(contenders.iter().map(|&name| name.to_owned()));
    head.push(metric.comparison().to_owned());
    let mut rows = vec![head];
    for &point in points {
        let mut row = vec![point.parameter.to_string()];
        if metric.varies_ranks() {
            row.insert(0, point.ranks.to_string());
        }
        row.extend(contenders.iter().map(|name| cell(samples, point, name)));
        row.push(advantage(samples, point, &contenders));
        rows.push(row);
    }
    aligned(&rows)
}

fn cell(samples: &Samples, point: Point, contender: &str) -> String {
    match samples.summary(point, contender) {
        Some(summary) => format!("{} / {}", number(summary.best), number(summary.median)),
        None => "–".to_owned(),
    }
}

/// Ours, the first, against the best peer, by the best values and by the medians.
fn advantage(samples: &Samples, point: Point, contenders: &[&'static str]) -> String {
    let metric = point.metric;
    let mut summaries = contenders.iter().map(|name| samples.summary(point, name));
    let ours = summaries.next().flatten();
    let theirs = summaries.flatten().reduce(|a, b| Summary {
        best: metric.better(a.best, b.best),
        median: metric.better(a.median, b.median),
    });
    match (ours, theirs) {
        (Some(ours), Some(theirs)) => format!(
            "{:.2} / {:.2}",
            metric.advantage(ours.best, theirs.best),
            metric.advantage(ours.median, theirs.median)
        ),
        _ => "–".to_owned(),
    }
}

/// Three significant digits or all before the point.
fn number(value: f64) -> String {
    match value {
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v => format!("{v:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        assert_eq!(
            ["1234", "12.3", "1.23"],
            [number(1234.4), number(12.34), number(1.234)]
                .each_ref()
                .map(|s| &**s)
        );
    }

    #[test]
    fn the_best_peer_is_the_measure() {
        let mut samples = Samples::default();
        for (name, line) in [
            ("ours", "latency 8 100"),
            ("slow", "latency 8 900"),
            ("fast", "latency 8 250"),
            ("partial", "latency 64 300"),
        ] {
            samples.add_lines((2, Placement::OneCore), name, line);
        }
        let text = tables(&samples, &["ours", "slow", "fast", "partial", "absent"]);
        assert!(text.contains("2.50 / 2.50 |") && text.contains("– |"), "{text}");
        assert!(!text.contains("absent"), "{text}");
    }

    #[test]
    fn collectives_have_a_row_for_each_number_of_ranks() {
        let mut samples = Samples::default();
        for ranks in [16, 64] {
            samples.add_lines((ranks, Placement::AllCores), "ours", "bcast 8 1.5");
        }
        samples.add_lines((64, Placement::OneCore), "ours", "barriers 64 5\nswitches 64 10");
        let text = tables(&samples, &["ours"]);
        for row in [
            "|    16 |     8 |",
            "|    64 |     8 |",
            " barriers |",
            "2.00 / 2.00 |",
        ] {
            assert!(text.contains(row), "{row} in {text}");
        }
    }
}
