//! The record before each block of a rank whose blocks are checked, and the red zone behind the block.
//!
//! A record begins with a mark that depends on its address, so what is no record is hardly taken for one. The mark says
//! whether the block is in use. Whoever frees it changes the mark by a compare-and-swap: of several that do so at the
//! same time, one has freed it, and the others are told.

use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::arena;
use crate::report::{Calls, CheckedBlock, FaultKind};
use crate::segment::{Segment, WHOLE};
use crate::single::FIRST;

/// The bytes of a record, which are before the block.
pub(super) const RECORD: usize = size_of::<Record>();
/// The bytes behind a block that nobody may write to.
pub(super) const ZONE: usize = 64;

/// What the bytes of a red zone have.
const PATTERN: u8 = 0xfb;
/// The bytes between the fields of a record and the block, which have the same.
const GUARD: usize = 32;

/// The marks of blocks in use, and of those that have been freed.
const USED: usize = 0x5157_a3c9_04e2_8d6b;
const FREED: usize = 0x2c0b_96f1_d358_7ae4;
/// The mark of [`Forward`].
const FORWARD: usize = 0x71d4_0b8e_c62f_95a3;

/// A record. It ends where the block begins.
#[repr(C, align(16))]
pub(super) struct Record {
    mark: AtomicUsize,
    /// The bytes that were asked for.
    size: usize,
    /// The block of the heap of which this is a part, from its beginning.
    whole: usize,
    allocated: Calls,
    freed: Cell<Calls>,
    /// The record of the block that was freed next, of those that wait for their end.
    pub(super) next: Cell<*const Record>,
    guard: [u8; GUARD],
}

/// What a heap's block begins with if the record does not: where that is.
#[repr(C)]
struct Forward {
    mark: usize,
    record: usize,
}

/// What is wrong with an address or a block, and the block.
pub(super) type Wrong = (FaultKind, Option<CheckedBlock>);

fn mark(of: usize, address: usize) -> usize {
    of ^ address.rotate_left(20)
}

impl Record {
    /// Makes a block of a heap's block, which begins at `whole` and has room for record, block and zone. Returns the
    /// address of the block.
    ///
    /// # Safety
    ///
    /// All these bytes are the caller's, `address` is a multiple of 16, and at least [`RECORD`] bytes behind `whole`.
    pub(super) unsafe fn begin(whole: usize, address: usize, size: usize, allocated: Calls) -> *mut u8 {
        let record = (address - RECORD) as *mut Self;
        // SAFETY:
        // - as demanded of the caller.
        unsafe {
            record.write(Self {
                mark: AtomicUsize::new(mark(USED, record.addr())),
                size,
                whole,
                allocated,
                freed: Cell::default(),
                next: Cell::new(ptr::null()),
                guard: [PATTERN; GUARD],
            });
            if record.addr() != whole {
                (whole as *mut Forward).write(Forward {
                    mark: mark(FORWARD, whole),
                    record: record.addr(),
                });
            }
            let block = address as *mut u8;
            block.add(size).write_bytes(PATTERN, ZONE);
            block
        }
    }

