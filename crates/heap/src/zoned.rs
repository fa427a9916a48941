//! The functions of C that programs get: those of `c`, in debug builds with a red zone behind each block.
//!
//! A block of the heap has room for the bytes that the program asks for, a zone of at least [`ZONE`] bytes, and the
//! number of those bytes at the end of the room. The zone is looked at when the block is freed or resized. Unlike the
//! records of `checked`, this takes a few bytes and no unwinding, so that all tests of a debug build run with it.

use std::ffi::c_void;
use std::ptr;

use crate::page::Page;
use crate::rank_end::is_of_ended;
use crate::report::{self, CheckedBlock, Fault, FaultKind};
use crate::segment::Segment;
use crate::{arena, c};

/// The least size of a zone, and the most of it that is written.
const ZONE: usize = 16;
const MOST: usize = 64;
/// What a zone is filled with.
const PATTERN: u8 = 0xf1;
/// What a block has more than the program asks for.
const MORE: usize = ZONE + size_of::<usize>();
/// With the size of a block in use, and in the place of that of one that has been freed.
const USED: usize = 0x5ed2_0000_0000_0000;
const FREED: usize = 0xf4ee_0000_0000_0000;
/// The part of the word that is the size.
const SIZE: usize = (1 << 48) - 1;

/// Whether blocks have zones.
const IS_DEBUG: bool = cfg!(debug_assertions);

/// The functions of C for the programs of ranks, by name, with their addresses.
#[must_use]
pub fn functions() -> Vec<(&'static str, usize)> {
    if !IS_DEBUG {
        return c::functions();
    }
    c::with_others(c::functions_of_blocks!())
}

/// Where the number of a block's bytes is kept; none if no block of a heap begins at the address.
fn word_of(address: usize) -> Option<*mut usize> {
    let (segment, page) = page_at(address)?;
    let is_block = Segment::may_be_heap(segment.heap_at(address)) && page.has_block(address);
    // SAFETY:
    // - a block begins there.
    is_block.then(|| (address + unsafe { page.room_at(address) } - size_of::<usize>()) as *mut usize)
}

fn page_at(address: usize) -> Option<(&'static Segment, &'static Page)> {
    // SAFETY:
    // - the arena has memory there, and what has been taken of it begins with headers.
    let segment = arena::is_usable(address).then(|| unsafe { Segment::of_block(address) })?;
    Some((segment, segment.page_at(address)))
}

/// Writes the zone of a new block, which has room for that. Those of the C library have none.
fn begin(block: *mut c_void, size: usize) -> *mut c_void {
    let Some(word) = arena::contains(block.addr())
        .then(|| word_of(block.addr()))
        .flatten()
    else {
        return block;
    };
    let end = word.addr().min(block.addr() + size + MOST);
    // SAFETY:
    // - the block has room for `MORE` bytes behind these, of which the last are the word. It need not be aligned.
    unsafe {
        ptr::write_bytes(
            block.byte_add(size).cast::<u8>(),
            PATTERN,
            end - (block.addr() + size),
        );
        word.write_unaligned(USED | size);
    }
    block
}

/// The size of a block of a heap, if it is in use and its zone is as it was.
fn check(address: usize) -> Result<usize, FaultKind> {
    if is_of_ended(address) {
        return Err(FaultKind::NoBlock);
    }
    let word = word_of(address).ok_or(FaultKind::NoBlock)?;
    // SAFETY:
    // - it lies in the block.
    let found = unsafe { word.read_unaligned() };
    let size = found & SIZE;
    match found & !SIZE {
        USED if address + size + ZONE <= word.addr() => {}
        FREED => return Err(FaultKind::Freed),
        // The end of the room has been overwritten.
        _ => return Err(FaultKind::Overrun(word.addr() - address)),
    }
    let length = (word.addr() - (address + size)).min(MOST);
    // SAFETY:
    // - the zone lies in the block.
    let zone = unsafe { std::slice::from_raw_parts((address + size) as *const u8, length) };
    match zone.iter().position(|byte| *byte != PATTERN) {
        Some(place) => Err(FaultKind::Overrun(size + place)),
        None => Ok(size),
    }
}

/// What has been found; or the end of the job, if something is wrong.
fn or_fault(call: &'static str, address: usize, found: Result<usize, FaultKind>) -> usize {
    found.unwrap_or_else(|kind| {
        let described = || CheckedBlock {
            size: word_of(address).map_or(0, |word| {
                // SAFETY:
                // - it lies in the block.
                unsafe { word.read_unaligned() & SIZE }
            }),
            owner: 0,
            allocated: report::Calls::default(),
            freed: None,
        };
        report::fault(Fault {
            call,
            address,
            kind,
            block: (kind != FaultKind::NoBlock).then(described),
        })
    })
}

c::functions_that_follow!();

