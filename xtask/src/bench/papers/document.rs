//! The sections of docs/papers.md.

use std::ffi::OsStr;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::super::bars::{self, Group};
use super::super::plot::{Chart, Curve, Scale};
use super::figure::{Better, Experiment, Figure, Run, Series};
use super::measure::Runners;
use super::results::Results;
use super::{findings, tables};
use crate::failure::{Failure, Result};

/// The document, below the root of the source tree.
pub(super) const FILE: &str = "docs/papers.md";

/// The folder of plots, likewise.
const PLOTS: &str = "docs/plots/papers";

/// The longest line of a paragraph.
const COLUMNS: usize = 120;

/// The line before or after the section of a figure.
pub(super) fn mark(figure: &Figure, which: &str) -> String {
    format!("<!-- figure {}: {which} -->", figure.name)
}

/// Replaces the section of a figure.
pub(super) fn write(root: &Path, figure: &Figure, section: &str) -> Result<()> {
    let file = root.join(FILE);
    let (begin, end) = (mark(figure, "begin"), mark(figure, "end"));
    let text = fs::read_to_string(&file).map_err(Failure::file(&file))?;
    let (Some((before, _)), Some((_, after))) = (text.split_once(&begin), text.split_once(&end)) else {
        let message = format!("{} lacks the lines {begin} and {end}", file.display());
        return Err(Failure::Faults(message));
    };
    fs::write(&file, format!("{before}{begin}\n{section}{end}{after}")).map_err(Failure::file(&file))
}

/// What a section says before its tables: what is shown, and how it is measured.
pub(super) fn introduction(figure: &Figure, runners: &Runners<'_>, root: &Path) -> String {
    let Figure {
        name,
        source,
        title,
        paper,
        here,
        ..
    } = figure;
    let mut text = format!("## {title}\n\n*{source}*\n\n`./x bench papers --figure {name}`\n\n");
    for words in [format!("**The paper:** {paper}"), format!("**Here:** {here}")] {
        let _ = writeln!(text, "{}\n", wrapped(&words));
    }
    for experiment in figure.experiments {
        let _ = writeln!(text, "{}", commands(experiment, runners, root));
    }
    text
}

/// The commands of an experiment, one or two for each series.
fn commands(experiment: &Experiment, runners: &Runners<'_>, root: &Path) -> String {
    let mut text = format!("[{0}.c](../benches/papers/{0}.c)", experiment.program);
    let runs = experiment.runs.iter();
    let numbers: Vec<String> = runs
        .map(|run| {
            format!("{} {}", run.ranks, run.arguments.join(" "))
                .trim()
                .to_owned()
        })
        .collect();
    let what = match experiment.runs.iter().all(|run| run.arguments.is_empty()) {
        true => "N",
        false => "N and the arguments",
    };
    let _ = write!(text, ", with {what} {}:\n\n", numbers.join("; "));
    for series in experiment.series {
        // Peers are told other things as soon as ranks outnumber cores.
        let mut last = String::new();
        for run in experiment.runs {
            let line = runners
                .command(experiment, series, *run)
                .map(|command| line(&command, *run, root));
            if let Some(line) = line.filter(|line| *line != last) {
                let _ = writeln!(text, "    {line}");
                last = line;
            }
        }
    }
    text
}

/// The line of a command without its arguments, and with N in place of the number of ranks.
fn line(command: &Command, run: Run, root: &Path) -> String {
    let told = |name: &OsStr| {
        let name = name.to_string_lossy();
        name != "LD_LIBRARY_PATH" && !name.starts_with("OMPI_ALLOW")
    };
    let variables = command.get_envs().filter(|(name, _)| told(name));
    let variables: String = variables
        .filter_map(|(name, value)| Some(format!("{}={} ", name.display(), value?.display())))
        .collect();
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<String> = words.map(|word| shown(&word.to_string_lossy(), root)).collect();
    let words = &words[..words.len() - run.arguments.len()];
    format!("{variables}{}", with_n(words, run.ranks))
}

/// A word of a command without the folders of this machine.
fn shown(word: &str, root: &Path) -> String {
    let root = format!("{}/target/", root.display());
    match word.strip_prefix(&root) {
        Some(_) => word.rsplit('/').next().unwrap_or(word).to_owned(),
        None => word.to_owned(),
    }
}

