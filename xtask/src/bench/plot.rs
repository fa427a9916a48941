//! The plots: one SVG file for each quantity that has a curve.

use std::error::Error;
use std::path::Path;

use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
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
pub(super) const COLOURS: &[RGBColor] = &[
    RGBColor(0, 90, 180),
    RGBColor(220, 120, 0),
    RGBColor(0, 140, 110),
    RGBColor(160, 60, 140),
    RGBColor(90, 90, 90),
    RGBColor(200, 40, 60),
    RGBColor(110, 160, 40),
];

/// The medians of a series as (abscissa, value). There are none at zero, which a logarithmic axis does not have.
pub(crate) type Curve = Vec<(f64, f64)>;

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
        let chart = Chart {
            title: &plot.title(),
            axis: plot.axis(),
            scale: Scale::Logarithmic,
            curves: &curves,
        };
        chart.draw(&file)?;
        names.push(name);
    }
    Ok(names)
}

fn curve(plot: &Drawn, samples: &Samples, points: &[Point], series: &str) -> Curve {
    let median = |point: &Point| Some((plot.abscissa(point), samples.summary(*point, series)?.median));
    points.iter().filter_map(median).collect()
}

/// The scale of the vertical axis. That of the horizontal axis is logarithmic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scale {
    Logarithmic,
    Linear,
}

/// A plot of several curves.
pub(crate) struct Chart<'a> {
    /// The heading.
    pub(crate) title: &'a str,
    /// The name of the horizontal axis.
    pub(crate) axis: &'a str,
    /// The scale of the vertical axis.
    pub(crate) scale: Scale,
    /// The curves with their names.
    pub(crate) curves: &'a [(&'a str, Curve)],
}

impl Chart<'_> {
    /// Writes the plot as an SVG file.
    pub(crate) fn draw(&self, file: &Path) -> Result<()> {
        let all = || self.curves.iter().flat_map(|(_, curve)| curve.iter().copied());
        let (low, high) = bounds(all().map(|(_, y)| y));
        let drawn = match self.scale {
            Scale::Logarithmic => self.draw_on(file, (low / 1.5..high * 1.5).log_scale()),
            Scale::Linear => self.draw_on(file, low.min(0.0)..high * 1.05),
        };
        drawn.map_err(|e| Failure::Faults(format!("{}: {e}", file.display())))
    }

    fn draw_on<Y>(&self, file: &Path, vertical: Y) -> std::result::Result<(), Box<dyn Error>>
    where
        Y: AsRangedCoord<Value = f64>,
        Y::CoordDescType: ValueFormatter<f64>,
    {
        let (left, right) = bounds(self.curves.iter().flat_map(|(_, curve)| curve).map(|(x, _)| *x));
        let area = SVGBackend::new(file, (760, 480)).into_drawing_area();
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area)
            .caption(self.title, ("sans-serif", 20))
            .margin(12)
            .x_label_area_size(44)
            .y_label_area_size(70)
            .build_cartesian_2d((left..right).log_scale(), vertical)?;
        chart
            .configure_mesh()
            .x_desc(self.axis)
            .x_label_formatter(&|x| format!("{x:.0}"))
            .y_label_formatter(&label)
            .draw()?;
        for ((name, curve), colour) in self.curves.iter().zip(COLOURS.iter().cycle()) {
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
}

/// The label at a value of the vertical axis.
fn label(value: &f64) -> String {
    match value.abs() {
        v if v >= 10.0 || v == 0.0 => format!("{value:.0}"),
        v if v >= 1.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
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
