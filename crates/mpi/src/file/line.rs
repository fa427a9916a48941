//! The line of a file: the writes of single ranks that an I/O thread makes.
//!
//! Most file systems have one writer of a file at a time, so that several threads would only wait for each other. One
//! thread makes all writes of a line, in their order. Those that have come while it made others are written together
//! ([`Together`]) if their pieces interleave: so they reach the file as long pieces, as in a collective access. If that
//! fails, each is made by itself, and each rank gets its own result.

use super::meter::{Metered, end};
use super::open_file::OpenFile;
use super::transfer::{Transfer, status_of};
use crate::memory::Source;
use crate::request::Request;
use simurgh_core::sync::{Arc, SpinLock};
use simurgh_file::{Hints, Part, Together, submit};

/// A line.
#[derive(Default)]
pub(super) struct Line(SpinLock<Waiting>);

#[derive(Default)]
struct Waiting {
    writes: Vec<Write>,
    /// Whether a thread makes them, or will.
    is_served: bool,
}

/// A write of a rank.
pub(super) struct Write {
    pub(super) part: Part<Source>,
    pub(super) request: Arc<Request>,
    pub(super) metered: Option<Metered>,
}

impl Line {
    /// Has an I/O thread make a write, after those that are in the line.
    pub(super) fn join(&self, open: &Arc<OpenFile>, write: Write) {
        let mut waiting = self.0.lock();
        waiting.writes.push(write);
        let was_served = std::mem::replace(&mut waiting.is_served, true);
        drop(waiting);
        if !was_served {
            let open = Arc::clone(open);
            submit(move || serve(&open));
        }
    }

    /// Whether a thread makes writes, or will.
    pub(super) fn is_served(&self) -> bool {
        self.0.lock().is_served
    }

    /// All writes that wait.
    fn take(&self) -> Option<Vec<Write>> {
        let mut waiting = self.0.lock();
        waiting.is_served = !waiting.writes.is_empty();
        waiting.is_served.then(|| std::mem::take(&mut waiting.writes))
    }
}

/// Makes writes until none waits.
fn serve(open: &OpenFile) {
    while let Some(writes) = open.line.take() {
        let moved = write_together(open, &writes);
        for (index, write) in writes.into_iter().enumerate() {
            let done = match &moved {
                Some(moved) => Ok(status_of(moved[index])),
                None => Transfer::Write(write.part).make(open),
            };
            end(write.metered, &done);
            write.request.finish_task(done);
        }
    }
}

/// Writes all together, if their pieces interleave. Returns the bytes of each.
fn write_together(open: &OpenFile, writes: &[Write]) -> Option<Vec<usize>> {
    if writes.len() < 2 || open.file.is_atomic() {
        return None;
    }
    let parts = writes.iter().map(|write| write.part.clone()).collect();
    let together = Together::new(parts, Some((Hints::default().window, false)));
    if !together.has_windows() {
        return None;
    }
    (0..together.units()).for_each(|unit| together.write_unit(&open.file, unit));
    let (moved, outcome) = together.results();
    outcome.is_ok().then_some(moved)
}
