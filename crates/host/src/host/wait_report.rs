//! The report on what ranks wait for, when a job has to be ended because it does not end.

use super::questions;
use super::ranges::ranges;
use super::state::{Host, Rank};
use simurgh_core::sync::revoke_bias;
use simurgh_mpi::{Layout, Unfinished};
use std::fmt::Write;

/// The most operations that are shown.
const SHOWN: usize = 20;

/// The ranks that have not ended, and the operations that wait for their counterparts: for ever, or, if the ranks are
/// `moving`, at this moment.
pub(super) fn wait_report(host: &Host, moving: bool) -> String {
    // Ranks may go on while they are looked at, so locks are needed from now on.
    revoke_bias();
    let running = || host.ranks().iter().filter(|rank| !rank.has_ended());
    let (all, running_ranks) = (host.ranks().len(), ranges(running().map(Rank::id)));
    let mut text = match host.is_one_rank() {
        true => "has not ended".to_owned(),
        false => format!("of {all} ranks these have not ended: {running_ranks}"),
    };
    let Some(job) = running().next().map(|rank| rank.process().job()) else {
        return text;
    };
    for visit in questions::port_waits() {
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
        let _ = write!(text, "\n  {}", told(collective, job.layout(), moving));
    }
    let others = job.other_waits();
    for other in others.iter().take(SHOWN) {
        let _ = write!(text, "\n  {other}");
    }
    if operations.len() > SHOWN || collectives.len() > SHOWN || others.len() > SHOWN {
        text.push_str("\n  and more");
    }
    text
}

/// A sentence about a collective that has not ended.
fn told(collective: &Unfinished, layout: &Layout, moving: bool) -> String {
    let (started, missing) = (
        names(&collective.started, layout),
        names(&collective.missing, layout),
    );
    let place = match collective.communicator {
        0 => String::new(),
        communicator => format!(" on communicator {communicator}"),
    };
    let call = format!("{}{place}", collective.call);
    match moving {
        true => momentary(collective, &call, &started, &missing),
        false => lasting(collective, &call, &started, &missing),
    }
}

/// The sentence where ranks wait for ever.
fn lasting(collective: &Unfinished, call: &str, started: &str, missing: &str) -> String {
    let missing = match (missing, collective.elsewhere) {
        ("", true) => ", and waits for other hosts".to_owned(),
        ("", false) => ", and is under way".to_owned(),
        (missing, _) => format!(" and not by {missing}"),
    };
    match collective.blocking {
        true => format!("{call} has been called by ranks {started}{missing}"),
        false => format!("a nonblocking {call} has been started by ranks {started}{missing}"),
    }
}

/// The sentence where ranks may go on in a moment. That some have not called the collective yet says nothing about the
/// program then.
fn momentary(collective: &Unfinished, call: &str, started: &str, missing: &str) -> String {
    let missing = match (missing, collective.elsewhere) {
        ("", true) => ", which waited for other hosts".to_owned(),
        ("", false) => String::new(),
        (missing, _) => format!(", and {missing} had not"),
    };
    match collective.blocking {
        true => format!("ranks {started} had called {call} at this moment{missing}"),
        false => format!("ranks {started} had started a nonblocking {call} at this moment{missing}"),
    }
}

/// The names of these processes for the user; those of the own world come first.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_of_a_moment_is_told_so() {
        let layout = Layout::one_host(4);
        let barrier = |missing: &[u32], elsewhere| Unfinished {
            call: "MPI_Barrier".to_owned(),
            blocking: true,
            communicator: 0,
            started: vec![0, 1],
            missing: missing.to_vec(),
            elsewhere,
        };
        let told = |missing: &[u32], elsewhere, moving| told(&barrier(missing, elsewhere), &layout, moving);
        for (said, expected) in [
            (
                told(&[2, 3], false, true),
                "ranks 0-1 had called MPI_Barrier at this moment, and 2-3 had not",
            ),
            (
                told(&[], false, true),
                "ranks 0-1 had called MPI_Barrier at this moment",
            ),
            (
                told(&[], true, true),
                "ranks 0-1 had called MPI_Barrier at this moment, which waited for other hosts",
            ),
            (
                told(&[2, 3], true, false),
                "MPI_Barrier has been called by ranks 0-1 and not by 2-3",
            ),
            (
                told(&[], true, false),
                "MPI_Barrier has been called by ranks 0-1, and waits for other hosts",
            ),
        ] {
            assert_eq!(said, expected);
        }
    }
}
