//! The arena: the addresses of all heaps.
//!
//! It is at the same place in each process, so a comparison tells whether a block is ours. Nothing is mapped there in
//! advance: a range of so many addresses would count as virtual memory, and tools that follow each address, such as
//! valgrind, would take minutes for it. The addresses are mapped in large steps, from below, next to each other: the
//! arena takes few mappings of the process, however many heaps there are. Segments are never given back to the arena. A
//! heap keeps those that it has taken.
//!
//! On a machine with several nodes the arena is divided into ranges, one for each memory policy (`range`). Where ranks
//! are to be relocatable, it is divided among these, and all of its addresses that they may get are reserved.

mod range;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::mm::{Advice, MapFlags, MprotectFlags, ProtFlags};

use crate::notice;
use crate::policy::MemoryPolicy;
use range::{Range, Refusal};

/// The arena is where the address, shifted by this many bits, is `PLACE`.
const SHIFT: u32 = 44;
const PLACE: usize = 3;
const START: usize = PLACE << SHIFT;
const END: usize = (PLACE + 1) << SHIFT;

/// All of its addresses.
pub(crate) const ADDRESSES: std::ops::Range<usize> = START..END;

/// The size of a segment, to which segments are aligned.
pub(crate) const SEGMENT: usize = 4 << 20;

/// The number of segments of the arena.
pub(crate) const SEGMENTS: usize = (END - START) / SEGMENT;

/// The size of a huge page that the system makes of ordinary ones.
pub(crate) const HUGE_PAGE: usize = 2 << 20;

/// Bytes that become usable at once.
const STEP: usize = 64 << 20;

/// Whether the address lies in the arena.
#[inline(always)]
pub(crate) fn contains(address: usize) -> bool {
    address >> SHIFT == PLACE
}

/// Whether the address lies in the arena, and there is memory.
pub(crate) fn is_usable(address: usize) -> bool {
    contains(address) && Range::at(address).is_usable(address)
}

/// Whether the address is one that a heap may get: in a share of the arena, its other addresses are for other things.
pub(crate) fn may_be_of_heap(address: usize) -> bool {
    contains(address) && address < Range::at(address).end()
}

/// The number of the segment in which an address of the arena lies.
pub(crate) fn index_of(address: usize) -> usize {
    (address - START) / SEGMENT
}

