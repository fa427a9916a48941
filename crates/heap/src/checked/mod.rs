//! The functions of C for ranks whose blocks are checked (`--check`).
//!
//! Each block has a record before it and a red zone behind it, within a block of the rank's heap. So the functions of
//! this module take the place of those of `c`, for all images of the process, or of none.
//!
//! Blocks of the C library have no record. They are told by their addresses, as everywhere.

mod record;
mod sweep;
mod waiting;

use std::ffi::c_void;
use std::ptr;

use crate::rank_heaps::current;
use crate::report::{self, Fault};
use crate::size_class::ALIGNMENT;
use crate::{Heap, account, arena, c, context};
use record::{RECORD, Record, Wrong, ZONE};

pub use sweep::check_all;
pub(crate) use waiting::Waiting;

/// The functions of C that come from here, by name, with their addresses.
#[must_use]
pub fn functions() -> Vec<(&'static str, usize)> {
    c::with_others(c::functions_of_blocks!())
}

/// How a block is to be.
#[derive(Clone, Copy)]
struct Wanted {
    size: usize,
    alignment: usize,
    is_zeroed: bool,
}

impl Wanted {
    const fn bytes(size: usize) -> Self {
        Self {
            size,
            alignment: ALIGNMENT,
            is_zeroed: false,
        }
    }

    /// The bytes that a heap's block needs to have for it.
    fn whole(self) -> Option<usize> {
        let padding = if self.alignment > ALIGNMENT {
            self.alignment
        } else {
            0
        };
        self.size.checked_add(RECORD + ZONE)?.checked_add(padding)
    }
}

/// A block with a record, of the calling context's heap; null if that has none, or no memory.
fn allocate(wanted: Wanted) -> *mut c_void {
    let (Some(heap), Some(size)) = (current(), wanted.whole()) else {
        return ptr::null_mut();
    };
    let whole = match wanted.is_zeroed {
        true => heap.allocate_zeroed(size),
        false => heap.allocate(size),
    };
    if whole.is_null() {
        return ptr::null_mut();
    }
    let address = (whole.addr() + RECORD).next_multiple_of(wanted.alignment);
    // SAFETY:
    // - the heap's block is new, and has room for a record, the block at such an address and a zone.
    unsafe { Record::begin(whole.addr(), address, wanted.size, report::calls()) }.cast()
}

/// As [`allocate`]; or what the C library gives, where there is no heap or no memory in it. If there is none, either,
/// it sets the error.
fn allocate_or(wanted: Wanted, other: impl FnOnce() -> *mut c_void) -> *mut c_void {
    let block = allocate(wanted);
    if !block.is_null() {
        block
    } else if account::is_refused(wanted.size) {
        c::too_much()
    } else {
        other()
    }
}

c::functions_that_follow!();

extern "C" fn malloc(size: usize) -> *mut c_void {
    // SAFETY:
    // - it has no preconditions.
    allocate_or(Wanted::bytes(size), || unsafe { libc::malloc(size) })
}

extern "C" fn calloc(count: usize, size: usize) -> *mut c_void {
    let Some(total) = count.checked_mul(size) else {
        return c::too_much();
    };
    let wanted = Wanted {
        is_zeroed: true,
        ..Wanted::bytes(total)
    };
    // SAFETY:
    // - it has no preconditions.
    allocate_or(wanted, || unsafe { libc::calloc(count, size) })
}

/// Frees a block of a rank or of the C library.
///
/// # Safety
///
/// As for `free` of C, as far as the C library's blocks are concerned.
pub unsafe extern "C" fn free(block: *mut c_void) {
    if !arena::contains(block.addr()) {
        // SAFETY:
        // - the block is the C library's, or null (caller).
        return unsafe { libc::free(block) };
    }
    or_fault("free", block.addr(), release(block.addr()));
}

