//! The arena: the addresses of all heaps.
//!
//! The addresses are reserved once, at the same place in each process. So a comparison tells whether a block is ours.
//! They are made usable in large steps, from below: the arena takes two mappings of the process, however many heaps
//! there are. Segments are never given back to the arena. A heap keeps those that it has taken.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::mm::{Advice, MapFlags, MprotectFlags, ProtFlags};

/// The arena is where the address, shifted by this many bits, is `PLACE`.
const SHIFT: u32 = 44;
const PLACE: usize = 3;
const START: usize = PLACE << SHIFT;
const END: usize = (PLACE + 1) << SHIFT;

/// The size of a segment, to which segments are aligned.
pub(crate) const SEGMENT: usize = 4 << 20;

/// Bytes that become usable at once.
const STEP: usize = 64 << 20;

/// The end of what has been given out, and of what is usable.
static TAKEN: AtomicUsize = AtomicUsize::new(START);
static USABLE: AtomicUsize = AtomicUsize::new(START);

/// Whether the address lies in the arena.
#[inline(always)]
pub(crate) fn contains(address: usize) -> bool {
    address >> SHIFT == PLACE
}

/// Reserves the addresses. Returns whether there is an arena: none if the user limits the addresses of the process
/// (`ulimit -v`), or if something else lies there.
pub(crate) fn reserve() -> bool {
    static RESERVED: OnceLock<bool> = OnceLock::new();
    *RESERVED.get_or_init(|| {
        let limit = rustix::process::getrlimit(rustix::process::Resource::As);
        limit.current.is_none() && map().is_some()
    })
}

fn map() -> Option<()> {
    let (start, size) = (START as *mut _, END - START);
    let flags = MapFlags::PRIVATE | MapFlags::NORESERVE | MapFlags::FIXED_NOREPLACE;
    // SAFETY:
    // - the flag keeps existing mappings from being replaced.
    let found = unsafe { rustix::mm::mmap_anonymous(start, size, ProtFlags::empty(), flags) }.ok()?;
    if found == start {
        // Where the system gives huge pages to everybody, a heap with a few blocks would have one for itself.
        end_huge_pages(START, END - START);
        return Some(());
    }
    // SAFETY:
    // - a kernel that does not know the flag has put the mapping elsewhere, just now, and nobody knows of it.
    let _ = unsafe { rustix::mm::munmap(found, size) };
    None
}

/// Takes so many neighbouring segments, all zero; `None` if there is no memory. It takes no lock: a thread may be
/// interrupted here by a signal, whose handler lets other threads run.
pub(crate) fn take(segments: usize) -> Option<usize> {
    let size = segments.checked_mul(SEGMENT).filter(|size| *size <= most())?;
    // Relaxed: each address is given out once, and nothing else is passed on.
    let take = |taken: usize| taken.checked_add(size).filter(|end| *end <= END);
    let start = TAKEN
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
        .ok()?;
    make_usable(start + size).then_some(start)
}

/// The most bytes that are given out at once: the memory of the machine with its swap space. The addresses are usable
/// whether or not there is memory for them, and a block without memory must be refused. The kernel decides about longer
/// ones, which it may be set up to grant, when the C library asks it.
fn most() -> usize {
    static MOST: AtomicUsize = AtomicUsize::new(0);
    // Relaxed: each thread finds the same number.
    let mut most = MOST.load(Ordering::Relaxed);
    if most == 0 {
        let found = rustix::system::sysinfo();
        let units = (found.totalram + found.totalswap) as usize;
        most = units.saturating_mul(found.mem_unit as usize).min(END - START);
        MOST.store(most, Ordering::Relaxed);
    }
    most
}

/// Takes the segments that follow, if `end` is the end of what has been given out.
pub(crate) fn extend(end: usize, segments: usize) -> bool {
    let Some(new) = segments
        .checked_mul(SEGMENT)
        .filter(|size| *size <= most())
        .and_then(|size| end.checked_add(size))
        .filter(|new| *new <= END)
    else {
        return false;
    };
    make_usable(new)
        && TAKEN
            .compare_exchange(end, new, Ordering::Relaxed, Ordering::Relaxed)
            .is_ok()
}

/// Makes everything below `end` usable.
fn make_usable(end: usize) -> bool {
    // Acquire pairs with the Release below: what another thread has made usable is so.
    let from = USABLE.load(Ordering::Acquire);
    if end <= from {
        return true;
    }
    let to = end.next_multiple_of(STEP).min(END);
    // SAFETY:
    // - the addresses are ours; where another thread makes the same ones usable, or has done so, nothing changes.
    let made = unsafe {
        rustix::mm::mprotect(
            from as *mut _,
            to - from,
            MprotectFlags::READ | MprotectFlags::WRITE,
        )
    };
    if made.is_ok() {
        USABLE.fetch_max(to, Ordering::Release);
    }
    made.is_ok()
}

/// Asks the system for huge pages for addresses of the arena. It may not have any.
pub(crate) fn want_huge_pages(start: usize, size: usize) {
    advise(start, size, Advice::LinuxHugepage);
}

/// Takes that back for addresses that will hold small blocks.
pub(crate) fn end_huge_pages(start: usize, size: usize) {
    advise(start, size, Advice::LinuxNoHugepage);
}

fn advise(start: usize, size: usize, advice: Advice) {
    // SAFETY:
    // - the advice changes nothing that memory holds.
    let _ = unsafe { rustix::mm::madvise(start as *mut _, size, advice) };
}

/// Gives the memory of whole pages back to the system. They are zero afterwards. Returns whether that was done.
///
/// # Safety
///
/// Nobody uses the memory, which belongs to the arena.
pub(crate) unsafe fn purge(start: usize, size: usize) -> bool {
    // SAFETY:
    // - nobody uses the memory (caller).
    unsafe { rustix::mm::madvise(start as *mut _, size, Advice::LinuxDontNeed) }.is_ok()
}
