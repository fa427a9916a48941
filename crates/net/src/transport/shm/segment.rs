//! The memory that one host shares with the others of its node: a part of an [arena](super::arena).

use std::ops::Deref;
use std::ptr::NonNull;

use crossbeam_utils::CachePadded;
use simurgh_core::SharedBytes;
use simurgh_core::sync::{Arc, AtomicU32, AtomicU64, Ordering};

use super::arena::Arena;
use super::chunk_counter::ChunkCounters;
use super::pool::{BUFFERS, ROOM, Returns};
use super::ring::Ring;
use super::tallies::Tallies;

/// The layout of a segment. All zeros is the segment of a host that has not come yet.
#[repr(C, align(4096))]
pub(super) struct Contents {
    pub(super) header: SegmentHeader,
    /// Packets to the owner.
    pub(super) ring: Ring,
    /// The buffers of the owner that receivers have returned.
    pub(super) returns: Returns,
    /// The chunks of transfers to the owner.
    pub(super) chunk_counters: ChunkCounters,
    /// What the owner tells others.
    pub(super) tallies: Tallies,
    buffers: [SharedBytes<ROOM>; BUFFERS],
}

/// The owner's description of itself.
#[repr(C, align(128))]
pub(super) struct SegmentHeader {
    /// The number of its process; zero until it has introduced itself.
    process: AtomicU32,
    /// The address and the value of its [`Probe`](super::cross_memory::Probe).
    probe: [AtomicU64; 2],
    /// The name of its wakeup socket; zeros if it has none.
    wakeup_address: [AtomicU64; 2],
    /// 1 while the owner looks for packets again and again.
    watched: CachePadded<AtomicU32>,
}

/// A segment of a mapped arena.
pub(super) struct Segment {
    contents: NonNull<Contents>,
    arena: Arc<Arena>,
    index: usize,
}

// SAFETY:
// - the mapping is valid in all threads until the arena is dropped, and lent out by reference only.
unsafe impl Send for Segment {}
// SAFETY:
// - its contents are atomics and shared bytes, to which only a pointer is given away.
unsafe impl Sync for Segment {}

impl SegmentHeader {
    /// Owner: introduces itself, with its probe.
    pub(super) fn introduce(&self, process: u32, probe: [u64; 2]) {
        write(&self.probe, probe);
        // Release pairs with the Acquire in `owner`.
        self.process.store(process, Ordering::Release);
    }

    /// The number of the owner's process and its probe, once it has introduced itself.
    pub(super) fn owner(&self) -> Option<(u32, [u64; 2])> {
        // Acquire pairs with the Release in `introduce`.
        let process = self.process.load(Ordering::Acquire);
        (process != 0).then(|| (process, read(&self.probe)))
    }

    /// Owner: publishes the name of its wakeup socket, before it sleeps in `poll(2)`.
    pub(super) fn set_wakeup_address(&self, name: [u64; 2]) {
        write(&self.wakeup_address, name);
    }

    /// Owner: says whether it looks for packets again and again.
    pub(super) fn set_watched(&self, is_watched: bool) {
        // Relaxed, here and below: a hint.
        self.watched.store(is_watched.into(), Ordering::Relaxed);
    }

    /// Whether the owner looks for packets again and again.
    #[inline]
    pub(super) fn is_watched(&self) -> bool {
        self.watched.load(Ordering::Relaxed) != 0
    }

    /// The name of the owner's wakeup socket. It is there when the owner sleeps in `poll(2)`.
    pub(super) fn wakeup_address(&self) -> [u64; 2] {
        read(&self.wakeup_address)
    }
}

fn write(places: &[AtomicU64; 2], words: [u64; 2]) {
    for (place, word) in places.iter().zip(words) {
        // Relaxed: the stores that follow order it.
        place.store(word, Ordering::Relaxed);
    }
}

fn read(places: &[AtomicU64; 2]) -> [u64; 2] {
    places.each_ref().map(|place| place.load(Ordering::Relaxed))
}

impl Segment {
    /// The segment of the host with this index of an arena.
    ///
    /// # Safety
    ///
    /// * It lies in the arena, aligned as it has to be.
    pub(super) unsafe fn new(contents: NonNull<Contents>, arena: Arc<Arena>, index: usize) -> Self {
        Self {
            contents,
            arena,
            index,
        }
    }

    /// The index of its owner in the arena.
    pub(super) fn index(&self) -> usize {
        self.index
    }

    /// The arena that it is a part of.
    pub(super) fn arena(&self) -> &Arena {
        &self.arena
    }

    /// The [`ROOM`] bytes of a buffer. The pool decides who may use them when.
    pub(super) fn buffer(&self, index: usize) -> *mut u8 {
        self.buffers[index].start()
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
