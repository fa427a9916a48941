//! The plots: one SVG file for each quantity that has a curve.

use std::error::Error;
use std::path::Path;

use plotters::prelude::*;

use super::experiment::{Metric, Placement};
use super::samples::{Point, Samples};
use crate::failure::{Failure, Result};

/// Which quantities are drawn.
const DRAWN: &[(Metric, Placement)] = &[
    (Metric::Latency, Placement::OneCore),
    (Metric::Latency, Placement::TwoCores),
    (Metric::Bandwidth, Placement::OneCore),
    (Metric::Bandwidth, Placement::TwoCores),
];

/// One colour per contender, told apart by the colour-blind too.
const COLOURS: &[RGBColor] = &[
    RGBColor(0, 90, 180),
    RGBColor(220, 120, 0),
    RGBColor(0, 140, 110),
    RGBColor(160, 60, 140),
];

/// A contender's medians: (bytes, value), none at zero bytes, which a logarithmic axis does not have.
type Curve = Vec<(f64, f64)>;

/// Draws all plots into a directory and returns the names of the files.
pub(crate) fn all(samples: &Samples, contenders: &[&'static str], directory: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for &(metric, placement) in DRAWN {
        let points: Vec<Point> = samples
            .points()
            .filter(|p| (p.metric, p.placement) == (metric, placement) && p.parameter > 0)
            .collect();
        let curves: Vec<(&str, Curve)> = contenders
            .iter()
            .map(|&name| (name, curve(samples, &points, name)))
            .filter(|(_, c)| !c.is_empty())
            .collect();
        if curves.is_empty() {
            continue;
        }
        let name = format!("{}-{}.svg", metric.slug(), placement.slug());
        let file = directory.join(&name);
        let title = format!("{}: {}", metric.title(), placement.title());
        draw(&file, &title, &curves).map_err(|e| Failure::Faults(format!("{}: {e}", file.display())))?;
        names.push(name);
    }
    Ok(names)
}

fn curve(samples: &Samples, points: &[Point], contender: &str) -> Curve {
    let median = |&point: &Point| Some((point.parameter as f64, samples.summary(point, contender)?.median));
    points.iter().filter_map(median).collect()
}

fn draw(file: &Path, title: &str, curves: &[(&str, Curve)]) -> std::result::Result<(), Box<dyn Error>> {
    let all = || curves.iter().flat_map(|(_, curve)| curve.iter().copied());
    let (left, right) = bounds(all().map(|(x, _)| x));
    let (low, high) = bounds(all().map(|(_, y)| y));

    let area = SVGBackend::new(file, (760, 480)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption(title, ("sans-serif", 20))
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(70)
        .build_cartesian_2d((left..right).log_scale(), (low / 1.5..high * 1.5).log_scale())?;
    chart
        .configure_mesh()
        .x_desc("message size, bytes")
        .x_label_formatter(&|x| format!("{x:.0}"))
        .y_label_formatter(&|y| format!("{y:.0}"))
        .draw()?;
    for ((name, curve), colour) in curves.iter().zip(COLOURS.iter().cycle()) {
        let colour = *colour;
        chart
            .draw_series(LineSeries::new(curve.iter().copied(), colour.stroke_width(2)).point_size(3))?
            .label(*name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], colour.stroke_width(2)));
    }
    chart
        .configure_series_labels()
        .background_style(WHITE)
        .border_style(BLACK)
        .draw()?;
    area.present()?;
    Ok(())
}

fn bounds(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::MAX, f64::MIN_POSITIVE), |(low, high), v| {
        (low.min(v), high.max(v))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use simurgh_testing::Scratch;

    #[test]
    fn a_measured_quantity_is_drawn() {
        let mut samples = Samples::default();
        samples.add_lines(
            Placement::OneCore,
            "A",
            "latency 0 90\nlatency 8 100\nlatency 1048576 90000\n",
        );
        let scratch = Scratch::new("plot");
        let names = all(&samples, &["A"], scratch.path()).unwrap();
        assert_eq!(names, ["latency-one-core.svg"]);
        let svg = std::fs::read_to_string(scratch.path().join(&names[0])).unwrap();
        assert!(svg.contains("Latency, ns one way: both ranks on one core") && svg.contains("polyline"));
    }
}
