//! `./x bench`: our MPI and its peers side by side, in one run.
//!
//! Repetitions are interleaved: each round runs every experiment once with every contender, so that a change in the
//! load of the machine meets all of them.

use std::fs;

use crate::command::capture;
use crate::failure::{Failure, Result};
use crate::install;
use crate::workspace::Workspace;

mod contender;
mod experiment;
mod machine;
mod plot;
mod report;
mod samples;

use contender::Contender;
use experiment::{EXPERIMENTS, Experiment, Metric};
use samples::{Point, Samples};

/// The lines of docs/performance.md between which the tables go.
const BEGIN: &str = "<!-- measured: begin -->";
const END: &str = "<!-- measured: end -->";

/// Measures, prints the tables and writes them and the plots into the documentation.
pub(crate) fn run(workspace: &Workspace, rounds: usize) -> Result<()> {
    let stage = install::stage(workspace)?;
    let contenders = contender::all(workspace, &stage)?;
    let machine = machine::describe();
    let mut samples = Samples::default();
    for round in 1..=rounds {
        for experiment in EXPERIMENTS {
            eprintln!(
                "x: round {round} of {rounds}: {} with {} ranks",
                experiment.program, experiment.ranks
            );
            for contender in contenders.iter().filter(|c| experiment.peers || c.is_ours()) {
                measure(*experiment, contender, &mut samples)?;
            }
        }
    }
    let names: Vec<&'static str> = contenders.iter().map(Contender::name).collect();
    let tables = report::tables(&samples, &names);
    print!("{tables}");
    let plots = workspace.source("docs/plots");
    fs::create_dir_all(&plots).map_err(Failure::file(&plots))?;
    let plots = plot::all(&samples, &names, &plots)?;
    document(workspace, &introduction(&machine, rounds), &tables, &plots)
}

fn measure(experiment: Experiment, contender: &Contender, samples: &mut Samples) -> Result<()> {
    let mut command = contender.command(experiment.program, experiment.ranks, experiment.placement);
    let outcome = capture(&mut command, Experiment::LIMIT)?;
    if !outcome.success() {
        eprintln!("x: no result of {}\n{outcome}", contender.name());
        return Ok(());
    }
    samples.add_lines(experiment.placement, contender.name(), &outcome.stdout);
    if experiment.program == "hello" {
        let point = Point {
            metric: Metric::Start,
            placement: experiment.placement,
            parameter: experiment.ranks as u64,
        };
        samples.add(point, contender.name(), outcome.elapsed.as_secs_f64());
    }
    Ok(())
}

fn introduction(machine: &str, rounds: usize) -> String {
    let date = machine::date();
    format!("{date}, {machine}; {rounds} rounds. Cells are best / median of the rounds.\n")
}

/// Replaces what docs/performance.md says between the two marks.
fn document(workspace: &Workspace, introduction: &str, tables: &str, plots: &[String]) -> Result<()> {
    let file = workspace.source("docs/performance.md");
    let text = fs::read_to_string(&file).map_err(Failure::file(&file))?;
    let (Some((before, _)), Some((_, after))) = (text.split_once(BEGIN), text.split_once(END)) else {
        let message = format!("{} lacks the lines {BEGIN} and {END}", file.display());
        return Err(Failure::Faults(message));
    };
    let images: String = plots
        .iter()
        .map(|name| format!("![{name}](plots/{name})\n"))
        .collect();
    let measured = format!("{before}{BEGIN}\n{introduction}\n{tables}{images}{END}{after}");
    fs::write(&file, measured).map_err(Failure::file(&file))
}
