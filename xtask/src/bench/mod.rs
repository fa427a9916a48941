//! `./x bench`: our MPI and its peers side by side, in one run.
//!
//! Repetitions are interleaved: each round runs every experiment once with every contender, so that a change in the
//! load of the machine meets all of them.

use std::fs;
use std::path::Path;

use crate::command::capture;
use crate::failure::{Failure, Result};
use crate::install;
use crate::workspace::Workspace;
use simurgh_testing::Stage;

mod bars;
mod contender;
mod experiment;
mod hosts;
mod machine;
mod metric;
mod papers;
mod plot;
mod report;
mod rust;
mod samples;
mod work;

use contender::Contender;
pub(crate) use experiment::Group;
use experiment::{EXPERIMENTS, Experiment};
use machine::LineTransfer;
use metric::Metric;
use samples::{Point, Samples};

/// How many rounds are measured unless the command line says otherwise, save for the figures of papers.
const ROUNDS: usize = 5;

/// Measures the groups, prints the tables and writes them and the plots into the documentation. Of the figures of
/// papers it measures those that are named, or all.
pub(crate) fn run(
    workspace: &Workspace,
    rounds: Option<usize>,
    groups: &[Group],
    figures: &[String],
) -> Result<()> {
    let (papers, groups): (Vec<Group>, Vec<Group>) =
        groups.iter().partition(|group| **group == Group::Papers);
    if !papers.is_empty() {
        papers::run(workspace, rounds.unwrap_or(papers::ROUNDS), figures)?;
    }
    if groups.is_empty() {
        return Ok(());
    }
    let rounds = rounds.unwrap_or(ROUNDS);
    let stage = install::stage(workspace)?;
    let (alone, beside): (Vec<Group>, Vec<Group>) = groups.iter().partition(|group| **group == Group::Hosts);
    let (rust, beside): (Vec<Group>, Vec<Group>) = beside.iter().partition(|group| **group == Group::Rust);
    for group in rust {
        measure_group(workspace, group, &rust::contenders(workspace, &stage)?, rounds)?;
    }
    if !beside.is_empty() {
        let contenders = contender::all(workspace, &stage)?;
        beside
            .iter()
            .try_for_each(|group| measure_group(workspace, *group, &contenders, rounds))?;
    }
    alone
        .iter()
        .try_for_each(|group| measure_hosts(workspace, *group, &stage, rounds))
}

/// Measures the groups with the stage and with another installation of ours, and prints the tables. Above 1 in their
/// last column means that the stage is better.
pub(crate) fn compare(
    workspace: &Workspace,
    rounds: Option<usize>,
    groups: &[Group],
    other: &Path,
    kinds: &[String],
) -> Result<()> {
    let stage = install::stage(workspace)?;
    let contenders = contender::builds(workspace, &stage, other)?;
    show(groups, &contenders, rounds, kinds)
}

/// Measures some kinds of work of the groups, and prints the tables.
pub(crate) fn kinds(
    workspace: &Workspace,
    rounds: Option<usize>,
    groups: &[Group],
    kinds: &[String],
) -> Result<()> {
    let stage = install::stage(workspace)?;
    show(groups, &contender::all(workspace, &stage)?, rounds, kinds)
}

fn show(groups: &[Group], contenders: &[Contender], rounds: Option<usize>, kinds: &[String]) -> Result<()> {
    let alone = [Group::Hosts, Group::Papers, Group::Rust];
    let chooses =
        |group: &Group| kinds.is_empty() || [Group::Heap, Group::Windows, Group::Files].contains(group);
    for group in groups
        .iter()
        .filter(|group| !alone.contains(group) && chooses(group))
    {
        let (samples, names) = measured(*group, contenders, rounds.unwrap_or(ROUNDS), kinds, || ())?;
        print!("{}", report::tables(&samples, &names));
    }
    Ok(())
}

fn measure_hosts(workspace: &Workspace, group: Group, stage: &Stage, rounds: usize) -> Result<()> {
    let machine = machine::describe();
    let tables = hosts::measure(workspace, stage, rounds)?;
    print!("{tables}");
    let date = machine::date();
    let introduction = format!("{date}, {machine}; the best of {rounds} rounds.\n");
    document(workspace, group, &introduction, &tables, &[])
}