extern "C" fn malloc(size: usize) -> *mut c_void {
    // SAFETY:
    // - it has no preconditions.
    begin(unsafe { c::malloc(size.saturating_add(MORE)) }, size)
}

extern "C" fn calloc(count: usize, size: usize) -> *mut c_void {
    match count.checked_mul(size) {
        // SAFETY:
        // - it has no preconditions.
        Some(total) => begin(unsafe { c::calloc(1, total.saturating_add(MORE)) }, total),
        None => c::too_much(),
    }
}

/// Frees a block of a rank or of the C library.
///
/// # Safety
///
/// As for `free` of C.
pub unsafe extern "C" fn free(block: *mut c_void) {
    // Blocks of a rank that has ended have lost their zones.
    if IS_DEBUG && arena::contains(block.addr()) && !is_of_ended(block.addr()) {
        or_fault("free", block.addr(), check(block.addr()));
        if let Some(word) = word_of(block.addr()) {
            // SAFETY:
            // - it lies in the block, which the caller frees.
            unsafe { word.write_unaligned(word.read_unaligned() & SIZE | FREED) };
        }
    }
    // SAFETY:
    // - as demanded of the caller.
    unsafe { c::free(block) }
}

/// Changes the size of a block of a rank or of the C library.
///
/// # Safety
///
/// As for `realloc` of C.
pub unsafe extern "C" fn realloc(block: *mut c_void, size: usize) -> *mut c_void {
    if block.is_null() && IS_DEBUG {
        return malloc(size);
    }
    if !IS_DEBUG || !arena::contains(block.addr()) {
        // SAFETY:
        // - as demanded of the caller.
        return unsafe { c::realloc(block, size) };
    }
    or_fault("realloc", block.addr(), check(block.addr()));
    if size == 0 {
        // SAFETY:
        // - the block is the caller's.
        unsafe { free(block) };
        return ptr::null_mut();
    }
    // SAFETY:
    // - the block is the caller's.
    begin(unsafe { c::realloc(block, size.saturating_add(MORE)) }, size)
}

/// A block of the calling context's heap, or of the C library, at a multiple of the alignment.
pub extern "C" fn memalign(alignment: usize, size: usize) -> *mut c_void {
    if !IS_DEBUG {
        return c::memalign(alignment, size);
    }
    begin(c::memalign(alignment, size.saturating_add(MORE)), size)
}

/// The number of bytes that the block has room for, a block of a rank or of the C library.
///
/// # Safety
///
/// As for `malloc_usable_size` of the C library.
pub unsafe extern "C" fn usable_size(block: *mut c_void) -> usize {
    match IS_DEBUG && arena::contains(block.addr()) {
        true => or_fault("malloc_usable_size", block.addr(), check(block.addr())),
        // SAFETY:
        // - as demanded of the caller.
        false => unsafe { c::usable_size(block) },
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::tests::as_rank;

    /// Blocks of all sizes, with their sizes.
    fn some() -> Vec<(usize, usize)> {
        let sizes = [0, 1, 8, 100, 1000, 5000, 40_000, 300_000, 5 << 20];
        let plain = sizes.map(|size| (malloc(size).addr(), size));
        let zeroed = sizes.map(|size| (calloc(1, size).addr(), size));
        let aligned = sizes.map(|size| (memalign(8 << 20, size).addr(), size));
        [plain, zeroed, aligned].concat()
    }

    fn change(address: usize) {
        // SAFETY:
        // - the tests change zones of their own blocks.
        unsafe { *(address as *mut u8) ^= 1 };
    }

    #[test]
    fn a_write_behind_a_block_is_seen_with_its_place() {
        as_rank(|_| {
            for (block, size) in some() {
                assert_eq!(check(block), Ok(size));
                for place in [0, 1, ZONE - 1] {
                    change(block + size + place);
                    assert_eq!(check(block), Err(FaultKind::Overrun(size + place)));
                    change(block + size + place);
                }
                // SAFETY:
                // - the block is this test's.
                unsafe { free(block as *mut c_void) };
                assert!(
                    matches!(check(block), Err(FaultKind::Freed | FaultKind::NoBlock)),
                    "{size}"
                );
            }
        });
    }

    #[test]
    fn blocks_have_zones_wherever_they_are_resized() {
        as_rank(|_| {
            let mut block = malloc(3);
            for size in [1, 40, 7, 3000, 60_000, 1, 9 << 20, 30 << 20, 70_000, 12] {
                // SAFETY:
                // - the block is this test's.
                block = unsafe { realloc(block, size) };
                assert_eq!(check(block.addr()), Ok(size));
                change(block.addr() + size);
                assert_eq!(check(block.addr()), Err(FaultKind::Overrun(size)));
                change(block.addr() + size);
            }
        });
    }
}
