//! `./x bench papers`: what the papers of our ancestors show, shown with our MPI and its peers.
//!
//! # Layers
//!
//! * `figure`: what a figure consists of
//! * `phoenix`, `charm`, `mpc`, `cray`: the figures of each paper
//! * `results`: the measured values
//! * `measure`: the runs
//! * `tables`, `findings`: what is made of the values
//! * `document`: the sections of docs/papers.md

use std::time::Instant;

use super::contender::{self, Contender};
use super::machine;
use crate::failure::{Failure, Result};
use crate::install;
use crate::workspace::Workspace;

mod charm;
mod cray;
mod document;
mod figure;
mod findings;
mod measure;
mod mpc;
mod phoenix;
mod results;
mod tables;

use figure::Figure;
use measure::Runners;

/// How many rounds are measured unless the command line says otherwise. With these, all figures take 20 minutes.
pub(crate) const ROUNDS: usize = 3;

/// All figures, in the order of the document.
fn figures() -> impl Iterator<Item = &'static Figure> {
    let papers = [phoenix::FIGURES, charm::FIGURES, mpc::FIGURES, cray::FIGURES];
    papers.into_iter().flatten()
}

/// Measures the named figures, or all of them, prints them, and writes them into docs/papers.md. Without any rounds it
/// writes the texts alone. What is measured is the installation that `SIMURGH_STAGE` names, or this build.
pub(super) fn run(workspace: &Workspace, rounds: usize, names: &[String]) -> Result<()> {
    if let Some(unknown) = names
        .iter()
        .find(|name| figures().all(|figure| figure.name != **name))
    {
        let known: Vec<_> = figures().map(|figure| figure.name).collect();
        let message = format!("there is no figure {unknown}, but {}", known.join(", "));
        return Err(Failure::Faults(message));
    }
    let stage = install::staged(workspace)?;
    let contenders = contender::all(workspace, &stage)?;
    figures()
        .filter(|figure| names.is_empty() || names.iter().any(|name| name == figure.name))
        .try_for_each(|figure| write(workspace, figure, &contenders, rounds))
}

fn write(workspace: &Workspace, figure: &Figure, contenders: &[Contender], rounds: usize) -> Result<()> {
    let (runners, root) = (Runners::new(contenders), workspace.root());
    let mut section = document::introduction(figure, &runners, root);
    if rounds == 0 {
        section.push_str("Not measured yet.\n\n");
        return document::write(root, figure, &section);
    }
    // The load is that before the runs of the figure.
    let (date, machine, begin) = (machine::date(), machine::describe(), Instant::now());
    let (mut measured, mut found) = (String::new(), String::new());
    for (place, experiment) in figure.experiments.iter().enumerate() {
        let results = runners.measure(experiment, rounds)?;
        let (text, findings) = document::measured(figure, place, &results, root)?;
        measured.push_str(&text);
        found.push_str(&findings);
    }
    let seconds = begin.elapsed().as_secs();
    section.push_str(&format!(
        "{date}, {machine}; {rounds} rounds in {seconds} s. Cells are best / median of the rounds.\n\n{measured}\
         **We find** (by the medians):\n\n{found}\n"
    ));
    print!("{section}");
    document::write(root, figure, &section)
}

#[cfg(test)]
mod tests;
