//! The arena: the addresses of all heaps.
//!
//! It is at the same place in each process, so a comparison tells whether a block is ours. Nothing is mapped there in
//! advance: a range of so many addresses would count as virtual memory, and tools that follow each address, such as
//! valgrind, would take minutes for it. The addresses are mapped in large steps, from below, next to each other: the
//! arena takes few mappings of the process, however many heaps there are. Segments are never given back to the arena. A
//! heap keeps those that it has taken.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::io::Errno;
use rustix::mm::{Advice, MapFlags, ProtFlags};

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

/// Whether there is an arena: not if the user limits the addresses of the process (`ulimit -v`), or if something else
/// lies there. The kernel itself puts nothing there, so what is mapped there later is ours.
pub(crate) fn is_possible() -> bool {
    static POSSIBLE: OnceLock<bool> = OnceLock::new();
    *POSSIBLE.get_or_init(|| {
        let limit = rustix::process::getrlimit(rustix::process::Resource::As);
        limit.current.is_none() && is_empty()
    })
}

/// Whether nothing is mapped in the arena, as far as the system tells.
fn is_empty() -> bool {
    let number = |text: &str| usize::from_str_radix(text, 16).ok();
    let lies_there = |line: &str| {
        let (start, rest) = line.split_once('-')?;
        let end = rest.split_whitespace().next()?;
        Some(number(start)? < END && number(end)? > START)
    };
    std::fs::read_to_string("/proc/self/maps")
        .is_ok_and(|maps| maps.lines().all(|line| lies_there(line) == Some(false)))
}

/// Takes so many neighbouring segments, all zero; `None` if there is no memory. It takes no lock: a thread may be
/// interrupted here by a signal, whose handler lets other threads run.
pub(crate) fn take(segments: usize) -> Option<usize> {
    // Relaxed: each address is given out once, and nothing else is passed on.
    let start = TAKEN
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |taken| {
            end_of(taken, segments)
        })
        .ok()?;
    make_usable(start + segments * SEGMENT).then_some(start)
}

/// Where so many segments end that begin there; `None` if there cannot be so many.
fn end_of(start: usize, segments: usize) -> Option<usize> {
    let size = segments.checked_mul(SEGMENT).filter(|size| *size <= most())?;
    start.checked_add(size).filter(|end| *end <= END)
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
    let Some(new) = end_of(end, segments) else {
        return false;
    };
    make_usable(new)
        && TAKEN
            .compare_exchange(end, new, Ordering::Relaxed, Ordering::Relaxed)
            .is_ok()
}

/// Makes everything below `end` usable. Several threads may do so at the same time.
fn make_usable(end: usize) -> bool {
    // Acquire pairs with the Release below: what another thread has made usable is so.
    let from = USABLE.load(Ordering::Acquire);
    if end <= from {
        return true;
    }
    let to = end.next_multiple_of(STEP).min(END);
    let is_usable = map(from, to) != Mapped::Not;
    if is_usable {
        USABLE.fetch_max(to, Ordering::Release);
    }
    is_usable
}

/// Whether addresses of the arena have been mapped.
#[derive(PartialEq)]
enum Mapped {
    Now,
    /// Another thread has mapped some of them.
    Already,
    Not,
}

/// Maps addresses, or what is left of them when other threads have mapped some.
fn map(from: usize, to: usize) -> Mapped {
    let mapped = map_at_once(from, to);
    if mapped != Mapped::Already || to - from == STEP {
        return mapped;
    }
    let steps = (from..to).step_by(STEP);
    match steps
        .map(|start| map_at_once(start, start + STEP))
        .any(|step| step == Mapped::Not)
    {
        true => Mapped::Not,
        false => Mapped::Already,
    }
}

fn map_at_once(from: usize, to: usize) -> Mapped {
    let flags = MapFlags::PRIVATE | MapFlags::NORESERVE | MapFlags::FIXED_NOREPLACE;
    let protection = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY:
    // - the flag keeps existing mappings from being replaced.
    match unsafe { rustix::mm::mmap_anonymous(from as *mut _, to - from, protection, flags) } {
        Ok(found) if found.addr() == from => {
            // Where the system gives huge pages to everybody, a heap with a few blocks would have one for itself.
            end_huge_pages(from, to - from);
            Mapped::Now
        }
        Ok(found) => {
            // SAFETY:
            // - a kernel that does not know the flag has put the mapping elsewhere, just now, and nobody knows of it.
            let _ = unsafe { rustix::mm::munmap(found, to - from) };
            Mapped::Not
        }
        Err(Errno::EXIST) => Mapped::Already,
        Err(_) => Mapped::Not,
    }
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
