//! The functions of C, as the programs of ranks call them.
//!
//! Blocks that do not come from the arena are the C library's, and go back to it: those that it has allocated itself,
//! those of contexts that belong to no rank, and those for which the arena has no addresses.

use std::ffi::{c_int, c_void};
use std::ptr;

use crate::arena::SEGMENT;
use crate::mallinfo::{mallinfo, mallinfo2};
use crate::page::{Block, Page};
use crate::rank_heaps::current;
use crate::segment::Segment;
use crate::size_class::{self, ALIGNMENT};
use crate::{Heap, account, arena, common, context, notice, report, reserved};

/// The largest alignment that blocks of size classes have.
pub(crate) const ALIGNMENT_OF_CLASSES: usize = 4096;
/// The size from which on a block is moved by moving its pages.
const MOVED: usize = SEGMENT;
/// The size of a page of memory.
const MEMORY_PAGE: usize = 4096;

/// A function of C, by name, with its address.
type Function = (&'static str, usize);

/// The functions that give blocks and take them, as the calling module defines them.
macro_rules! functions_of_blocks {
    () => {
        [
            ("malloc", malloc as *const () as usize),
            ("calloc", calloc as *const () as usize),
            ("realloc", realloc as *const () as usize),
            ("reallocarray", reallocarray as *const () as usize),
            ("free", free as *const () as usize),
            ("posix_memalign", posix_memalign as *const () as usize),
            ("aligned_alloc", memalign as *const () as usize),
            ("memalign", memalign as *const () as usize),
            ("valloc", valloc as *const () as usize),
            ("pvalloc", pvalloc as *const () as usize),
            ("malloc_usable_size", usable_size as *const () as usize),
        ]
    };
}
pub(crate) use functions_of_blocks;

/// The functions that follow from `malloc`, `realloc` and `memalign` of the calling module.
macro_rules! functions_that_follow {
    () => {
        unsafe extern "C" fn reallocarray(block: *mut c_void, count: usize, size: usize) -> *mut c_void {
            match count.checked_mul(size) {
                // SAFETY:
                // - the block is the caller's.
                Some(size) => unsafe { realloc(block, size) },
                None => crate::c::too_much(),
            }
        }

        unsafe extern "C" fn posix_memalign(
            result: *mut *mut c_void,
            alignment: usize,
            size: usize,
        ) -> std::ffi::c_int {
            // SAFETY:
            // - the caller has given a place for the result.
            unsafe { crate::c::posix_memalign_by(memalign, result, alignment, size) }
        }

        extern "C" fn valloc(size: usize) -> *mut c_void {
            memalign(crate::c::ALIGNMENT_OF_CLASSES, size)
        }

        extern "C" fn pvalloc(size: usize) -> *mut c_void {
            match size.checked_next_multiple_of(crate::c::ALIGNMENT_OF_CLASSES) {
                Some(size) => valloc(size),
                None => crate::c::too_much(),
            }
        }
    };
}
pub(crate) use functions_that_follow;

functions_that_follow!();

/// The functions of C that come from here, by name, with their addresses.
pub(crate) fn functions() -> Vec<Function> {
    with_others(functions_of_blocks!())
}

/// These functions, and those that are about all blocks of a rank.
pub(crate) fn with_others<const N: usize>(of_blocks: [Function; N]) -> Vec<Function> {
    let others = [
        ("malloc_trim", malloc_trim as *const () as usize),
        ("mallinfo", mallinfo as *const () as usize),
        ("mallinfo2", mallinfo2 as *const () as usize),
    ];
    of_blocks.into_iter().chain(others).collect()
}

/// Most calls take a free block of a page. All others go on in another function, by a jump: those are functions of C,
/// which do not unwind, so that this one needs no stack.
pub(crate) unsafe extern "C" fn malloc(size: usize) -> *mut c_void {
    // SAFETY:
    // - heaps stay where they are.
    let Some(heap) = (unsafe { context::heap().as_ref() }) else {
        return malloc_slowly(size);
    };
    if size > size_class::NEAR {
        return malloc_further(heap, size);
    }
    of_class(heap, size_class::near(size), size)
}

/// [`malloc`] of more than [`size_class::NEAR`] bytes.
#[inline(never)]
extern "C" fn malloc_further(heap: &Heap, size: usize) -> *mut c_void {
    if size > size_class::LARGEST {
        return malloc_single(heap, size);
    }
    of_class(heap, size_class::far(size), size)
}

/// [`malloc`] of more than [`size_class::LARGEST`] bytes.
#[inline(never)]
extern "C" fn malloc_single(heap: &Heap, size: usize) -> *mut c_void {
    or_else(heap.allocate_single(size, ALIGNMENT, false), || {
        of_c_library(size)
    })
}

#[inline(always)]
fn of_class(heap: &Heap, class: usize, size: usize) -> *mut c_void {
    let block = heap.magazine(class).pop();
    match block.is_null() {
        true => refilled(heap, class, size),
        false => block.cast(),
    }
}

#[inline(never)]
extern "C" fn refilled(heap: &Heap, class: usize, size: usize) -> *mut c_void {
    or_else(heap.refill(class, size).cast(), || of_c_library(size))
}

#[inline(never)]
extern "C" fn malloc_slowly(size: usize) -> *mut c_void {
    match current() {
        Some(heap) => or_else(heap.allocate(size), || of_c_library(size)),
        None => of_c_library(size),
    }
}

#[cold]
fn of_c_library(size: usize) -> *mut c_void {
    if account::is_refused(size) {
        return too_much();
    }
    // SAFETY:
    // - it has no preconditions.
    unsafe { libc::malloc(size) }
}

pub(crate) unsafe extern "C" fn calloc(count: usize, size: usize) -> *mut c_void {
    let Some(total) = count.checked_mul(size) else {
        return too_much();
    };
    let block = current().map_or(ptr::null_mut(), |heap| heap.allocate_zeroed(total));
    or_else(block, || match account::is_refused(total) {
        true => too_much(),
        // SAFETY:
        // - it has no preconditions.
        false => unsafe { libc::calloc(count, size) },
    })
}

/// Frees a block of a rank or of the C library. As in `malloc`, the functions in which it goes on are those of C.
///
/// # Safety
///
/// As for `free` of C.
pub(crate) unsafe extern "C" fn free(block: *mut c_void) {
    let address = block.addr();
    if !arena::contains(address) {
        // SAFETY:
        // - the block is the C library's, or null (caller).
        return unsafe { libc::free(block) };
    }
    let block = block.cast::<Block>();
    // SAFETY:
    // - the block is one of a heap (caller), and heaps stay where they are;
    // - nobody uses the block any more.
    unsafe {
        let segment = Segment::of_block(address);
        match context::heap().as_ref() {
            Some(heap) if heap.keep(segment, block) => (),
            Some(heap) if ptr::eq(segment.heap(), heap) => heap.free_further(segment, block),
            _ => free_of_another(segment.heap(), block),
        }
    }
}

/// Frees a block of a heap that is not the calling context's.
///
/// # Safety
///
/// The header of the block's segment names this heap. If there is such a heap, the block is one of it, and nobody uses
/// it any more.
#[inline(never)]
unsafe extern "C" fn free_of_another(heap: *const Heap, block: *mut Block) {
    if !Segment::may_be_heap(heap) {
        // SAFETY:
        // - as demanded of the caller.
        return unsafe { free_in_common(block) };
    }
    // SAFETY:
    // - heaps stay where they are; the rest is demanded of the caller.
    unsafe { (*heap).remote.push(block) }
}

/// Frees a block of a common segment.
///
/// # Safety
///
/// The block's segment is that of no heap alone. If the block is one of some heap, nobody uses it any more.
unsafe fn free_in_common(block: *mut Block) {
    // SAFETY:
    // - the arena has memory there, and what has been taken of it begins with headers.
    let (segment, page) = unsafe { page_of(block.cast()) };
    let heap = segment.heap_at(block.addr());
    if !Segment::may_be_heap(heap) {
        report::no_block("free", block.addr());
    }
    // SAFETY:
    // - heaps stay where they are; the rest is demanded of the caller.
    unsafe {
        match ptr::eq(heap, context::heap()) {
            true => (*heap).free_local(page, block),
            false => (*heap).remote.push(block),
        }
    }
}

/// Changes the size of a block of a rank or of the C library.
///
/// # Safety
///
/// As for `realloc` of C.
pub(crate) unsafe extern "C" fn realloc(block: *mut c_void, size: usize) -> *mut c_void {
    if !arena::contains(block.addr()) {
        if block.is_null() {
            // SAFETY:
            // - it has no preconditions.
            return unsafe { malloc(size) };
        }
        // SAFETY:
        // - the block is the C library's (caller).
        return unsafe { libc::realloc(block, size) };
    }
    if size == 0 {
        // SAFETY:
        // - the block is the caller's.
        unsafe { free(block) };
        return ptr::null_mut();
    }
    // SAFETY:
    // - the block is the caller's.
    unsafe { resize(block, size) }
}

/// Changes the size of a block of a heap, which may move.
///
/// # Safety
///
/// The block is the caller's, and the size is not 0.
unsafe fn resize(block: *mut c_void, size: usize) -> *mut c_void {
    // SAFETY:
    // - the block is one of a heap, and in use (caller).
    let (segment, page) = unsafe { page_of(block) };
    if !page.has_block(block.addr()) {
        report::no_block("realloc", block.addr());
    }
    // SAFETY:
    // - as above.
    let now = unsafe { page.room_at(block.addr()) };
    if size <= now && (size > now / 2 || now <= size_class::NEAR) {
        return block;
    }
    let heap = current();
    if let Some(heap) = heap
        && ptr::eq(heap, segment.heap_at(block.addr()))
        && size > size_class::LARGEST
        && heap.resize(page, block.addr(), size)
    {
        return block;
    }
    // The pages of a long block can be moved to one that begins at the same distance from a page.
    let alike = heap.filter(|_| now >= MOVED && size >= MOVED);
    let alike = alike.map_or(ptr::null_mut(), |heap| heap.allocate_alike(block.addr(), size));
    // SAFETY:
    // - the new block has room for the bytes of both; the old one is the caller's.
    unsafe {
        let new = or_else(alike, || malloc(size));
        if !new.is_null() {
            move_contents(block, new, now.min(size));
            free(block);
        }
        new
    }
}

/// Moves bytes from an old block to a new one. Nobody reads them in the old one any more.
///
/// # Safety
///
/// Both are blocks of the caller, at least as large, and not the same.
unsafe fn move_contents(old: *mut c_void, new: *mut c_void, size: usize) {
    let head = old.addr().wrapping_neg() % MEMORY_PAGE;
    let is_alike = arena::contains(new.addr()) && (old.addr() ^ new.addr()).is_multiple_of(MEMORY_PAGE);
    if size >= MOVED && is_alike && !reserved::are_wanted() {
        let whole = (size - head) & !(MEMORY_PAGE - 1);
        for block in [old, new] {
            notice::pages_go(block.addr() + head, whole);
        }
        // SAFETY:
        // - both ranges are whole pages of blocks of the caller. The old one stays mapped, and is zero then.
        let moved = unsafe {
            libc::mremap(
                old.byte_add(head),
                whole,
                whole,
                libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED | libc::MREMAP_DONTUNMAP,
                new.byte_add(head),
            )
        };
        if moved == new.wrapping_byte_add(head) {
            let tail = head + whole;
            // SAFETY:
            // - what is before and behind those pages lies in both blocks.
            return unsafe {
                ptr::copy_nonoverlapping(old.cast::<u8>(), new.cast::<u8>(), head);
                ptr::copy_nonoverlapping(
                    old.byte_add(tail).cast::<u8>(),
                    new.byte_add(tail).cast::<u8>(),
                    size - tail,
                );
            };
        }
        // Linux before 6.17 refuses to move a piece of several mappings, but unmaps the new place first.
        // SAFETY:
        // - nobody has written to the new block yet.
        unsafe { arena::renew(new.addr() + head, whole) };
    }
    // SAFETY:
    // - as demanded of the caller.
    unsafe { ptr::copy_nonoverlapping(old.cast::<u8>(), new.cast::<u8>(), size) };
}

/// `posix_memalign` by means of `memalign`.
///
/// # Safety
///
/// The result is a place for an address.
pub(crate) unsafe fn posix_memalign_by(
    memalign: extern "C" fn(usize, usize) -> *mut c_void,
    result: *mut *mut c_void,
    alignment: usize,
    size: usize,
) -> c_int {
    if !alignment.is_power_of_two() || !alignment.is_multiple_of(size_of::<*mut c_void>()) {
        return libc::EINVAL;
    }
    let before = errno();
    let block = memalign(alignment, size);
    if block.is_null() {
        set_errno(before);
        return libc::ENOMEM;
    }
    // SAFETY:
    // - the caller has given a place for the result.
    unsafe { *result = block };
    0
}

/// As glibc: an alignment that is not a power of two is raised to the next one.
pub(crate) fn known_alignment(alignment: usize) -> usize {
    alignment.max(1).checked_next_power_of_two().unwrap_or(usize::MAX)
}

/// A block of the calling context's heap, or of the C library, at a multiple of the alignment.
pub(crate) extern "C" fn memalign(alignment: usize, size: usize) -> *mut c_void {
    let alignment = known_alignment(alignment);
    let block = current().map_or(ptr::null_mut(), |heap| heap.allocate_aligned(size, alignment));
    or_else(block, || match account::is_refused(size) {
        true => too_much(),
        // SAFETY:
        // - it has no preconditions.
        false => unsafe { libc::memalign(alignment, size) },
    })
}

/// The number of bytes that the block has room for, a block of a rank or of the C library.
///
/// # Safety
///
/// As for `malloc_usable_size` of the C library.
pub(crate) unsafe extern "C" fn usable_size(block: *mut c_void) -> usize {
    if !arena::contains(block.addr()) {
        // SAFETY:
        // - the block is the C library's, or null (caller).
        return unsafe { libc::malloc_usable_size(block) };
    }
    // SAFETY:
    // - the block is one of a heap, and in use (caller).
    unsafe { page_of(block).1.room_at(block.addr()) }
}

/// Gives free memory back to the system: that of the caller's heap, and that of the C library.
unsafe extern "C" fn malloc_trim(kept: usize) -> c_int {
    let heap = current().is_some_and(|heap| {
        heap.bring_home();
        heap.release_empty();
        let is_much = heap.dirty.get() > 0;
        heap.purge();
        common::purge();
        is_much
    });
    // SAFETY:
    // - it has no preconditions.
    c_int::from(unsafe { libc::malloc_trim(kept) } != 0 || heap)
}

/// The segment and the page of a block.
///
/// # Safety
///
/// The block is one of a heap.
unsafe fn page_of(block: *mut c_void) -> (&'static Segment, &'static Page) {
    // SAFETY:
    // - as demanded of the caller.
    let segment = unsafe { Segment::of_block(block.addr()) };
    (segment, segment.page_at(block.addr()))
}

/// The block of a heap; or, if there is none, what the C library gives. It sets the error if that is none, either.
#[inline(always)]
fn or_else(block: *mut u8, other: impl FnOnce() -> *mut c_void) -> *mut c_void {
    if block.is_null() { other() } else { block.cast() }
}

/// Null, with the error that C expects.
pub(crate) fn too_much() -> *mut c_void {
    set_errno(libc::ENOMEM);
    ptr::null_mut()
}

fn errno() -> c_int {
    // SAFETY:
    // - the address is that of the calling thread's variable.
    unsafe { *libc::__errno_location() }
}

#[cold]
fn set_errno(error: c_int) {
    // SAFETY:
    // - as above.
    unsafe { *libc::__errno_location() = error };
}

impl Heap {
    /// A block; null if there is no memory.
    #[inline(always)]
    pub(crate) fn allocate(&self, size: usize) -> *mut u8 {
        if size <= size_class::NEAR {
            self.allocate_of(size_class::near(size), size).cast()
        } else {
            self.allocate_further(size)
        }
    }

    #[inline(never)]
    fn allocate_further(&self, size: usize) -> *mut u8 {
        if size <= size_class::LARGEST {
            self.allocate_of(size_class::of(size), size).cast()
        } else {
            self.allocate_single(size, ALIGNMENT, false)
        }
    }

    /// A block of zeros. A large one consists of slices of its own: those that come from the system are zeros, and are
    /// not touched.
    pub(crate) fn allocate_zeroed(&self, size: usize) -> *mut u8 {
        if size > size_class::LARGEST_OF_MANY {
            return self.allocate_single(size, ALIGNMENT, true);
        }
        let block: *mut u8 = self.allocate_of(size_class::of(size), size).cast();
        if !block.is_null() {
            // SAFETY:
            // - the block is new, and large enough.
            unsafe { ptr::write_bytes(block, 0, size) };
        }
        block
    }

    /// A block at an address that is a multiple of `alignment`, a power of two, or more than any address.
    fn allocate_aligned(&self, size: usize, alignment: usize) -> *mut u8 {
        if alignment <= ALIGNMENT {
            return self.allocate(size);
        }
        if !alignment.is_power_of_two() {
            return ptr::null_mut();
        }
        if alignment > ALIGNMENT_OF_CLASSES {
            return self.allocate_single(size, alignment, false);
        }
        // Pages begin at multiples of any such alignment, and so do blocks if their size is one.
        let Some(size) = size.max(1).checked_next_multiple_of(alignment) else {
            return ptr::null_mut();
        };
        if size > size_class::LARGEST {
            return self.allocate_single(size, alignment, false);
        }
        match size_class::aligned(size, alignment) {
            Some(class) => self.allocate_aligned_of(class, alignment),
            None => self.allocate_single(size, alignment, false),
        }
    }

    /// A block of a class with a size that is a multiple of the alignment. The first blocks of a class, which are with
    /// those of other sizes, may be at other addresses.
    fn allocate_aligned_of(&self, class: usize, alignment: usize) -> *mut u8 {
        let size = size_class::size_of_class(class);
        let block = self.allocate_of(class, size);
        if block.addr().is_multiple_of(alignment) {
            return block.cast();
        }
        self.end_first(class);
        let aligned = self.allocate_of(class, size);
        // SAFETY:
        // - the block was taken just now from a page of this heap.
        unsafe { self.free_local(page_of(block.cast()).1, block) };
        aligned.cast()
    }
}
