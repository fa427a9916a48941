//! Locks for those elements of a window on which the machine has no atomic instructions, and the exclusion of all
//! updates by long ones.

use super::shared_memory::{Block, NodeMemory};
use simurgh_core::sync::{Arc, AtomicU32, Ordering, relax};
use simurgh_core::{LongAccess, RareExclusion, SharedAccess};
use std::ptr::NonNull;

/// Number of locks for elements.
const STRIPES: usize = 64;
/// Number of locks for ranges.
const RANGES: usize = 16;
/// Bytes of memory that a lock for ranges protects, and the longest range that is locked.
pub(super) const RANGE: usize = 4096 / RANGES;
/// Bytes of elements for which an update asks to be alone: it takes less time than as many instructions.
const LONG: usize = 512;
/// Bytes of such updates that take as long by instructions as the exclusion of others when it has not been used before.
const WORTH: u32 = 1 << 16;
/// Checks of a held lock before a waiter offers its core to others.
const SPINS: u32 = 200;

/// Locks, one of which protects an element, by its address within its page: so that all processes that have mapped the
/// same memory take the same one, wherever they have mapped it. They are held for one element each.
pub struct Stripes {
    locks: NonNull<[AtomicU32; STRIPES + RANGES]>,
    /// None where several processes update the same elements.
    exclusion: Option<RareExclusion>,
    #[expect(dead_code, reason = "held for its drop")]
    memory: Memory,
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
    Among(#[expect(dead_code, reason = "held for its drop")] Option<SharedAccess>),
}

/// A lock that is held.
pub(super) struct Held<'a>(&'a AtomicU32);

impl Stripes {
    /// Bytes that the locks need.
    pub const BYTES: usize = size_of::<[AtomicU32; STRIPES + RANGES]>();

    /// Locks of this process.
    ///
    /// # Panics
    ///
    /// Without memory.
    #[must_use]
    pub fn own() -> Self {
        let memory = Block::new(Self::BYTES, 64).expect("there is memory for a few locks");
        Self {
            locks: memory.start().cast(),
            exclusion: Some(RareExclusion::new(WORTH)),
            memory: Memory::Own(memory),
        }
    }

    /// Locks at the beginning of memory that processes share.
    ///
    /// # Panics
    ///
    /// When the memory is shorter.
    #[must_use]
    pub fn shared(memory: Arc<NodeMemory>) -> Self {
        assert!(memory.bytes() >= Self::BYTES, "there is room for the locks");
        Self {
            locks: memory.start().cast(),
            exclusion: None,
            memory: Memory::Shared(memory),
        }
    }

    /// Begins an update of so many bytes of elements. A long one may be alone.
    #[inline]
    pub(super) fn access(&self, bytes: usize) -> Access<'_> {
        if bytes >= LONG
            && let Some(alone) = self.exclude(bytes)
        {
            return Access::Alone(alone);
        }
        Access::Among(self.share())
    }

    #[cold]
    fn exclude(&self, bytes: usize) -> Option<LongAccess<'_>> {
        let work = u32::try_from(bytes).unwrap_or(u32::MAX);
        self.exclusion.as_ref()?.exclude(work)
    }

    /// Begins an update beside others.
    #[inline]
    pub(super) fn share(&self) -> Option<SharedAccess> {
        self.exclusion.as_ref().map(RareExclusion::share)
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
        // SAFETY:
        // - the memory has them, is aligned, zeroed before its first use, and lives as long as `self`.
        let locks = unsafe { self.locks.as_ref() };
        let lock = &locks[index];
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