/// The command line with N for the number of ranks: the word after `-n`, or the last one.
fn with_n(words: &[String], ranks: usize) -> String {
    let ranks = ranks.to_string();
    let mut shown = words.to_vec();
    let place = words
        .windows(2)
        .position(|pair| pair[0] == "-n" && pair[1] == ranks)
        .map_or(words.len() - 1, |before| before + 1);
    "N".clone_into(&mut shown[place]);
    shown.join(" ")
}

/// A paragraph in lines that are not too long.
fn wrapped(words: &str) -> String {
    let (mut text, mut column) = (String::new(), 0);
    for word in words.split(' ') {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > COLUMNS {
            text.push('\n');
            column = 0;
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += length;
    }
    text
}

/// Tables and plots of an experiment, and what they say.
pub(super) fn measured(
    figure: &Figure,
    place: usize,
    results: &Results,
    root: &Path,
) -> Result<(String, String)> {
    let experiment = &figure.experiments[place];
    let mut text = tables::all(experiment, results);
    for name in plots(figure, place, results, root)? {
        let _ = writeln!(text, "![{name}](plots/papers/{name})\n");
    }
    Ok((text, findings::all(experiment, results)))
}

/// Draws each quantity of an experiment that has a curve, and returns the names of the files.
fn plots(figure: &Figure, place: usize, results: &Results, root: &Path) -> Result<Vec<String>> {
    let experiment = &figure.experiments[place];
    let folder = root.join(PLOTS);
    fs::create_dir_all(&folder).map_err(Failure::file(&folder))?;
    let mut names = Vec::new();
    for (index, value) in experiment.values.iter().enumerate() {
        if value.better == Better::Part {
            continue;
        }
        let curve = |name: &str| -> Curve {
            let xs = results.abscissas(index).into_iter().filter(|x| *x > 0);
            xs.filter_map(|x| Some((x as f64, results.median(experiment, index, x, name)?)))
                .collect()
        };
        let curves: Vec<(&str, Curve)> = experiment
            .series
            .iter()
            .map(|series| (series.name, curve(series.name)))
            .filter(|(_, curve)| !curve.is_empty())
            .collect();
        if curves.iter().all(|(_, curve)| curve.len() < 2) {
            continue;
        }
        let positive = curves
            .iter()
            .all(|(_, curve)| curve.iter().all(|(_, y)| *y > 0.0));
        let name = format!("{}-{}-{}.svg", figure.name, place + 1, value.keyword);
        let scale = match value.better == Better::MorePercent || !positive {
            true => Scale::Linear,
            false => Scale::Logarithmic,
        };
        let chart = Chart {
            title: value.title,
            axis: experiment.axis,
            scale,
            curves: &curves,
        };
        chart.draw(&folder.join(&name))?;
        names.push(name);
    }
    names.extend(shares(figure, place, results, &folder)?);
    Ok(names)
}

/// Draws the parts of a whole that an experiment has, if it has any, and returns the name of the file.
fn shares(figure: &Figure, place: usize, results: &Results, folder: &Path) -> Result<Option<String>> {
    let experiment = &figure.experiments[place];
    let (indices, titles): (Vec<usize>, Vec<&str>) = (0..)
        .zip(experiment.values)
        .filter(|(_, value)| value.better == Better::Part)
        .map(|(index, value)| (index, value.title))
        .unzip();
    let Some(first) = indices.first() else {
        return Ok(None);
    };
    let group = |x: u64| {
        let bar = |series: &Series| {
            let median = |index: &usize| results.median(experiment, *index, x, series.name);
            Some((series.name, indices.iter().map(median).collect::<Option<_>>()?))
        };
        Group {
            name: format!("{x} {}", experiment.axis),
            bars: experiment.series.iter().filter_map(bar).collect(),
        }
    };
    let groups: Vec<Group<'_>> = results.abscissas(*first).into_iter().map(group).collect();
    let name = format!("{}-{}-parts.svg", figure.name, place + 1);
    bars::draw(&titles, &groups, &folder.join(&name))?;
    Ok(Some(name))
}
