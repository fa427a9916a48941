//! The datatypes that have been made for sections last.
//!
//! A program passes sections of the same form again and again: the faces of its arrays. A datatype that describes one
//! costs more to make than a short message, so the last ones are kept. Only those of predefined datatypes are, since
//! the handle of another one may come to stand for something else. They are freed before MPI ends.
//!
//! A call finds the datatype by what the compiler has passed, compared as it comes. Each slot has a lock of its own for
//! many readers or one writer, which nobody waits for: a call that uses the slot's datatype is a reader until it has
//! returned. The slot is free for another datatype while it has none.

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::foreign::*;

use super::{Descriptor, Dimension};

/// The datatypes that are kept, and the dimensions of a section that has one.
const KEPT: usize = 16;
const MAX_DIMENSIONS: usize = 4;

/// The handles below this number are those of predefined datatypes.
const FIRST_MADE: usize = 4096;

/// What a datatype describes: the first `count` elements of a section, or all elements at its only distance if `count`
/// is 0.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Key {
    datatype: usize,
    count: i64,
    element: usize,
    /// The number of elements and the distance of each dimension.
    dimensions: [(isize, isize); MAX_DIMENSIONS],
}

impl Key {
    /// The key of no datatype.
    const NONE: Self = Self {
        datatype: 0,
        count: 0,
        element: 0,
        dimensions: [(1, 0); MAX_DIMENSIONS],
    };

    /// That of a section; `None` if its datatype is not kept.
    #[inline]
    pub(super) fn of(section: &Descriptor, count: i64, datatype: MPI_Datatype) -> Option<Self> {
        let dimensions = section.dimensions();
        if datatype.0 >= FIRST_MADE || dimensions.len() > MAX_DIMENSIONS {
            return None;
        }
        let mut key = Self {
            datatype: datatype.0,
            count,
            element: section.element,
            ..Self::NONE
        };
        for (place, &Dimension { extent, stride, .. }) in key.dimensions.iter_mut().zip(dimensions) {
            *place = (extent, stride);
        }
        Some(key)
    }

    /// A number that is the same for equal keys, and not 0. The products do not wait for one another.
    #[inline]
    fn tag(&self) -> u64 {
        let mut factor = 0x9e37_79b9_7f4a_7c15_u64;
        let mut sum = 0_u64;
        let mut add = |word: u64| {
            sum = sum.wrapping_add(word.wrapping_mul(factor));
            factor = factor.wrapping_mul(0xd134_2543_de82_ef95);
        };
        add(self.datatype as u64);
        add(self.count as u64);
        add(self.element as u64);
        for (extent, stride) in self.dimensions {
            add(extent as u64);
            add(stride as u64);
        }
        sum | 1
    }
}

/// The place of the datatype with this tag where no other one has taken it.
#[inline]
fn home(tag: u64) -> usize {
    (tag >> (u64::BITS - KEPT.ilog2())) as usize
}

/// The state of a slot that is being written. The number of readers otherwise.
const WRITER: u32 = 1 << 31;

/// A place for a datatype.
#[repr(align(64))]
struct Slot {
    state: AtomicU32,
    content: UnsafeCell<(Key, MPI_Datatype)>,
}

// SAFETY:
// - the content is written while the state is `WRITER`, and read by those who have counted themselves as readers
//   before.
unsafe impl Sync for Slot {}

impl Slot {
    const fn empty() -> Self {
        Self {
            state: AtomicU32::new(0),
            content: UnsafeCell::new((Key::NONE, MPI_Datatype(0))),
        }
    }

    /// The datatype of a key, if it is here. The caller is a reader then.
    #[inline]
    fn read(&self, key: &Key) -> Option<MPI_Datatype> {
        if self.state.fetch_add(1, Ordering::Acquire) & WRITER == 0 {
            // SAFETY:
            // - this is a reader, and there is no writer.
            let (found, datatype) = unsafe { &*self.content.get() };
            if found == key && datatype.0 != 0 {
                return Some(*datatype);
            }
        }
        self.leave();
        None
    }

    /// A reader needs the datatype no longer.
    #[inline]
    fn leave(&self) {
        self.state.fetch_sub(1, Ordering::Release);
    }

    /// Puts a datatype here unless the one that is here is in use, and returns that one. The caller is a reader then.
    fn write(&self, key: Key, datatype: MPI_Datatype) -> Option<MPI_Datatype> {
        self.state
            .compare_exchange(0, WRITER, Ordering::Acquire, Ordering::Relaxed)
            .ok()?;
        // SAFETY:
        // - this is the writer, and there are no readers: those who come meanwhile see the writer and go.
        let (_, old) = unsafe { self.content.get().replace((key, datatype)) };
        self.state.fetch_sub(WRITER - 1, Ordering::Release);
        Some(old)
    }
}

static SLOTS: [Slot; KEPT] = [const { Slot::empty() }; KEPT];

/// The tags of the datatypes in the slots: where to look. 0 for none.
static TAGS: [AtomicU64; KEPT] = [const { AtomicU64::new(0) }; KEPT];

/// A datatype that a call uses, and its slot.
#[derive(Clone, Copy)]
pub(super) struct Used {
    pub(super) datatype: MPI_Datatype,
    slot: &'static Slot,
}

/// The datatype for a key, if it is kept.
#[inline]
pub(super) fn find(key: &Key) -> Option<Used> {
    let tag = key.tag();
    (home(tag)..KEPT).chain(0..home(tag)).find_map(|place| {
        // Relaxed: the tag is a hint, the slot has the key.
        let is_here = TAGS.get(place)?.load(Ordering::Relaxed) == tag;
        let slot = SLOTS.get(place).filter(|_| is_here)?;
        let datatype = slot.read(key)?;
        Some(Used { datatype, slot })
    })
}

/// Keeps a datatype that has just been made, unless all that are kept are in use.
pub(super) fn keep(key: Key, made: MPI_Datatype) -> Option<Used> {
    let tag = key.tag();
    let is_free = |place: &usize| {
        let tag = TAGS.get(*place);
        tag.is_some_and(|tag| tag.load(Ordering::Relaxed) == 0)
    };
    let place = (0..KEPT).find(is_free).unwrap_or(home(tag));
    let slot = SLOTS.get(place)?;
    let old = slot.write(key, made)?;
    TAGS.get(place)?.store(tag, Ordering::Relaxed);
    free(old);
    Some(Used { datatype: made, slot })
}

impl Used {
    /// The call no longer uses it.
    #[inline]
    pub(super) fn release(self) {
        self.slot.leave();
    }
}

/// Frees all that are not in use.
pub(super) fn clear() {
    for (slot, tag) in SLOTS.iter().zip(&TAGS) {
        if let Some(old) = slot.write(Key::NONE, MPI_Datatype(0)) {
            tag.store(0, Ordering::Relaxed);
            slot.leave();
            free(old);
        }
    }
}

fn free(mut datatype: MPI_Datatype) {
    if datatype.0 != 0 {
        // SAFETY:
        // - the datatype has been made here, and is freed once.
        unsafe { PMPI_Type_free(&raw mut datatype) };
    }
}
