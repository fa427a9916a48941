//! Fork and join: parts of a work that may suspend, side by side.
//!
//! The caller does the first part, and an execution context of its own each other one. They begin on different workers
//! of the team, as far as there are any. The caller also does the parts for which no execution context can be had, one
//! after the other.
//!
//! Cost: a stack from the pool and two switches for each part except the first, and the wait for the last one.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::execution::current_worker;
use crate::execution::worker::Worker;
use crate::execution::{EcHandle, EcSpec, create};

/// Calls `work` with every number below `parts`, each once and in an execution context of its own. Returns when all
/// calls have returned.
///
/// No part may wait for a later one, which may not begin before the first one has ended.
///
/// # Panics
///
/// When `work` panics, after all parts have ended.
pub fn fork_join(parts: usize, work: &(dyn Fn(usize) + Sync)) {
    let Some(worker) = current_worker() else {
        return (0..parts).for_each(work);
    };
    // SAFETY:
    // - only the lifetime is erased: all that get the reference have ended before this function does, which joins all
    //   that it has started, and nothing that may panic lies in between.
    let lasting =
        unsafe { std::mem::transmute::<&(dyn Fn(usize) + Sync), &'static (dyn Fn(usize) + Sync)>(work) };
    let started: Vec<Option<EcHandle>> = (1..parts).map(|part| start(worker, part, lasting)).collect();
    let mut outcome = catch_unwind(AssertUnwindSafe(|| {
        work(0);
        let left = started.iter().zip(1..).filter(|(handle, _)| handle.is_none());
        left.for_each(|(_, part)| work(part));
    }));
    for handle in started.into_iter().flatten() {
        let ended = handle.join();
        outcome = outcome.and(ended);
    }
    if let Err(panic) = outcome {
        resume_unwind(panic);
    }
}

/// Starts an execution context for a part; none if there is no stack for it.
fn start(worker: &'static Worker, part: usize, work: &'static (dyn Fn(usize) + Sync)) -> Option<EcHandle> {
    let peers = worker.peers();
    let place = peers.get((worker.index() + part) % peers.len().max(1));
    let made = create(EcSpec::default(), move || work(part)).ok()?;
    Some(made.start(place.copied().unwrap_or(worker)))
}
