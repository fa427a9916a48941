//! Locks for those elements of a window on which the machine has no atomic instructions, and the exclusion of all
//! updates by long ones.

use super::shared_memory::{Block, NodeMemory};
use simurgh_core::sync::{Arc, AtomicU32, Ordering, relax};
use simurgh_core::{
    AccessSeat, ExclusionCell, ExclusionWorth, LongAccess, RareExclusion, SeatHolder, SharedAccess,
    enable_exclusion,
};
use std::ptr::NonNull;

/// Number of locks for elements.
const STRIPES: usize = 64;
/// Number of locks for ranges.
const RANGES: usize = 16;
/// Bytes of memory that a lock for ranges protects, and the longest range that is locked.
pub(super) const RANGE: usize = 4096 / RANGES;
/// Bytes of elements for which an update asks to be alone: it takes less time than as many instructions.
const LONG: usize = 32;
/// When such updates exclude others, in bytes.
const WORTH: ExclusionWorth = ExclusionWorth {
    // In pieces of 64 bytes they take twice as long by instructions as the fence of all threads and what others wait
    // for it. Short updates may come again and again.
    fence: 1 << 18,
    // Shorter ones that meet take less time by instructions.
    wait: 128,
};
/// Where the seats of processes begin.
const SEATS: usize = size_of::<Cells>().next_multiple_of(align_of::<AccessSeat>());
/// Checks of a held lock before a waiter offers its core to others.
const SPINS: u32 = 200;

/// Locks, one of which protects an element, by its address within its page: so that all processes that have mapped the
/// same memory take the same one, wherever they have mapped it. They are held for one element each.
pub struct Stripes {
    cells: NonNull<Cells>,
    /// The seats behind the cells, one for each rank of the node, and those of this process; none where only this
    /// process updates elements.
    seats: Option<(NonNull<[AccessSeat]>, SeatHolder)>,
    /// Whether this process can exclude its own accesses.
    has_fence: bool,
    #[expect(dead_code, reason = "held for its drop")]
    memory: Memory,
}

/// What those that update elements share.
#[repr(C)]
struct Cells {
    locks: [AtomicU32; STRIPES + RANGES],
    exclusion: ExclusionCell,
}

/// Where the locks are.
#[expect(dead_code, reason = "held for its drop")]
enum Memory {
    Own(Block),
    Shared(Arc<NodeMemory>),
}

// SAFETY:
// - the locks are atomics, in memory that lives as long as this.
unsafe impl Send for Stripes {}
// SAFETY:
// - as above.
unsafe impl Sync for Stripes {}

/// An update of elements, which excludes others or does not.
pub(super) enum Access<'a> {
    Alone(#[expect(dead_code, reason = "held for its drop")] LongAccess<'a>),
    Among(#[expect(dead_code, reason = "held for its drop")] SharedAccess<'a>),
}

/// A lock that is held.
pub(super) struct Held<'a>(&'a AtomicU32);

impl Stripes {
    /// Bytes that they need in memory that so many ranks of a node share; none if that is more than there are
    /// addresses.
    #[must_use]
    pub fn bytes(ranks: usize) -> Option<usize> {
        ranks.checked_mul(size_of::<AccessSeat>())?.checked_add(SEATS)
    }

    /// Locks of this process.
    ///
    /// # Panics
    ///
    /// Without memory.
    #[must_use]
    pub fn own() -> Self {
        let memory = Block::new(size_of::<Cells>(), 64).expect("there is memory for a few locks");
        Self {
            cells: memory.start().cast(),
            seats: None,
            has_fence: enable_exclusion(),
            memory: Memory::Own(memory),
        }
    }

    /// Locks at the beginning of memory that so many ranks of a node share. Those at the places `own` are ranks of this
    /// process.
    ///
    /// # Panics
    ///
    /// When the memory is shorter, or if there are no such places.
    #[must_use]
    pub fn shared(memory: Arc<NodeMemory>, ranks: usize, own: &[usize]) -> Self {
        let has_room = Self::bytes(ranks).is_some_and(|bytes| bytes <= memory.bytes());
        assert!(has_room, "there is room for the locks");
        // SAFETY:
        // - the memory has so many bytes.
        let first = unsafe { memory.start().byte_add(SEATS) };
        let seats = NonNull::slice_from_raw_parts(first.cast(), ranks);
        // SAFETY:
        // - they lie within the memory, are aligned, and were zeroed before their first use.
        let holder = SeatHolder::new(unsafe { seats.as_ref() }, own);
        Self {
            cells: memory.start().cast(),
            seats: Some((seats, holder)),
            has_fence: false,
            memory: Memory::Shared(memory),
        }
    }

    #[inline]
    fn cells(&self) -> &Cells {
        // SAFETY:
        // - the memory has them, is aligned, zeroed before its first use, and lives as long as `self`.
        unsafe { self.cells.as_ref() }
    }

    /// The exclusion of all updates by long ones.
    #[inline]
    fn exclusion(&self) -> RareExclusion<'_> {
        let cell = &self.cells().exclusion;
        match &self.seats {
            None => RareExclusion::within_process(cell, WORTH, self.has_fence),
            Some((seats, holder)) => {
                // SAFETY:
                // - as in `shared`; the memory lives as long as `self`.
                RareExclusion::within_node(cell, WORTH, unsafe { seats.as_ref() }, holder)
            }
        }
    }

    /// Begins an update of so many bytes of elements. A long one may be alone.
    #[inline(always)]
    pub(super) fn access(&self, bytes: usize) -> Access<'_> {
        if bytes >= LONG
            && let Some(alone) = self.exclusion().exclude(u32::try_from(bytes).unwrap_or(u32::MAX))
        {
            return Access::Alone(alone);
        }
        Access::Among(self.share())
    }

    /// Begins an update beside others.
    #[inline]
    pub(super) fn share(&self) -> SharedAccess<'_> {
        self.exclusion().share()
    }

    /// Does a short update beside others.
    #[inline(always)]
    pub(super) fn share_while<R>(&self, update: impl FnOnce() -> R) -> R {
        self.exclusion().share_while(update)
    }

    /// Takes the lock of the element at an address.
    pub(super) fn lock(&self, address: *const u8) -> Held<'_> {
        self.take(address.addr() / 16 % STRIPES)
    }

    /// Takes the locks of a few elements that follow each other, at most [`RANGE`] bytes. Others that lock a range that
    /// overlaps wait. Element by element is all that the standard asks for, but programs pass structures as bytes.
    pub(super) fn lock_range(&self, address: *const u8, bytes: usize) -> [Option<Held<'_>>; 2] {
        let range = |address: usize| STRIPES + address / RANGE % RANGES;
        let (first, last) = (range(address.addr()), range(address.addr() + bytes - 1));
        // In the order of the locks, so that nobody waits in a circle.
        let second = (first != last).then(|| first.max(last));
        [
            Some(self.take(first.min(last))),
            second.map(|lock| self.take(lock)),
        ]
    }

    fn take(&self, index: usize) -> Held<'_> {
        let lock = &self.cells().locks[index];
        let mut spins = 0;
        // Acquire pairs with the Release of the last holder.
        while lock.swap(1, Ordering::Acquire) != 0 {
            spins += 1;
            if spins % SPINS == 0 {
                std::thread::yield_now();
            } else {
                relax();
            }
        }
        Held(lock)
    }
}

impl Access<'_> {
    pub(super) fn is_alone(&self) -> bool {
        matches!(self, Self::Alone(_))
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        // Release: the next holder sees the element.
        self.0.store(0, Ordering::Release);
    }
}