/// Frees a block that has a record, if all is well with it.
fn release(address: usize) -> Result<(), Wrong> {
    let record = Record::of(address)?;
    record.check()?;
    record.free(report::calls())?;
    // SAFETY:
    // - heaps stay where they are, and this one is the calling context's.
    match unsafe { context::heap().as_ref() } {
        Some(heap) => heap.waiting.add(record),
        // SAFETY:
        // - the heap's block is in use, and its only user has freed it.
        None => unsafe { c::free(record.whole() as *mut c_void) },
    }
    Ok(())
}

/// Changes the size of a block of a rank or of the C library. That of a rank always moves.
///
/// # Safety
///
/// As for `realloc` of C, as far as the C library's blocks are concerned.
pub unsafe extern "C" fn realloc(block: *mut c_void, size: usize) -> *mut c_void {
    if block.is_null() {
        return malloc(size);
    }
    if !arena::contains(block.addr()) {
        // SAFETY:
        // - the block is the C library's (caller).
        return unsafe { libc::realloc(block, size) };
    }
    let now = or_fault("realloc", block.addr(), checked_size(block.addr()));
    let new = if size == 0 { ptr::null_mut() } else { malloc(size) };
    if new.is_null() && size != 0 {
        return new;
    }
    if !new.is_null() {
        // SAFETY:
        // - the old block is in use and has so many bytes, and the new one has room for them.
        unsafe { ptr::copy_nonoverlapping(block.cast::<u8>(), new.cast(), now.min(size)) };
    }
    or_fault("realloc", block.addr(), release(block.addr()));
    new
}

/// The size of a block with which all is well.
fn checked_size(address: usize) -> Result<usize, Wrong> {
    let record = Record::of(address)?;
    record.check()?;
    Ok(record.size())
}

extern "C" fn memalign(alignment: usize, size: usize) -> *mut c_void {
    let alignment = c::known_alignment(alignment);
    // SAFETY:
    // - it has no preconditions.
    let of_c_library = || unsafe { libc::memalign(alignment, size) };
    if !alignment.is_power_of_two() {
        return of_c_library();
    }
    let wanted = Wanted {
        alignment: alignment.max(ALIGNMENT),
        ..Wanted::bytes(size)
    };
    allocate_or(wanted, of_c_library)
}

/// The number of bytes that the block has, a block of a rank or of the C library.
///
/// # Safety
///
/// As for `malloc_usable_size` of the C library, as far as its blocks are concerned.
pub unsafe extern "C" fn usable_size(block: *mut c_void) -> usize {
    if !arena::contains(block.addr()) {
        // SAFETY:
        // - the block is the C library's, or null (caller).
        return unsafe { libc::malloc_usable_size(block) };
    }
    or_fault(
        "malloc_usable_size",
        block.addr(),
        Record::of(block.addr()).map(Record::size),
    )
}

/// What has come of it; or the end of the job, if something is wrong.
fn or_fault<T>(call: &'static str, address: usize, found: Result<T, Wrong>) -> T {
    found.unwrap_or_else(|(kind, block)| {
        report::fault(Fault {
            call,
            address,
            kind,
            block,
        })
    })
}

