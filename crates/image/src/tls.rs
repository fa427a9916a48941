//! Thread-local storage of ranks.
//!
//! Code in an executable reaches its thread-local variables at a fixed negative distance from the thread pointer, as
//! module 1. The host has no such variables but reserves the room, so each rank's program finds its own block there,
//! and below it those of its private libraries: at the same distances in every rank, so relocations that name them
//! are constants. glibc clears the whole reservation for every thread: it should be no larger than needed.

use std::ffi::c_void;
use std::ops::Range;

use crate::elf::{Elf, Segment};

/// The thread-local storage that a program and its private libraries need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TlsNeed {
    /// Bytes below the thread pointer.
    pub size: u64,
    /// Greatest alignment; a power of two, at most 4096.
    pub align: u64,
}

/// The smallest alignment that glibc gives to a thread's control block.
pub(crate) const MIN_ALIGN: u64 = 64;

/// The storage for libraries that ranks load while they run, where the program has a use for it. Those of the run-times
/// of Fortran, C++ and OpenMP take 8, 32 and 136 bytes.
pub(crate) const ROOM_FOR_ADDITIONS: u64 = 1024;

/// Distances of blocks below the thread pointer, handed out one after the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Allocator {
    used: u64,
    align: u64,
}

impl Allocator {
    /// Places a block; the program's must be the first one.
    pub(crate) fn place(&mut self, segment: &Segment) -> u64 {
        let align = segment.align.max(1);
        // The start must be congruent to the segment's address: that is where the linker aligned its variables.
        let least = self.used + segment.mem_size;
        let distance = least + (segment.vaddr.wrapping_neg().wrapping_sub(least) & (align - 1));
        self.used = distance;
        self.align = self.align.max(align);
        distance
    }

    /// The storage that all blocks placed so far need.
    pub(crate) fn need(&self) -> TlsNeed {
        TlsNeed {
            size: self.used.next_multiple_of(MIN_ALIGN),
            align: self.align.max(MIN_ALIGN),
        }
    }
}

/// The block of one object.
#[derive(Debug)]
struct Block {
    distance: u64,
    /// Where the initial values of its first bytes lie in the image of each rank. They may be addresses of the image,
    /// so they are not the same in all ranks.
    initial: Range<usize>,
    size: u64,
}

/// All the blocks of a rank's threads.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    blocks: Vec<Block>,
}

impl Layout {
    /// Adds the room for blocks that are placed later. Threads begin with zeros in it.
    pub(crate) fn add_room(&mut self, storage: &Allocator, reservation: u64) {
        self.blocks.push(Block {
            distance: reservation,
            initial: 0..0,
            size: reservation - storage.used,
        });
    }

    /// Adds the block of the object at `offset` in the image, at its distance from the thread pointer.
    pub(crate) fn add(&mut self, elf: &Elf<'_>, offset: u64, segment: &Segment, distance: u64) {
        let is_mapped = elf
            .loads()
            .any(|load| load.vaddr <= segment.vaddr && segment.file_end() <= load.file_end());
        let initial = if is_mapped {
            (offset + segment.vaddr) as usize..(offset + segment.file_end()) as usize
        } else {
            0..0
        };
        self.blocks.push(Block {
            distance,
            initial,
            size: segment.mem_size,
        });
    }

    /// Gives the calling thread fresh thread-local variables, those of the rank whose image begins at `image`.
    ///
    /// # Safety
    /// The calling thread's reservation must hold all the blocks, and no code that uses them may have run on it. The
    /// image must be mapped, and its words adjusted to its address.
    pub(crate) unsafe fn start_thread(&self, image: usize) {
        let thread_pointer = thread_pointer();
        for block in &self.blocks {
            let start = (thread_pointer - block.distance as usize) as *mut u8;
            let initial = (image + block.initial.start) as *const u8;
            // SAFETY:
            // - the block lies in the reservation below the thread pointer (caller);
            // - the initial values lie in a segment of the image, which is mapped (caller, and checked in `add`);
            // - there are no more of them than the block has room for: checked when the file was parsed.
            unsafe {
                std::ptr::write_bytes(start, 0, block.size as usize);
                std::ptr::copy_nonoverlapping(initial, start, block.initial.len());
            }
        }
    }

    /// [`Layout::start_thread`] as the shim calls it.
    ///
    /// # Safety
    /// As there; `layout` must point to a `Layout`.
    pub(crate) unsafe extern "C" fn start_thread_hook(layout: *const c_void, image: usize) {
        // SAFETY: both conditions are the caller's.
        unsafe { (*layout.cast::<Layout>()).start_thread(image) }
    }
}

/// The thread pointer of the calling thread.
pub(crate) fn thread_pointer() -> usize {
    let value: usize;
    // SAFETY: on x86-64 the word at fs:0 is the thread pointer itself; reading it has no effect.
    unsafe { std::arch::asm!("mov {}, fs:0", out(reg) value, options(nostack, readonly, preserves_flags)) };
    value
}
