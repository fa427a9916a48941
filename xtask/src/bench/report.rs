//! The tables of a benchmark.

use std::fmt::Write;

use super::experiment::Placement;
use super::metric::Metric;
use super::samples::{Point, Samples, Summary};
use crate::table::aligned;

/// All tables in Markdown, which reads well in a terminal, too. The first contender is ours. A cell is best / median of
/// the repetitions.
pub(crate) fn tables(samples: &Samples, contenders: &[&'static str]) -> String {
    let mut text = String::new();
    for ((metric, placement), points) in groups(samples) {
        let _ = writeln!(text, "### {}: {}\n", metric.title(), placement.title());
        text.push_str(&table(metric, &points, samples, metric.series(contenders)));
        text.push('\n');
    }
    text
}

/// A text that names the points where ours is behind its rival, by the medians and by more than noise.
pub(crate) fn behind(samples: &Samples, contenders: &[&'static str]) -> String {
    let (mut text, mut rival) = (String::new(), "");
    for ((metric, placement), points) in groups(samples) {
        rival = metric.rival();
        let is_behind = |point: &Point| {
            let compared = compared(samples, *point, metric.series(contenders));
            compared.is_some_and(|(_, by_median)| metric.is_behind(by_median))
        };
        let places: Vec<String> = points.into_iter().filter(is_behind).map(place).collect();
        if !places.is_empty() {
            let (title, where_run) = (metric.title(), placement.title());
            let _ = writeln!(text, "* {title}: {where_run}: at {}", places.join(", "));
        }
    }
    match text.is_empty() {
        true => format!("By the medians, nowhere behind {rival} by more than 5 %.\n"),
        false => format!("Behind {rival} by more than 5 %, by the medians:\n\n{text}"),
    }
}

/// The heading of the row of a point.
fn place(point: Point) -> String {
    let Point { parameter, ranks, .. } = point;
    match point.metric.varies_ranks() {
        true => format!("{parameter} bytes of {ranks} ranks"),
        false => format!("{parameter} {}", point.metric.parameter()),
    }
}

/// The points of each table.
fn groups(samples: &Samples) -> Vec<((Metric, Placement), Vec<Point>)> {
    let mut groups: Vec<((Metric, Placement), Vec<Point>)> = Vec::new();
    for point in samples.points() {
        let group = (point.metric, point.placement);
        match groups.last_mut().filter(|(last, _)| *last == group) {
            Some((_, points)) => points.push(point),
            None => groups.push((group, vec![point])),
        }
    }
    groups
}

/// A table of the contenders that took part.
fn table(metric: Metric, points: &[Point], samples: &Samples, contenders: &[&'static str]) -> String {
    let took_part = |name: &&str| points.iter().any(|point| samples.summary(*point, name).is_some());
    let contenders: Vec<_> = contenders.iter().copied().filter(took_part).collect();
    let mut head = vec![metric.parameter().to_owned()];
    if metric.varies_ranks() {
        head.insert(0, "ranks".to_owned());
    }
    head.extend(contenders.iter().map(|&name| name.to_owned()));
    let compares = contenders.len() > 1;
    head.extend(compares.then(|| metric.comparison().to_owned()));
    let mut rows = vec![head];
    for &point in points {
        let mut row = vec![point.parameter.to_string()];
        if metric.varies_ranks() {
            row.insert(0, point.ranks.to_string());
        }
        row.extend(contenders.iter().map(|name| cell(samples, point, name)));
        row.extend(compares.then(|| advantage(samples, point, &contenders)));
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

/// The advantage of ours, the first contender, over the best peer, by the best values and by the medians.
fn advantage(samples: &Samples, point: Point, contenders: &[&'static str]) -> String {
    match compared(samples, point, contenders) {
        Some((by_best, by_median)) => format!("{by_best:.2} / {by_median:.2}"),
        None => "–".to_owned(),
    }
}

fn compared(samples: &Samples, point: Point, contenders: &[&'static str]) -> Option<(f64, f64)> {
    let metric = point.metric;
    let mut summaries = contenders.iter().map(|name| samples.summary(point, name));
    let ours = summaries.next().flatten();
    let theirs = summaries.flatten().reduce(|a, b| Summary {
        best: metric.better(a.best, b.best),
        median: metric.better(a.median, b.median),
    });
    let (ours, theirs) = (ours?, theirs?);
    Some((
        metric.advantage(ours.best, theirs.best),
        metric.advantage(ours.median, theirs.median),
    ))
}

/// A number with three significant digits, or with all digits before the point.
pub(crate) fn number(value: f64) -> String {
    match value.abs() {
        v if v >= 100.0 => format!("{value:.0}"),
        v if v >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        assert_eq!(
            ["1234", "12.3", "1.23", "-301"],
            [number(1234.4), number(12.34), number(1.234), number(-301.1)]
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
        let alone = tables(&samples, &["ours"]);
        assert!(!alone.contains("best peer"), "{alone}");
    }

    #[test]
    fn what_is_behind_is_said_and_shares_are_compared_by_points() {
        let mut samples = Samples::default();
        let lines = "latency 8 100\nlatency 64 100\navailability_send 64 90";
        samples.add_lines((2, Placement::Tcp), "ours", lines);
        assert!(behind(&samples, &["ours", "peer"]).contains("nowhere behind"));
        let lines = "latency 8 104\nlatency 64 90\navailability_send 64 -1";
        samples.add_lines((2, Placement::Tcp), "peer", lines);
        let text = behind(&samples, &["ours", "peer"]);
        assert!(text.contains("over TCP: at 64 bytes\n"), "{text}");
        assert!(!text.contains("Kept"), "{text}");
        assert!(tables(&samples, &["ours", "peer"]).contains("91.00 / 91.00 |"));
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
