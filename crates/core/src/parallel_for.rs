//! Work that idle workers join in: a large copy is cut into pieces, and whoever is free takes the next.
//!
//! The offer lies on the stack of the execution context that makes it. Helpers find it through their peer's slot,
//! under its lock, and are counted before the lock is given back, so the offer outlives its last helper. Making an
//! offer costs two locked sections and one shared counter; with one worker nothing is offered at all.
//!
//! The pieces lie in stripes, one for each worker, up to a limit. A worker begins with its own and goes on with those
//! of others; so when the same work is done again and nobody is late, it meets what its caches hold.

use std::ops::Range;
use std::ptr::NonNull;

use crossbeam_utils::CachePadded;

use crate::ec::{current, current_worker, let_others_run};
use crate::float_environment::FloatEnvironment;
use crate::sync::{AtomicUsize, Ordering, relax};
use crate::worker::Worker;

/// Looks at the helpers' count before the offering context lets others run: about one piece of a copy.
const LOOKS: u32 = 10_000;

/// Most stripes of an offer.
const STRIPES: usize = 8;

/// Work in pieces, on the stack of who offers it.
pub(crate) struct SharedLoop {
    /// The next piece of each stripe.
    next: [CachePadded<AtomicUsize>; STRIPES],
    stripes: usize,
    pieces: usize,
    helpers: AtomicUsize,
    /// That of who offers it; helpers compute in it, too.
    environment: FloatEnvironment,
    work: NonNull<dyn Fn(usize) + Sync>,
}

/// Where a worker shows its offer.
#[derive(Default)]
pub(crate) struct SharedLoopSlot(Option<NonNull<SharedLoop>>);

// SAFETY:
// - the pointer is followed only under the slot's lock or by a counted helper, while the offer is alive; an offer is
//   made of atomics and a `Sync` closure.
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

    /// Takes pieces as the worker of this number, until none is left or it has something better to do.
    fn work(&self, worker: usize, busy: impl Fn() -> bool) {
        for index in 0..self.stripes {
            self.work_on((worker + index) % self.stripes, &busy);
        }
    }

    /// Takes pieces of a stripe.
    fn work_on(&self, index: usize, busy: impl Fn() -> bool) {
        let (next, end) = (&self.next[index], self.stripe(index).end);
        while !busy() {
            // Relaxed: pieces are independent; their results are published by `helpers`.
            let piece = next.fetch_add(1, Ordering::Relaxed);
            if piece >= end {
                return;
            }
            // SAFETY:
            // - the closure outlives the offer: `parallel_for` borrows it and does not return before its helpers are gone.
            let work = unsafe { self.work.as_ref() };
            work(piece);
        }
    }
}

/// Calls `work` with every number below `pieces`, each once, on this worker and on idle ones of its team; returns when
/// all calls have returned. `work` must not panic, suspend, or be slow: a worker hears of nothing else during a piece.
pub fn parallel_for(pieces: usize, work: &(dyn Fn(usize) + Sync)) {
    match current_worker() {
        Some(worker) if worker.peers().len() > 1 && pieces > 1 => parallel_for_on(worker, pieces, work),
        _ => (0..pieces).for_each(work),
    }
}

fn parallel_for_on(worker: &Worker, pieces: usize, work: &(dyn Fn(usize) + Sync)) {
    let work = NonNull::from(work);
    // SAFETY:
    // - only the lifetime is erased: the offer ends in this function, before the borrow.
    let work = unsafe {
        std::mem::transmute::<NonNull<dyn Fn(usize) + Sync + '_>, NonNull<dyn Fn(usize) + Sync + 'static>>(
            work,
        )
    };
    let offer = SharedLoop::new(pieces, worker.peers().len(), work);
    if !show(worker, &offer) {
        return offer.work(worker.index(), || false);
    }
    worker.announce(1);
    offer.work(worker.index(), || false);
    worker.withdraw();
    worker.shared_loop().lock().0 = None;
    // Acquire pairs with the Release in `help`: their pieces are done, and seen.
    let mut looks = 0;
    while offer.helpers.load(Ordering::Acquire) != 0 {
        relax();
        looks += 1;
        // A helper that takes this long has lost its core.
        if looks % LOOKS == 0 {
            let_others_run(current());
        }
    }
}

/// Shows an offer to the other workers; false if the worker shows one already, of which this is a piece.
fn show(worker: &Worker, offer: &SharedLoop) -> bool {
    let mut slot = worker.shared_loop().lock();
    let free = slot.0.is_none();
    if free {
        slot.0 = Some(NonNull::from(offer));
    }
    free
}

/// Joins in the work that `peer` offers, until an execution context becomes ready on `worker`, whose thread calls;
/// false if there is none.
pub(crate) fn help(peer: &Worker, worker: &Worker) -> bool {
    let slot = peer.shared_loop().lock();
    let Some(offer) = slot.0 else { return false };
    // SAFETY:
    // - an offer is alive while it is in its slot, whose lock we hold, and from then on until `helpers` is zero again.
    let offer = unsafe { offer.as_ref() };
    offer.helpers.fetch_add(1, Ordering::Relaxed);
    drop(slot);
    offer
        .environment
        .lend(|| offer.work(worker.index(), || worker.has_mail()));
    // Release pairs with the Acquire in `parallel_for_on`; after it the offer may be gone.
    offer.helpers.fetch_sub(1, Ordering::Release);
    true
}