    /// The record of the block that begins at the address.
    pub(super) fn of(address: usize) -> Result<&'static Self, Wrong> {
        let found = Self::find(address, USED);
        found.ok_or_else(|| match Self::find(address, FREED) {
            Some(record) => (FaultKind::Freed, Some(record.describe())),
            None => around(address),
        })
    }

    /// A record with this mark before the address.
    fn find(address: usize, of: usize) -> Option<&'static Self> {
        let at = address.wrapping_sub(RECORD);
        let is_readable = address.is_multiple_of(16) && arena::is_usable(at) && arena::is_usable(address);
        // SAFETY:
        // - the arena has memory there, which stays mapped; with this mark it is a record.
        let record = unsafe { (at as *const Self).as_ref() }.filter(|_| is_readable)?;
        (record.mark.load(Ordering::Acquire) == mark(of, at)).then_some(record)
    }

    /// Checks whether something has been written around the block.
    pub(super) fn check(&self) -> Result<(), Wrong> {
        let wrong = |kind| Err((kind, Some(self.describe())));
        if self.guard != [PATTERN; GUARD] {
            return wrong(FaultKind::Underrun);
        }
        // SAFETY:
        // - the zone is behind each block that has a record.
        let zone = unsafe { &*((self.address() + self.size) as *const [u8; ZONE]) };
        match zone.iter().position(|byte| *byte != PATTERN) {
            Some(place) => wrong(FaultKind::Overrun(self.size + place)),
            None => Ok(()),
        }
    }

    /// Marks the block as freed.
    pub(super) fn free(&self, freed: Calls) -> Result<(), Wrong> {
        let at = ptr::from_ref(self).addr();
        // AcqRel: what others have done with the block comes before its end, and what is done to its record after it.
        let marked = self.mark.compare_exchange(
            mark(USED, at),
            mark(FREED, at),
            Ordering::AcqRel,
            Ordering::Acquire,
        );
        if marked.is_err() {
            return Err((FaultKind::Freed, Some(self.describe())));
        }
        self.freed.set(freed);
        Ok(())
    }

    /// The address of the block.
    pub(super) fn address(&self) -> usize {
        ptr::from_ref(self).addr() + RECORD
    }

    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// The block of the heap.
    pub(super) fn whole(&self) -> usize {
        self.whole
    }

    fn describe(&self) -> CheckedBlock {
        let freed = self.freed.get();
        CheckedBlock {
            size: self.size,
            owner: owner_of(self.whole),
            allocated: self.allocated,
            freed: (freed != Calls::default()).then_some(freed),
        }
    }
}

/// The address of the heaps of the rank that a block of a heap belongs to.
fn owner_of(whole: usize) -> usize {
    // SAFETY:
    // - the block is one of a heap, and heaps stay where they are.
    unsafe { Segment::of_block(whole).heap_at(whole).as_ref() }
        .map_or(0, |heap| ptr::from_ref(heap.of()).addr())
}

/// What there is at an address at which no block begins: the block in which it lies, if it is a short one in use.
fn around(address: usize) -> Wrong {
    let whole = arena::is_usable(address).then(|| whole_around(address)).flatten();
    match whole.and_then(in_use_in) {
        Some(record) if address > record.address() && address - record.address() < record.size => (
            FaultKind::Inside(address - record.address()),
            Some(record.describe()),
        ),
        _ => (FaultKind::NoBlock, None),
    }
}

/// The beginning of the heap's block around an address, in use or not; none if there is no page.
fn whole_around(address: usize) -> Option<usize> {
    // SAFETY:
    // - the arena has memory there. If what is read is no header of a segment, it hardly names a heap.
    let segment = unsafe { Segment::of(address) };
    let page = match segment.list() {
        Some(WHOLE) => segment.page(FIRST),
        _ => segment.page_at(address),
    };
    let is_there = Segment::may_be_heap(segment.heap_at(address)) && page.block() != 0;
    let wholes = is_there.then(|| page.blocks()).into_iter().flatten();
    wholes.take_while(|whole| *whole <= address).last()
}

/// The record of a block in use that has the whole block of a heap.
pub(super) fn in_use_in(whole: usize) -> Option<&'static Record> {
    // SAFETY:
    // - the whole block is memory of the arena, and so large.
    let forward = unsafe { &*(whole as *const Forward) };
    let at = match forward.mark == mark(FORWARD, whole) {
        true => forward.record,
        false => whole,
    };
    Record::find(at.wrapping_add(RECORD), USED).filter(|record| record.whole == whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_leave_blocks_aligned() {
        assert_eq!(RECORD % 16, 0);
        assert_eq!(std::mem::offset_of!(Record, guard) + GUARD, RECORD);
    }
}
