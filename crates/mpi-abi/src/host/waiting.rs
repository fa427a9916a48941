//! What the ranks are waiting for, when a job has to be ended because it does not end.

use super::questions;
use super::ranges::ranges;
use super::state::{Host, Rank};
use simurgh_core::sync::end_solitude;
use simurgh_mpi::{Layout, Unfinished};
use std::fmt::Write;

/// Most operations that are shown.
const SHOWN: usize = 20;

/// The ranks that have not ended, and the operations that wait for their counterparts.
pub(super) fn waiting(host: &Host) -> String {
    // The ranks go on meanwhile.
    end_solitude();
    let running = || host.ranks().iter().filter(|rank| !rank.has_ended());
    let (all, running_ranks) = (host.ranks().len(), ranges(running().map(Rank::id)));
    let mut text = match host.is_program() {
        true => "has not ended".to_owned(),
        false => format!("of {all} ranks these have not ended: {running_ranks}"),
    };
    let Some(job) = running().next().map(|rank| rank.process().job()) else {
        return text;
    };
    for visit in questions::visits() {
        let rank = host
            .ranks()
            .iter()
            .find(|rank| rank.process().id() == visit.process);
        if let Some(rank) = rank {
            let _ = write!(text, "\n  rank {} waits in {}", rank.id(), visit.purpose);
        }
    }
    let operations = job.unmatched(SHOWN + 1);
    for operation in operations.iter().take(SHOWN) {
        let _ = write!(text, "\n  {operation}");
    }
    let collectives = job.unfinished();
    for collective in collectives.iter().take(SHOWN) {
        let _ = write!(text, "\n  {}", told(collective, job.layout()));
    }
    if operations.len() > SHOWN || collectives.len() > SHOWN {
        text.push_str("\n  and more");
    }
    text
}

/// A collective that not all ranks have called, as a sentence.
fn told(collective: &Unfinished, layout: &Layout) -> String {
    let (started, missing) = (
        names(&collective.started, layout),
        names(&collective.missing, layout),
    );
    let place = match collective.communicator {
        0 => String::new(),
        communicator => format!(" on communicator {communicator}"),
    };
    let missing = match missing.as_str() {
        // All of this host have.
        "" => ", and waits for other hosts".to_owned(),
        missing => format!(" and not by {missing}"),
    };
    let call = &collective.call;
    if collective.blocking {
        format!("{call}{place} has been called by ranks {started}{missing}")
    } else {
        format!("a nonblocking {call}{place} has been started by ranks {started}{missing}")
    }
}

/// What users call these processes: first those of the own world.
fn names(processes: &[u32], layout: &Layout) -> String {
    let world = layout.processes();
    let (own, others): (Vec<u32>, Vec<u32>) = processes.iter().partition(|process| world.contains(process));
    let own = ranges(own.into_iter().map(|process| process - world.start));
    let others = others.into_iter().map(|process| layout.name_of(process));
    let all: Vec<_> = std::iter::once(own)
        .chain(others)
        .filter(|name| !name.is_empty())
        .collect();
    all.join(", ")
}
