//! Plots of bars, each of which shows the shares of the same parts.

use std::error::Error;
use std::path::Path;

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::plot::COLOURS;
use crate::failure::{Failure, Result};

/// Bars that stand together.
pub(crate) struct Group<'a> {
    /// The name below them.
    pub(crate) name: String,
    /// The name of each bar, and its parts from the lowest on.
    pub(crate) bars: Vec<(&'a str, Vec<f64>)>,
}

/// The room between groups, in bars.
const GAP: f64 = 0.6;

/// Draws groups of bars whose parts have these names as an SVG file.
pub(crate) fn draw(parts: &[&str], groups: &[Group<'_>], file: &Path) -> Result<()> {
    drawn(parts, groups, file).map_err(|e| Failure::Faults(format!("{}: {e}", file.display())))
}

fn drawn(parts: &[&str], groups: &[Group<'_>], file: &Path) -> std::result::Result<(), Box<dyn Error>> {
    let width = |group: &Group<'_>| group.bars.len() as f64 + GAP;
    let area = SVGBackend::new(file, (760, 480)).into_drawing_area();
    area.fill(&WHITE)?;
    // Names are below zero, and the legend is above 100 %.
    let mut chart = ChartBuilder::on(&area)
        .margin(12)
        .y_label_area_size(50)
        .build_cartesian_2d(0.0..groups.iter().map(width).sum(), -12.0..135.0)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(0)
        .y_desc("share, %")
        .y_label_formatter(&|share| match (0.0..=100.0).contains(share) {
            true => format!("{share:.0}"),
            false => String::new(),
        })
        .draw()?;
    let centred = |size: i32| {
        let style = TextStyle::from(("sans-serif", size).into_font());
        style.pos(Pos::new(HPos::Center, VPos::Top))
    };
    let mut rectangles: Vec<Vec<_>> = vec![Vec::new(); parts.len()];
    let mut left = GAP / 2.0;
    for group in groups {
        let middle = left + group.bars.len() as f64 / 2.0;
        chart.draw_series([Text::new(group.name.clone(), (middle, -6.0), centred(15))])?;
        for (name, values) in &group.bars {
            chart.draw_series([Text::new((*name).to_owned(), (left + 0.5, -1.0), centred(13))])?;
            let whole: f64 = values.iter().sum();
            let mut low = 0.0;
            for (part, value) in rectangles.iter_mut().zip(values) {
                let high = low + 100.0 * value / whole.max(f64::MIN_POSITIVE);
                part.push([(left + 0.1, low), (left + 0.9, high)]);
                low = high;
            }
            left += 1.0;
        }
        left += GAP;
    }
    for ((title, corners), colour) in parts.iter().zip(rectangles).zip(COLOURS.iter().cycle()) {
        let colour = *colour;
        chart
            .draw_series(
                corners
                    .into_iter()
                    .map(|corners| Rectangle::new(corners, colour.filled())),
            )?
            .label(*title)
            .legend(move |(x, y)| Rectangle::new([(x, y - 5), (x + 20, y + 5)], colour.filled()));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperMiddle)
        .background_style(WHITE)
        .border_style(BLACK)
        .draw()?;
    area.present()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use simurgh_testing::Scratch;

    #[test]
    fn each_bar_and_each_part_is_drawn() {
        let scratch = Scratch::new("bars");
        let file = scratch.path().join("bars.svg");
        let bars = |values: [f64; 2]| vec![("one", values.to_vec()), ("other", vec![1.0, 1.0])];
        let group = |name: &str, values| Group {
            name: name.to_owned(),
            bars: bars(values),
        };
        draw(
            &["work", "idle"],
            &[group("2", [3.0, 1.0]), group("8", [0.0, 0.0])],
            &file,
        )
        .unwrap();
        let svg = std::fs::read_to_string(&file).unwrap();
        for text in ["work", "idle", "one", "other"] {
            assert!(svg.contains(text), "{text}");
        }
        // The background, eight parts, the legend with its frame and its two keys.
        assert!(svg.matches("<rect ").count() >= 1 + 8 + 2, "{svg}");
    }
}
