//! What a host shares with the others of its node: a part of an [arena](super::arena).

use std::cell::UnsafeCell;
use std::ops::Deref;
use std::ptr::NonNull;

use simurgh_core::sync::{Arc, AtomicU32, AtomicU64, Ordering};

use super::arena::Arena;
use super::pool::{BUFFERS, ROOM, Returns};
use super::ring::Ring;

/// What is in a segment. All zeros is that of a host that is not there yet.
#[repr(C, align(4096))]
pub(super) struct Contents {
    pub(super) header: SegmentHeader,
    /// The packets for its owner.
    pub(super) ring: Ring,
    /// Which of its owner's buffers have been read.
    pub(super) returns: Returns,
    buffers: [Buffer; BUFFERS],
}

/// What the owner says of itself.
#[repr(C, align(128))]
pub(super) struct SegmentHeader {
    /// Its process; zero as long as it has not said anything.
    process: AtomicU32,
    /// Where the owner keeps what others read to see whether they can access its memory, and what they will find there.
    probe: [AtomicU64; 2],
    /// The name of its wakeup_address; zeros if it has none.
    wakeup_address: [AtomicU64; 2],
}

#[repr(C, align(128))]
struct Buffer(UnsafeCell<[u8; ROOM]>);

/// A segment of a mapped arena.
pub(super) struct Segment {
    contents: NonNull<Contents>,
    arena: Arc<Arena>,
}

// SAFETY:
// - the mapping is valid in all threads until the arena is dropped, and lent out by reference only.
unsafe impl Send for Segment {}
// SAFETY:
// - its contents are atomics, and buffers, to which only a pointer is given away.
unsafe impl Sync for Segment {}

impl SegmentHeader {
    /// Owner: says who it is, and what others may try.
    pub(super) fn introduce(&self, process: u32, probe: [u64; 2]) {
        write(&self.probe, probe);
        // Release pairs with the Acquire in `owner`.
        self.process.store(process, Ordering::Release);
    }

    /// The owner's process, where its probe lies and what is there, if it has introduced itself.
    pub(super) fn owner(&self) -> Option<(u32, [u64; 2])> {
        // Acquire pairs with the Release in `introduce`.
        let process = self.process.load(Ordering::Acquire);
        (process != 0).then(|| (process, read(&self.probe)))
    }

    /// Owner: says what its wakeup_address is called, before it sleeps until that rings.
    pub(super) fn set_wakeup_address(&self, name: [u64; 2]) {
        write(&self.wakeup_address, name);
    }

    /// What its wakeup_address is called, when it sleeps until that rings.
    pub(super) fn wakeup_address(&self) -> [u64; 2] {
        read(&self.wakeup_address)
    }
}

fn write(places: &[AtomicU64; 2], words: [u64; 2]) {
    for (place, word) in places.iter().zip(words) {
        // Relaxed: what follows orders it.
        place.store(word, Ordering::Relaxed);
    }
}

fn read(places: &[AtomicU64; 2]) -> [u64; 2] {
    places.each_ref().map(|place| place.load(Ordering::Relaxed))
}

impl Segment {
    /// A segment of an arena.
    ///
    /// # Safety
    ///
    /// * It lies in the arena, aligned as it has to be.
    pub(super) unsafe fn new(contents: NonNull<Contents>, arena: Arc<Arena>) -> Self {
        Self { contents, arena }
    }

    /// Where it lies.
    pub(super) fn arena(&self) -> &Arena {
        &self.arena
    }

    /// A buffer's [`ROOM`] bytes. Who may use them when is the pool's to say.
    pub(super) fn buffer(&self, index: usize) -> NonNull<u8> {
        NonNull::new(self.buffers[index].0.get().cast()).expect("a place in a mapping is not null")
    }
}

impl Deref for Segment {
    type Target = Contents;

    #[inline]
    fn deref(&self) -> &Contents {
        // SAFETY:
        // - it lies in the mapping, which is sealed against shrinking and lives as long as `self`;
        // - its contents are valid whatever their bits, and nothing but atomics and cells: others may change them.
        unsafe { self.contents.as_ref() }
    }
}