fn measure_group(workspace: &Workspace, group: Group, contenders: &[Contender], rounds: usize) -> Result<()> {
    let machine = machine::describe();
    let mut line_transfer = LineTransfer::new(workspace)?;
    let (samples, names) = measured(group, contenders, rounds, &[], || line_transfer.measure())?;
    let (tables, behind) = (report::tables(&samples, &names), report::behind(&samples, &names));
    print!("{behind}\n{tables}");
    let plots = workspace.source("docs/plots");
    fs::create_dir_all(&plots).map_err(Failure::file(&plots))?;
    let plots = plot::all(&samples, &names, &plots)?;
    let introduction = format!("{}\n{behind}", introduction(&machine, rounds, &line_transfer));
    document(workspace, group, &introduction, &tables, &plots)
}

/// The samples of a group's experiments, or of these kinds of their work, and the names of the contenders. Calls
/// `begin_round` when a round begins.
fn measured(
    group: Group,
    contenders: &[Contender],
    rounds: usize,
    kinds: &[String],
    mut begin_round: impl FnMut(),
) -> Result<(Samples, Vec<&'static str>)> {
    let mut samples = Samples::default();
    let mut given_up = Vec::new();
    for round in 1..=rounds {
        begin_round();
        let measures = |experiment: &Experiment| {
            let leaves_some = experiment.kinds.is_empty() || !chosen(experiment.kinds, kinds).is_empty();
            experiment.group == group && leaves_some
        };
        for (index, experiment) in EXPERIMENTS.iter().enumerate().filter(|(_, e)| measures(e)) {
            eprintln!(
                "x: round {round} of {rounds}: {} with {} ranks",
                experiment.program, experiment.ranks
            );
            for contender in contenders.iter().filter(|c| c.takes_part(experiment)) {
                let attempt = (index, contender.name);
                if !given_up.contains(&attempt) && !measure(*experiment, contender, kinds, &mut samples)? {
                    given_up.push(attempt);
                }
            }
        }
    }
    Ok((samples, contenders.iter().map(|one| one.name).collect()))
}

/// Those of an experiment's kinds of work that are wanted: all if nobody has said which.
fn chosen(kinds: &[&str], wanted: &[String]) -> Vec<String> {
    let is_wanted = |kind: &&&str| wanted.is_empty() || wanted.iter().any(|name| name == **kind);
    kinds
        .iter()
        .filter(is_wanted)
        .map(|kind| (*kind).to_owned())
        .collect()
}

/// Runs an experiment once. Returns whether it came to its end and is to be run again.
fn measure(
    experiment: Experiment,
    contender: &Contender,
    kinds: &[String],
    samples: &mut Samples,
) -> Result<bool> {
    let kinds = match experiment.kinds {
        [] => kinds.to_owned(),
        some => chosen(some, kinds),
    };
    let mut command = contender.command(experiment.program, experiment.ranks, experiment.placement);
    command.args(kinds);
    let outcome = capture(&mut command, experiment.limit)?;
    if !outcome.success() {
        eprintln!("x: {} did not come to the end\n{outcome}", contender.name);
    }
    let (ranks, placement) = (experiment.ranks, experiment.placement);
    samples.add_lines((ranks, placement), contender.name, &outcome.stdout);
    if experiment.program == "hello" && outcome.success() {
        let point = Point {
            metric: Metric::Start,
            placement,
            ranks,
            parameter: ranks as u64,
        };
        samples.add(point, contender.name, outcome.elapsed.as_secs_f64());
    }
    Ok(outcome.success())
}

fn introduction(machine: &str, rounds: usize, line_transfer: &LineTransfer) -> String {
    let (date, state) = (machine::date(), line_transfer.sentence());
    format!("{date}, {machine}; {rounds} rounds. Cells are best / median of the rounds.{state}\n")
}

/// The line of docs/performance.md before or after the tables of a group.
fn mark(group: Group, which: &str) -> String {
    format!("<!-- measured {}: {which} -->", group.name())
}

/// Replaces the part of docs/performance.md between the two marks of a group.
fn document(
    workspace: &Workspace,
    group: Group,
    introduction: &str,
    tables: &str,
    plots: &[String],
) -> Result<()> {
    let (begin, end) = (mark(group, "begin"), mark(group, "end"));
    let file = workspace.source("docs/performance.md");
    let text = fs::read_to_string(&file).map_err(Failure::file(&file))?;
    let (Some((before, _)), Some((_, after))) = (text.split_once(&begin), text.split_once(&end)) else {
        let message = format!("{} lacks the lines {begin} and {end}", file.display());
        return Err(Failure::Faults(message));
    };
    let images: String = plots
        .iter()
        .map(|name| format!("![{name}](plots/{name})\n"))
        .collect();
    let measured = format!("{before}{begin}\n{introduction}\n{tables}{images}{end}{after}");
    fs::write(&file, measured).map_err(Failure::file(&file))
}