/// What has been given out, in pieces.
pub(crate) fn taken() -> impl Iterator<Item = std::ops::Range<usize>> {
    Range::all().map(Range::given_out)
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

/// Takes so many neighbouring segments, all zero, whose pages will come from the nodes of the policy. `None` if there
/// is no memory. It takes no lock: a thread may be interrupted here by a signal, whose handler lets other threads run.
pub(crate) fn take(segments: usize, policy: MemoryPolicy) -> Option<usize> {
    let size = size_of(segments)?;
    if policy.code() != 0 {
        for range in Range::of(policy) {
            match range.take(size, policy) {
                Ok(start) => return Some(start),
                Err(Refusal::NoMemory) => return None,
                Err(Refusal::Full) => {}
            }
        }
    }
    let start = Range::common().take(size, MemoryPolicy::FirstTouch).ok()?;
    // Where there are more policies than ranges, the addresses are a mapping of their own.
    policy.apply(start, size);
    Some(start)
}

/// Divides the arena among ranks: each has the first `room` bytes of each `distance`. Both are whole segments. The
/// addresses have been reserved, by a mapping that nobody can access. It is called before any rank allocates memory.
pub(crate) fn divide(distance: usize, room: usize, shares: usize) {
    range::divide(distance, room, shares);
}

/// As [`take`], from the share of a rank.
pub(crate) fn take_of_share(share: usize, segments: usize, policy: MemoryPolicy) -> Option<usize> {
    Range::share(share)?.take(size_of(segments)?, policy).ok()
}

/// What has been given out of the share of a rank.
pub(crate) fn taken_of_share(share: usize) -> std::ops::Range<usize> {
    Range::share(share).map_or(0..0, Range::given_out)
}

/// The bytes of so many segments; `None` if there cannot be so many.
fn size_of(segments: usize) -> Option<usize> {
    segments.checked_mul(SEGMENT).filter(|size| *size <= most())
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
    let range = Range::at(end - 1);
    size_of(segments).is_some_and(|size| range.extend(end, size, range.policy()))
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
fn map(from: usize, to: usize) -> bool {
    match map_at_once(from, to) {
        Mapped::Now => true,
        Mapped::Not => false,
        Mapped::Already => (from..to)
            .step_by(STEP)
            .all(|start| map_at_once(start, start + STEP) != Mapped::Not),
    }
}

fn map_at_once(from: usize, to: usize) -> Mapped {
    let flags = MapFlags::PRIVATE | MapFlags::NORESERVE | MapFlags::FIXED_NOREPLACE;
    let protection = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY:
    // - the flag keeps existing mappings from being replaced.
    match unsafe { rustix::mm::mmap_anonymous(from as *mut _, to - from, protection, flags) } {
        Ok(found) if found.addr() == from => Mapped::Now,
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

/// Makes addresses usable that are reserved. Those that are usable already stay as they are.
fn open_reserved(from: usize, to: usize) -> bool {
    let protection = MprotectFlags::READ | MprotectFlags::WRITE;
    // SAFETY:
    // - the addresses are reserved for heaps; nobody relies on their not being accessible.
    unsafe { rustix::mm::mprotect(from as *mut _, to - from, protection) }.is_ok()
}

/// Asks the system for huge pages for addresses of the arena. It may not have any.
pub(crate) fn want_huge_pages(start: usize, size: usize) {
    advise(start, size, Advice::LinuxHugepage);
}

/// Puts the addresses of a huge page into one, with what ordinary pages have of them so far, if the system has any.
pub(crate) fn gather_in_huge_page(start: usize) {
    want_huge_pages(start, HUGE_PAGE);
    if makes_huge_pages() {
        // SAFETY:
        // - the memory is usable, and keeps what it holds. A kernel that does not know the advice refuses it: then what
        //   is touched first from now on is in a huge page at best.
        let _ = unsafe { libc::madvise(start as *mut _, HUGE_PAGE, libc::MADV_COLLAPSE) };
    }
}

/// When the system makes huge pages.
#[derive(Clone, Copy, PartialEq)]
#[repr(u8)]
enum HugePages {
    Never,
    OnRequest,
    Always,
}

impl HugePages {
    const ALL: [Self; 3] = [Self::Never, Self::OnRequest, Self::Always];

    /// What the system says, which is asked once. No lock is taken, as in [`take`].
    fn of_system() -> Self {
        static KNOWN: AtomicU8 = AtomicU8::new(u8::MAX);
        // Relaxed: each thread finds the same.
        let known = Self::ALL.get(usize::from(KNOWN.load(Ordering::Relaxed)));
        known.copied().unwrap_or_else(|| {
            let found = Self::ask();
            KNOWN.store(found as u8, Ordering::Relaxed);
            found
        })
    }

    /// Asks the system, without memory of a heap: the caller allocates some.
    fn ask() -> Self {
        let path = c"/sys/kernel/mm/transparent_hugepage/enabled";
        let mut buffer = [0; 64];
        let file = rustix::fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty());
        let length = file.and_then(|file| rustix::io::read(file, &mut buffer));
        let words = &buffer[..length.unwrap_or(0)];
        let is_set = |word: &[u8]| words.windows(word.len()).any(|found| found == word);
        match (is_set(b"[always]"), is_set(b"[madvise]")) {
            (true, _) => Self::Always,
            (_, true) => Self::OnRequest,
            _ => Self::Never,
        }
    }
}

/// Whether the system makes huge pages for those who ask. It would gather pages also where its administrator wants no
/// huge ones.
pub(crate) fn makes_huge_pages() -> bool {
    HugePages::of_system() != HugePages::Never
}

/// Asks for no huge pages for addresses that have just been taken, where the system gives them to everybody: a heap
/// with a few blocks would have one for itself. Whoever has mapped the addresses does not do this: others may have
/// taken some of them since, and have asked for huge pages.
fn begin_without_huge_pages(start: usize, size: usize) {
    if HugePages::of_system() == HugePages::Always {
        end_huge_pages(start, size);
    }
}

/// Obtains the pages of addresses that have just been taken. The system may have no memory for them now; then they come
/// when they are touched.
pub(crate) fn populate(start: usize, size: usize) {
    advise(start, size, Advice::LinuxPopulateWrite);
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

/// Maps addresses anew that were in use, whether they are mapped or not. They are zero afterwards.
///
/// # Safety
///
/// Nobody uses the memory, which belongs to the arena.
pub(crate) unsafe fn renew(start: usize, size: usize) {
    notice::pages_go(start, size);
    let flags = MapFlags::PRIVATE | MapFlags::NORESERVE | MapFlags::FIXED;
    let protection = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY:
    // - nobody uses the memory (caller).
    if unsafe { rustix::mm::mmap_anonymous(start as *mut _, size, protection, flags) }.is_err() {
        // The block cannot be had, and there may be none of its old memory left.
        std::process::abort();
    }
    Range::at(start).policy().apply(start, size);
}

/// The same with huge pages of this size that are reserved, to which the addresses are aligned. If there are not enough
/// of them left, the pages are ordinary ones. Returns whether they are huge.
///
/// # Safety
///
/// As above.
pub(crate) unsafe fn renew_with_huge_pages(start: usize, size: usize, page: usize) -> bool {
    notice::pages_go(start, size);
    let flags = MapFlags::PRIVATE | MapFlags::FIXED | MapFlags::HUGETLB;
    // The kernel has the logarithm of the size in the upper bits (MAP_HUGE_SHIFT).
    let flags = flags | MapFlags::from_bits_retain(page.ilog2() << libc::MAP_HUGE_SHIFT);
    let protection = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY:
    // - nobody uses the memory (caller).
    let is_huge = unsafe { rustix::mm::mmap_anonymous(start as *mut _, size, protection, flags) }.is_ok();
    if is_huge {
        Range::at(start).policy().apply(start, size);
    } else {
        // The system may have unmapped the addresses before it refused.
        // SAFETY:
        // - as above.
        unsafe { renew(start, size) };
    }
    is_huge
}

/// Gives the memory of whole pages back to the system. They are zero afterwards. Returns whether that was done.
///
/// # Safety
///
/// Nobody uses the memory, which belongs to the arena.
pub(crate) unsafe fn purge(start: usize, size: usize) -> bool {
    notice::pages_go(start, size);
    // SAFETY:
    // - nobody uses the memory (caller).
    unsafe { rustix::mm::madvise(start as *mut _, size, Advice::LinuxDontNeed) }.is_ok()
}
