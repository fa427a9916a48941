//! Telling before memory is given back to the system, or its pages are moved.
//!
//! Memory stays mapped for ever, but other pages may appear at its addresses. A network that keeps memory registered
//! works on the pages themselves, so it has to forget them before.

use std::ops::Range;
use std::sync::OnceLock;

static LISTENER: OnceLock<fn(Range<usize>)> = OnceLock::new();

/// Lets a function hear of all memory of heaps whose pages are about to go. The first one that is given here stays.
///
/// It is called within `malloc` and its relatives, and may not call those of the heap. The program uses none of the
/// memory, apart from that of a block that it resizes just then.
pub fn before_pages_go(listener: fn(Range<usize>)) {
    let _ = LISTENER.set(listener);
}

/// Tells that the pages of this memory are about to go.
pub fn pages_go(start: usize, size: usize) {
    if let Some(listener) = LISTENER.get() {
        listener(start..start + size);
    }
}
