//! The line of a file: the writes of single ranks that wait to be made.
//!
//! Most file systems have one writer of a file at a time, so that several threads would only wait for each other. So
//! one thread at a time makes the writes of a line, in their order: an I/O thread, or a rank that waits for one of them
//! if no I/O thread has come yet and nobody wants the rank's virtual processor. Those that have come while others
//! were made are written together ([`Together`]) if their pieces interleave: so they reach the file as long pieces, as
//! in a collective access. If that fails, each is made by itself, and each rank gets its own result.

use super::meter::{Metered, end};
use super::open_file::OpenFile;
use super::transfer::{Transfer, status_of};
use super::work::{IN_ONE_GO, is_free};
use crate::error::{Result, Status};
use crate::memory::Source;
use crate::request::{Request, Work};
use simurgh_core::sync::{Arc, SpinLock};
use simurgh_core::{Purpose, PurposeGuard};
use simurgh_file::{Hints, Part, Together, submit};
use std::collections::VecDeque;
use std::mem;

/// A line.
#[derive(Default)]
pub(super) struct Line(SpinLock<Waiting>);

#[derive(Default)]
struct Waiting {
    writes: VecDeque<Write>,
    /// Whether somebody makes them, or will.
    is_served: bool,
    /// Whether somebody has begun to. Nobody else makes any then.
    has_begun: bool,
}

/// A write of a rank.
pub(super) struct Write {
    pub(super) part: Part<Source>,
    pub(super) request: Arc<Request>,
    pub(super) metered: Option<Metered>,
}

impl Line {
    /// Has a write made, after those that are in the line.
    pub(super) fn join(&self, open: &Arc<OpenFile>, write: Write) {
        write.request.begin_work(Arc::clone(open) as Arc<dyn Work>);
        let mut waiting = self.0.lock();
        waiting.writes.push_back(write);
        let was_served = mem::replace(&mut waiting.is_served, true);
        drop(waiting);
        if !was_served {
            submit_line(open);
        }
    }

    /// Whether somebody makes writes, or will.
    pub(super) fn is_served(&self) -> bool {
        self.0.lock().is_served
    }

    /// All writes that wait, for a thread that begins; none if somebody has begun.
    fn begin(&self) -> Option<VecDeque<Write>> {
        let mut waiting = self.0.lock();
        if waiting.has_begun { None } else { waiting.take() }
    }

    /// All writes that have come meanwhile, for the thread that has begun.
    fn go_on(&self) -> Option<VecDeque<Write>> {
        self.0.lock().take()
    }

    /// The writes up to the last one of the rank that waits for this request, if that is one of them, nobody has begun,
    /// and they are not too much for a rank.
    fn begin_up_to(&self, request: &Request) -> Option<VecDeque<Write>> {
        let mut waiting = self.0.lock();
        if waiting.has_begun {
            return None;
        }
        let is_own = |write: &&Write| std::ptr::eq(&*write.request, request);
        let view = Arc::as_ptr(&waiting.writes.iter().find(is_own)?.part.view);
        let is_of_rank = |write: &Write| std::ptr::eq(&*write.part.view, view);
        let last = waiting.writes.iter().rposition(is_of_rank)?;
        let sizes = || waiting.writes.range(..=last).map(|write| write.part.bytes);
        if !sizes().all(is_free) || sizes().sum::<usize>() > IN_ONE_GO {
            return None;
        }
        waiting.has_begun = true;
        let behind = waiting.writes.split_off(last + 1);
        Some(mem::replace(&mut waiting.writes, behind))
    }

    /// Leaves the line to others, and puts writes in front that have not been made. Returns whether there are any.
    fn leave(&self, mut left: VecDeque<Write>) -> bool {
        let mut waiting = self.0.lock();
        left.append(&mut waiting.writes);
        waiting.writes = left;
        waiting.has_begun = false;
        waiting.is_served = !waiting.writes.is_empty();
        waiting.is_served
    }
}

impl Waiting {
    fn take(&mut self) -> Option<VecDeque<Write>> {
        self.is_served = !self.writes.is_empty();
        self.has_begun = self.is_served;
        self.is_served.then(|| mem::take(&mut self.writes))
    }
}

impl Work for OpenFile {
    /// Makes the rank's writes that are in the line: their data is in the caches of its core, and an I/O thread takes a
    /// while to wake up. If somebody wants its virtual processor meanwhile, it leaves the rest to others.
    fn complete(self: Arc<Self>, request: &Request) -> bool {
        let is_atomic = self.file.is_atomic();
        let Some(writes) = (!is_atomic).then(|| self.line.begin_up_to(request)).flatten() else {
            return false;
        };
        let _purpose = PurposeGuard::begin(Purpose::Io);
        let left = make(&self, writes, || is_free(0));
        if self.line.leave(left) {
            submit_line(&self);
        }
        true
    }
}

fn submit_line(open: &Arc<OpenFile>) {
    let open = Arc::clone(open);
    submit(move || serve(&open));
}

/// Makes writes until none waits.
fn serve(open: &OpenFile) {
    let mut next = open.line.begin();
    while let Some(writes) = next {
        make(open, writes, || true);
        next = open.line.go_on();
    }
}

/// Makes writes as long as the caller may. Returns the others.
fn make(open: &OpenFile, mut writes: VecDeque<Write>, may: impl Fn() -> bool) -> VecDeque<Write> {
    if let Some(moved) = write_together(open, &writes) {
        for (write, moved) in writes.drain(..).zip(moved) {
            finish(write.request, write.metered, Ok(status_of(moved)));
        }
    }
    while let Some(write) = writes.pop_front_if(|_| may()) {
        let done = Transfer::Write(write.part).make(open);
        finish(write.request, write.metered, done);
    }
    writes
}

fn finish(request: Arc<Request>, metered: Option<Metered>, done: Result<Status>) {
    end(metered, &done);
    request.finish_task(done);
}

/// Writes all together, if their pieces interleave. Returns the bytes of each.
fn write_together(open: &OpenFile, writes: &VecDeque<Write>) -> Option<Vec<usize>> {
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
