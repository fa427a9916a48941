//! Huge pages that the administrator of the machine has set aside, for long blocks (hugetlb).
//!
//! They take the place of the ordinary pages of a block while it lives. Where there are not enough of them left, the
//! block keeps ordinary ones.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use crate::arena;
use crate::report::{Report, report};

/// The size of a huge page; 0 if blocks are not to have any.
static SIZE: AtomicUsize = AtomicUsize::new(0);

static COUNTERS: ReservedPages = ReservedPages {
    blocks: AtomicU64::new(0),
    without: AtomicU64::new(0),
};

/// The blocks for which reserved pages were wanted.
#[derive(Debug)]
pub struct ReservedPages {
    blocks: AtomicU64,
    without: AtomicU64,
}

impl ReservedPages {
    /// The blocks that have got some.
    pub fn blocks(&self) -> u64 {
        self.blocks.load(Ordering::Relaxed)
    }

    /// The blocks that have ordinary pages, since there were not enough.
    pub fn without(&self) -> u64 {
        self.without.load(Ordering::Relaxed)
    }
}

/// Has long blocks lie in reserved pages of this size, a power of two. It is called before any rank allocates memory.
pub fn want_reserved_pages(size: usize) {
    // Relaxed, here and below: the ranks are started later, and counters are independent.
    SIZE.store(size, Ordering::Relaxed);
}

/// What has become of blocks that were to have reserved pages; `None` if none were.
#[must_use]
pub fn reserved_pages() -> Option<&'static ReservedPages> {
    are_wanted().then_some(&COUNTERS)
}

/// Whether long blocks lie in reserved pages.
pub(crate) fn are_wanted() -> bool {
    SIZE.load(Ordering::Relaxed) != 0
}

/// The part of a block that whole huge pages can take; `None` if there is none.
fn part_of(block: Range<usize>, size: usize) -> Option<Range<usize>> {
    if size == 0 {
        return None;
    }
    let (start, end) = (block.start.next_multiple_of(size), block.end & !(size - 1));
    (start < end).then_some(start..end)
}

/// Puts reserved pages into the place of those of a block, which nobody uses yet. They are zero, as are the ordinary
/// pages if there are not enough reserved ones. Returns whether the block has got some.
///
/// # Safety
///
/// The block lies in the arena, and nobody uses its memory.
pub(crate) unsafe fn put_in(block: Range<usize>) -> bool {
    let size = SIZE.load(Ordering::Relaxed);
    let Some(part) = part_of(block, size) else {
        return false;
    };
    let bytes = part.end - part.start;
    // SAFETY:
    // - nobody uses the memory (caller).
    let is_put = unsafe { arena::renew_with_huge_pages(part.start, bytes, size) };
    match is_put {
        true => COUNTERS.blocks.fetch_add(1, Ordering::Relaxed),
        false => {
            refused(bytes, size);
            COUNTERS.without.fetch_add(1, Ordering::Relaxed)
        }
    };
    is_put
}

/// Tells the user once.
#[cold]
fn refused(bytes: usize, size: usize) {
    static TOLD: AtomicBool = AtomicBool::new(false);
    if !TOLD.swap(true, Ordering::Relaxed) {
        report(&Report::NoReservedPages { bytes, size });
    }
}

/// Gives the reserved pages of a block back. It has ordinary ones then, which are zero.
///
/// # Safety
///
/// The block lies in the arena, has got reserved pages, may have become longer since, and nobody uses its memory.
pub(crate) unsafe fn take_out(block: Range<usize>) {
    if let Some(part) = part_of(block, SIZE.load(Ordering::Relaxed)) {
        // SAFETY:
        // - nobody uses the memory (caller).
        unsafe { arena::renew(part.start, part.end - part.start) };
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::part_of;

    #[test]
    fn whole_pages_within_a_block_are_taken() {
        let size = 2 << 20;
        let arena = 3 << 44;
        let from = |start: usize, end: usize| part_of(arena + start..arena + end, size);
        assert_eq!(from(65536, 2 * size), Some(arena + size..arena + 2 * size));
        assert_eq!(from(0, size + 1), Some(arena..arena + size));
        assert_eq!(from(65536, 2 * size - 1), None);
        assert_eq!(part_of(arena..arena + size, 0), None);
    }
}
