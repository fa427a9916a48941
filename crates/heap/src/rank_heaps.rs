//! The heaps of a rank: one for its main execution context, and one for each thread that it has at the same time.

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::segment::Segment;
use crate::{Heap, arena, context};

/// The heaps of a rank. They have no memory until the rank allocates some.
///
/// The heap of a thread that has ended serves the next one. Blocks that others free meanwhile wait for that.
#[derive(Debug, Default)]
pub struct RankHeaps {
    /// The list of all; it only grows.
    first: AtomicPtr<Heap>,
}

impl RankHeaps {
    /// No heaps yet.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            first: AtomicPtr::new(ptr::null_mut()),
        }
    }

    /// Makes the calling execution context one of this rank: from now on its blocks come from a heap of the rank.
    /// Returns false if there are no addresses for heaps; then they come from the C library as before.
    pub fn enter(&'static self) -> bool {
        let is_possible = Self::are_possible();
        if is_possible {
            context::set(ptr::null(), &raw const self.first);
        }
        is_possible
    }

    /// Whether there are addresses for heaps in this process.
    #[must_use]
    pub fn are_possible() -> bool {
        arena::is_possible()
    }

    /// Ends that for the calling context, which may go on to free blocks.
    pub fn leave() {
        // SAFETY:
        // - heaps stay where they are.
        let heap = unsafe { context::heap().as_ref() };
        context::set(ptr::null(), ptr::null());
        if let Some(heap) = heap {
            // Release pairs with the Acquire in `obtain`.
            heap.is_used.store(false, Ordering::Release);
        }
    }
}

/// A heap for the calling context, which has none: one of the list that nobody uses, or a new one.
fn obtain(heaps: &AtomicPtr<Heap>) -> Option<&'static Heap> {
    let mut heap = heaps.load(Ordering::Acquire).cast_const();
    // SAFETY:
    // - heaps stay where they are.
    while let Some(found) = unsafe { heap.as_ref() } {
        // Acquire pairs with the Release in `leave`: the heap is as the other thread has left it.
        if !found.is_used.swap(true, Ordering::Acquire) {
            return Some(found);
        }
        heap = found.next.get();
    }
    add(heaps)
}

fn add(heaps: &AtomicPtr<Heap>) -> Option<&'static Heap> {
    let address = arena::take(1)?;
    // SAFETY:
    // - the arena has just given out the segment, which is zero.
    let segment = unsafe { Segment::of_span(address, 1, 0) };
    let heap = segment.home();
    heap.begin();
    heap.is_used.store(true, Ordering::Relaxed);
    heap.adopt(segment);
    let mut first = heaps.load(Ordering::Relaxed);
    loop {
        heap.next.set(first);
        let new = ptr::from_ref(heap).cast_mut();
        // Release: who finds the heap finds it whole.
        match heaps.compare_exchange_weak(first, new, Ordering::Release, Ordering::Relaxed) {
            Ok(_) => return Some(heap),
            Err(now) => first = now,
        }
    }
}

/// The heap of the calling context, which is made if it belongs to a rank and has none yet.
#[cold]
#[inline(never)]
pub(crate) fn make() -> Option<&'static Heap> {
    let heaps = context::heaps();
    // SAFETY:
    // - `enter` has got a reference that is valid for ever.
    let heap = obtain(unsafe { heaps.as_ref() }?)?;
    context::set(heap, heaps);
    Some(heap)
}

/// The heap of the calling context.
#[inline(always)]
pub(crate) fn current() -> Option<&'static Heap> {
    // SAFETY:
    // - heaps stay where they are.
    match unsafe { context::heap().as_ref() } {
        None => make(),
        heap => heap,
    }
}
