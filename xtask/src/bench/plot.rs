//! The plots: one SVG file for each quantity that has a curve.

use std::error::Error;
use std::path::Path;

use plotters::prelude::*;

use super::experiment::Placement;
use super::metric::Metric;
use super::samples::{Point, Samples};
use crate::failure::{Failure, Result};

/// A quantity that is drawn. For collectives, the plot is for this number of ranks, unless the ranks are its abscissa.
struct Drawn {
    metric: Metric,
    placement: Placement,
    ranks: Option<usize>,
}

const fn drawn(metric: Metric, placement: Placement, ranks: Option<usize>) -> Drawn {
    Drawn {
        metric,
        placement,
        ranks,
    }
}

const DRAWN: &[Drawn] = &[
    drawn(Metric::Latency, Placement::OneCore, None),
    drawn(Metric::Latency, Placement::TwoCores, None),
    drawn(Metric::Bandwidth, Placement::OneCore, None),
    drawn(Metric::Bandwidth, Placement::TwoCores, None),
    drawn(Metric::Barrier, Placement::AllCores, None),
    drawn(Metric::Bcast, Placement::AllCores, Some(64)),
    drawn(Metric::Allreduce, Placement::AllCores, Some(64)),
    drawn(Metric::Alltoall, Placement::AllCores, Some(64)),
    drawn(Metric::Growth, Placement::OneCore, None),
    drawn(Metric::Latency, Placement::TwoProcesses, None),
    drawn(Metric::Bandwidth, Placement::TwoProcesses, None),
    drawn(Metric::Latency, Placement::Tcp, None),
];

impl Drawn {
    fn shows(&self, point: &Point) -> bool {
        (point.metric, point.placement) == (self.metric, self.placement)
            && self.ranks.is_none_or(|ranks| ranks == point.ranks)
            && self.abscissa(point) > 0.0
    }

    /// The position of a point on the horizontal axis.
    fn abscissa(&self, point: &Point) -> f64 {
        match self.metric {
            Metric::Barrier => point.ranks as f64,
            _ => point.parameter as f64,
        }
    }

    fn axis(&self) -> &'static str {
        match self.metric {
            Metric::Barrier | Metric::Growth => "ranks",
            _ => "message size, bytes",
        }
    }

    fn file_name(&self) -> String {
        let ranks = self.ranks.map(|ranks| format!("-{ranks}")).unwrap_or_default();
        format!("{}-{}{ranks}.svg", self.metric.slug(), self.placement.slug())
    }

    fn title(&self) -> String {
        let ranks = self
            .ranks
            .map(|ranks| format!(", {ranks} ranks"))
            .unwrap_or_default();
        format!("{}: {}{ranks}", self.metric.title(), self.placement.title())
    }
}

/// One colour per contender. Colour-blind readers can tell them apart, too.
const COLOURS: &[RGBColor] = &[
    RGBColor(0, 90, 180),
    RGBColor(220, 120, 0),
    RGBColor(0, 140, 110),
    RGBColor(160, 60, 140),
];

/// The medians of a series as (abscissa, value). There are none at zero, which a logarithmic axis does not have.
type Curve = Vec<(f64, f64)>;

/// Draws all plots into a directory and returns the names of the files.
pub(crate) fn all(samples: &Samples, contenders: &[&'static str], directory: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for plot in DRAWN {
        let points: Vec<Point> = samples.points().filter(|point| plot.shows(point)).collect();
        let curves: Vec<(&str, Curve)> = plot
            .metric
            .series(contenders)
            .iter()
            .map(|&name| (name, curve(plot, samples, &points, name)))
            .filter(|(_, c)| !c.is_empty())
            .collect();
        if curves.is_empty() {
            continue;
        }
        let name = plot.file_name();
        let file = directory.join(&name);
        draw(&file, plot, &curves).map_err(|e| Failure::Faults(format!("{}: {e}", file.display())))?;
        names.push(name);
    }
    Ok(names)
}

fn curve(plot: &Drawn, samples: &Samples, points: &[Point], series: &str) -> Curve {
    let median = |point: &Point| Some((plot.abscissa(point), samples.summary(*point, series)?.median));
    points.iter().filter_map(median).collect()
}

fn draw(file: &Path, plot: &Drawn, curves: &[(&str, Curve)]) -> std::result::Result<(), Box<dyn Error>> {
    let all = || curves.iter().flat_map(|(_, curve)| curve.iter().copied());
    let (left, right) = bounds(all().map(|(x, _)| x));
    let (low, high) = bounds(all().map(|(_, y)| y));

    let area = SVGBackend::new(file, (760, 480)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption(plot.title(), ("sans-serif", 20))
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(70)
        .build_cartesian_2d((left..right).log_scale(), (low / 1.5..high * 1.5).log_scale())?;
    chart
        .configure_mesh()
        .x_desc(plot.axis())
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
            (2, Placement::OneCore),
            "A",
            "latency 0 90\nlatency 8 100\nlatency 1048576 90000\n",
        );
        let scratch = Scratch::new("plot");
        let names = all(&samples, &["A"], scratch.path()).unwrap();
        assert_eq!(names, ["latency-one-core.svg"]);
        samples.add_lines(
            (64, Placement::AllCores),
            "A",
            "barrier 0 3\nbcast 8 1\nbcast 4096 2",
        );
        samples.add_lines((8, Placement::OneCore), "A", "barriers 8 1\nswitches 8 2");
        let more = all(&samples, &["A"], scratch.path()).unwrap();
        assert_eq!(
            more[1..],
            [
                "barrier-all-cores.svg",
                "bcast-all-cores-64.svg",
                "growth-one-core.svg"
            ]
        );
        let svg = std::fs::read_to_string(scratch.path().join(&names[0])).unwrap();
        assert!(svg.contains("Latency, ns one way: all ranks on one core") && svg.contains("polyline"));
    }
}
