//! The owners of segments, so that the memory of a rank can be found, on a machine with several nodes.
//!
//! The lists of a heap are only for the thread that uses it, and a segment without free slices is on none. So a table
//! beside the arena has an entry for each of its segments. Only those of segments that have been taken are touched.

use std::ops::Range;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};

use rustix::mm::{MapFlags, ProtFlags};

use crate::arena::{self, SEGMENT, SEGMENTS};

/// The table; null until a segment is taken.
static TABLE: AtomicPtr<Entry> = AtomicPtr::new(ptr::null_mut());

/// The entry of a segment. Zeros are that of a segment which belongs to nobody.
#[repr(C)]
struct Entry {
    /// The number that the owner has given for itself.
    owner: AtomicUsize,
    /// When slices of it were last taken.
    used: AtomicU64,
}

/// The table, which is mapped if it is not there yet; none if there are no addresses for it.
fn table() -> Option<&'static [Entry]> {
    // Acquire is not needed: the kernel has mapped it, full of zeros, for all threads.
    let mut table = TABLE.load(Ordering::Relaxed);
    if table.is_null() {
        table = map()?;
    }
    // SAFETY:
    // - it is so long, stays mapped, and zeros are valid entries.
    Some(unsafe { std::slice::from_raw_parts(table, SEGMENTS) })
}

/// Maps the table. Where several threads do so at the same time, that of the first counts.
fn map() -> Option<*mut Entry> {
    let size = SEGMENTS * size_of::<Entry>();
    let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
    let protection = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY:
    // - the kernel chooses the address, so nothing is replaced.
    let new = unsafe { rustix::mm::mmap_anonymous(ptr::null_mut(), size, protection, flags) }.ok()?;
    let published = TABLE.compare_exchange(ptr::null_mut(), new.cast(), Ordering::Relaxed, Ordering::Relaxed);
    published.map_or_else(
        |first| {
            // SAFETY:
            // - it was mapped just now, and nobody knows of it.
            let _ = unsafe { rustix::mm::munmap(new, size) };
            Some(first)
        },
        |_| Some(new.cast()),
    )
}

/// Notes that somebody has taken so many segments.
pub(crate) fn note_taken(owner: usize, start: usize, segments: usize) {
    let first = arena::index_of(start);
    let entries = table()
        .into_iter()
        .flat_map(|table| &table[first..first + segments]);
    // Relaxed, here and below: whoever reads it takes each entry by itself, and a late one is found the next time.
    entries.for_each(|entry| entry.owner.store(owner, Ordering::Relaxed));
}

/// Notes when slices of a segment were taken.
pub(crate) fn note_used(address: usize, time: u64) {
    if let Some(table) = table() {
        table[arena::index_of(address)]
            .used
            .store(time, Ordering::Relaxed);
    }
}

/// The segments of an owner, those that were used last first.
pub(crate) fn segments_of(owner: usize) -> Vec<Range<usize>> {
    let Some(table) = table() else { return Vec::new() };
    let of_range = |range: Range<usize>| range.step_by(SEGMENT);
    let mut found: Vec<_> = arena::taken()
        .flat_map(of_range)
        .map(|address| (address, &table[arena::index_of(address)]))
        .filter(|(_, entry)| entry.owner.load(Ordering::Relaxed) == owner)
        .map(|(address, entry)| (entry.used.load(Ordering::Relaxed), address))
        .collect();
    found.sort_by_key(|&(used, address)| (std::cmp::Reverse(used), address));
    found
        .into_iter()
        .map(|(_, address)| address..address + SEGMENT)
        .collect()
}
