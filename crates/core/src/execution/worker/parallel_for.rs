//! Parallel loops that idle workers join: a large copy is cut into pieces, and a free worker takes the next one.
//!
//! The loop lies on the stack of the execution context that runs it. Idle workers find it through the slot of that
//! context's worker, under the slot's lock, and are counted as helpers before they give the lock back. The context
//! returns only when no helper is left, so the loop outlives its last helper. To share a loop costs two locked sections
//! and one shared counter. With one worker nothing is shared.
//!
//! The pieces lie in stripes, one for each worker, up to a limit. A worker begins with its own stripe and goes on with
//! those of others. So when the same work is done again and nobody is late, a worker finds its pieces in its caches.

use std::ops::Range;
use std::ptr::NonNull;

use crossbeam_utils::CachePadded;

use super::Worker;
use crate::execution::wait::let_others_run;
use crate::execution::{current, current_worker};
use crate::machine::FloatEnvironment;
use crate::sync::{AtomicUsize, Ordering, relax};

/// Checks of the helpers' count before the context lets others run: about the time of one piece of a copy.
const SPINS: u32 = 10_000;

/// Most stripes of a loop.
const STRIPES: usize = 8;

/// A loop over pieces, on the stack of the execution context that runs it.
pub(crate) struct SharedLoop {
    /// The next piece of each stripe.
    next: [CachePadded<AtomicUsize>; STRIPES],
    stripes: usize,
    pieces: usize,
    helpers: AtomicUsize,
    /// The floating-point environment of the context; helpers compute in it, too.
    environment: FloatEnvironment,
    work: NonNull<dyn Fn(usize) + Sync>,
}

/// The place in which other workers find the loop that a worker shares.
#[derive(Default)]
pub(crate) struct SharedLoopSlot(Option<NonNull<SharedLoop>>);

// SAFETY:
// - the pointer is followed only under the slot's lock or by a counted helper, while the loop is alive; a loop is made
//   of atomics and a `Sync` closure.
unsafe impl Send for SharedLoopSlot {}

impl SharedLoop {
    fn new(pieces: usize, workers: usize, work: NonNull<dyn Fn(usize) + Sync>) -> Self {
        let stripes = workers.min(STRIPES);
        Self {
            next: std::array::from_fn(|index| CachePadded::new(AtomicUsize::new(pieces * index / stripes))),
            stripes,
            pieces,
            helpers: AtomicUsize::new(0),
            environment: FloatEnvironment::read(),
            work,
        }
    }

    fn stripe(&self, index: usize) -> Range<usize> {
        self.pieces * index / self.stripes..self.pieces * (index + 1) / self.stripes
    }

    /// Does pieces as the worker with this index, until none is left or it is `busy` otherwise.
    fn work(&self, worker: usize, busy: impl Fn() -> bool) {
        for index in 0..self.stripes {
            self.work_on((worker + index) % self.stripes, &busy);
        }
    }

    /// Does pieces of a stripe.
    fn work_on(&self, index: usize, busy: impl Fn() -> bool) {
        let (next, end) = (&self.next[index], self.stripe(index).end);
        while !busy() {
            // Relaxed: pieces are independent; their results are published by `helpers`.
            let piece = next.fetch_add(1, Ordering::Relaxed);
            if piece >= end {
                return;
            }
            // SAFETY:
            // - the closure outlives the loop: `parallel_for` borrows it and does not return before the helpers are
            //   gone.
            let work = unsafe { self.work.as_ref() };
            work(piece);
        }
    }
}

/// Whether there are other workers, which may help with a [`parallel_for`]. If not, work need not be cut into pieces.
#[must_use]
pub fn has_helpers() -> bool {
    helped_worker().is_some()
}

/// The worker of the caller, if there are others beside it.
fn helped_worker() -> Option<&'static Worker> {
    current_worker().filter(|worker| worker.peers().len() > 1)
}

/// Calls `work` with every number below `pieces`, each once, on this worker and on idle ones of its team. Returns when
/// all calls have returned.
///
/// `work` must not panic or suspend. It must not be slow either: a worker notices nothing else during a piece.
pub fn parallel_for(pieces: usize, work: &(dyn Fn(usize) + Sync)) {
    match helped_worker() {
        Some(worker) if pieces > 1 => parallel_for_on(worker, pieces, work),
        _ => (0..pieces).for_each(work),
    }
}

fn parallel_for_on(worker: &Worker, pieces: usize, work: &(dyn Fn(usize) + Sync)) {
    let work = NonNull::from(work);
    // SAFETY:
    // - only the lifetime is erased: the loop ends in this function, before the borrow.
    let work = unsafe {
        std::mem::transmute::<NonNull<dyn Fn(usize) + Sync + '_>, NonNull<dyn Fn(usize) + Sync + 'static>>(
            work,
        )
    };
    let shared = SharedLoop::new(pieces, worker.peers().len(), work);
    if !publish(worker, &shared) {
        return shared.work(worker.index(), || false);
    }
    worker.announce(1);
    shared.work(worker.index(), || false);
    worker.withdraw();
    worker.shared_loop().lock().0 = None;
    // Acquire pairs with the Release in `help`: their pieces are done, and seen.
    let mut checks = 0;
    while shared.helpers.load(Ordering::Acquire) != 0 {
        relax();
        checks += 1;
        // A helper that takes this long has lost its core.
        if checks % SPINS == 0 {
            let_others_run(current());
        }
    }
}

/// Shares a loop with the other workers; false if the worker shares one already, of which this is a piece.
fn publish(worker: &Worker, shared: &SharedLoop) -> bool {
    let mut slot = worker.shared_loop().lock();
    let free = slot.0.is_none();
    if free {
        slot.0 = Some(NonNull::from(shared));
    }
    free
}

/// Helps with the loop that `peer` shares, until an execution context becomes ready on `worker`, whose thread is the
/// caller. False if `peer` shares none.
pub(crate) fn help(peer: &Worker, worker: &Worker) -> bool {
    let slot = peer.shared_loop().lock();
    let Some(shared) = slot.0 else { return false };
    // SAFETY:
    // - a loop is alive while it is in its slot, whose lock is held here, and from then on until `helpers` is zero
    //   again.
    let shared = unsafe { shared.as_ref() };
    shared.helpers.fetch_add(1, Ordering::Relaxed);
    drop(slot);
    shared
        .environment
        .lend(|| shared.work(worker.index(), || worker.has_mail()));
    // Release pairs with the Acquire in `parallel_for_on`; after it the loop may be gone.
    shared.helpers.fetch_sub(1, Ordering::Release);
    true
}