impl Heap {
    /// Lets blocks go that wait to be used again.
    pub(crate) fn end_waiting(&self) {
        self.waiting.end_all();
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::tests::as_rank;
    use crate::{FaultKind, RankHeaps, SHARE_UNIT};

    fn kind(found: Result<(), Wrong>) -> FaultKind {
        found.expect_err("a fault").0
    }

    /// Blocks of all sizes and alignments, with their sizes.
    fn some() -> Vec<(usize, usize)> {
        let sizes = [0, 1, 15, 16, 100, 1000, 5000, 33_000, 70_000, 300_000, 5 << 20];
        let plain = sizes.map(|size| (malloc(size).addr(), size));
        let zeroed = sizes.map(|size| (calloc(size, 1).addr(), size));
        let aligned = (5..=24).map(|log| (memalign(1 << log, 777).addr(), 777));
        plain.into_iter().chain(zeroed).chain(aligned).collect()
    }

    fn write(address: usize, value: u8) -> u8 {
        // SAFETY:
        // - the tests write to blocks, or into their records and zones, which nobody else uses.
        unsafe { (address as *mut u8).replace(value) }
    }

    #[test]
    fn what_is_right_is_no_fault() {
        as_rank(|heaps| {
            for _ in 0..30 {
                let blocks = some();
                for (block, size) in &blocks {
                    assert!(block.is_multiple_of(16) && arena::contains(*block));
                    assert_eq!(Record::of(*block).unwrap().size(), *size);
                    let near_end = size.saturating_sub(200);
                    for byte in block + near_end..block + size {
                        write(byte, 1);
                    }
                }
                check_all(heaps);
                blocks.iter().for_each(|(block, _)| release(*block).unwrap());
            }
        });
    }

    #[test]
    fn a_block_is_freed_once() {
        as_rank(|_| {
            for (block, size) in some() {
                release(block).unwrap();
                assert_eq!(kind(release(block)), FaultKind::Freed, "{size}");
            }
        });
    }

    #[test]
    fn of_several_that_free_a_block_one_does() {
        as_rank(|_| {
            let block = malloc(100).addr();
            let free = || as_rank_thread(|| release(block).is_ok());
            let freed = std::thread::scope(|scope| {
                let threads = [(); 4].map(|()| scope.spawn(free));
                threads.map(|thread| thread.join().unwrap())
            });
            assert_eq!(freed.into_iter().filter(|freed| *freed).count(), 1);
        });
    }

    /// Runs `f` as a rank, and keeps what it frees from being used again.
    fn as_rank_thread<R>(f: impl FnOnce() -> R) -> R {
        let heaps: &'static RankHeaps = Box::leak(Box::new(RankHeaps::new()));
        assert!(heaps.enter());
        assert!(!malloc(1).is_null());
        let result = f();
        RankHeaps::leave();
        result
    }

    #[test]
    fn addresses_that_are_no_beginning_are_told() {
        as_rank(|_| {
            // Of a long block, only what lies near its beginning is known.
            let known = |(block, _): &(usize, usize)| !block.is_multiple_of(SHARE_UNIT);
            for (block, size) in some().into_iter().filter(known) {
                assert_eq!(kind(release(block + 8)), inside(size, 8));
                assert_eq!(kind(release(block + 16)), inside(size, 16));
                release(block).unwrap();
            }
            // The last two lie far behind all that tests, which run side by side, allocate.
            for wild in [arena_start() + 16, arena_start() + (8 << 40), (4 << 44) - 64] {
                assert_eq!(kind(release(wild)), FaultKind::NoBlock);
            }
        });
    }

    fn arena_start() -> usize {
        3 << 44
    }

    /// What is told of an address so far behind the beginning of a block.
    fn inside(size: usize, offset: usize) -> FaultKind {
        if offset < size {
            FaultKind::Inside(offset)
        } else {
            FaultKind::NoBlock
        }
    }

    #[test]
    fn writes_around_a_block_are_told_with_their_place() {
        as_rank(|_| {
            for (block, size) in some() {
                let record = Record::of(block).unwrap();
                for place in [0, 1, ZONE - 1] {
                    let before = write(block + size + place, 0);
                    assert_eq!(kind(record.check()), FaultKind::Overrun(size + place));
                    write(block + size + place, before);
                }
                let before = write(block - 1, 0);
                assert_eq!(kind(release(block)), FaultKind::Underrun);
                write(block - 1, before);
                release(block).unwrap();
            }
        });
    }

    #[test]
    fn resizing_keeps_what_a_block_holds() {
        as_rank(|_| {
            let mut block = malloc(10);
            for size in [1, 5, 500, 50_000, 5 << 20, 3000, 7] {
                write(block.addr(), 42);
                // SAFETY:
                // - the block is one of this test.
                block = unsafe { realloc(block, size) };
                assert_eq!(write(block.addr(), 0), 42);
                // SAFETY:
                // - as above.
                assert_eq!(unsafe { usable_size(block) }, size);
            }
        });
    }
}
