//! The datatypes that have been made for sections last.
//!
//! A program passes sections of the same form again and again: the faces of its arrays. A datatype that describes one
//! costs more to make than a short message, so the last ones are kept. Only those of predefined datatypes are, since
//! the handle of another one may come to stand for something else. They are freed before MPI ends.
//!
//! A call finds the datatype by what the compiler has passed, compared as it comes, and need not tell when it no longer
//! uses it. So the call can end in a jump to the C function, and two rules say what may be freed:
//!
//! * As long as one thread alone has looked for datatypes, that thread frees them: to keep another one, or because a
//!   session ends. It is not in a call that uses them then, but for the call for which it makes the other one. That
//!   call can use one datatype from here already, the one that was found last, which is left alone.
//! * When a second thread has come, what is here stays until the world model ends. A datatype for which there is no
//!   room is freed by the call that has made it.

use core::arch::asm;
use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicUsize, Ordering};

use crate::foreign::*;

use super::lock::Locked;
use super::{Descriptor, Dimension, End};

/// The datatypes that are kept, and the dimensions of a section that has one.
const KEPT: usize = 64;
const MAX_DIMENSIONS: usize = 4;

/// The places of a datatype: so many, from the one that its key gives.
const WINDOW: usize = 4;

/// The handles below this number are those of predefined datatypes.
const FIRST_MADE: usize = 4096;

/// A datatype describes the first `count` elements of a section, or all elements at its only distance if `count` is 0.
#[derive(Clone, Copy)]
pub(super) struct Key {
    datatype: usize,
    count: i64,
    element: usize,
    rank: usize,
    /// The number of elements and the distance of each dimension.
    dimensions: [(isize, isize); MAX_DIMENSIONS],
}

impl Key {
    /// That of a section; `None` if its datatype is not kept.
    fn of(section: &Descriptor, count: i64, datatype: MPI_Datatype) -> Option<Self> {
        let dimensions = section.dimensions();
        if datatype.0 >= FIRST_MADE || dimensions.len() > MAX_DIMENSIONS {
            return None;
        }
        let mut key = Self {
            datatype: datatype.0,
            count,
            element: section.element,
            rank: dimensions.len(),
            dimensions: [(0, 0); MAX_DIMENSIONS],
        };
        for (place, &Dimension { extent, stride, .. }) in key.dimensions.iter_mut().zip(dimensions) {
            *place = (extent, stride);
        }
        Some(key)
    }

    /// Whether this is the key of a section.
    #[inline]
    fn is_of(&self, section: &Descriptor, count: i64, datatype: MPI_Datatype) -> bool {
        let mut pairs = self.dimensions.iter().zip(first_dimensions(section));
        self.datatype == datatype.0
            && self.count == count
            && self.element == section.element
            && self.rank == section.dimensions().len()
            && pairs.all(|(own, other)| *own == (other.extent, other.stride))
    }
}

/// The dimensions of a section, up to as many as a key has.
#[inline]
fn first_dimensions(section: &Descriptor) -> impl Iterator<Item = &Dimension> {
    let dimensions = section.dimensions();
    // In this form the compiler makes no loop of it.
    (0..MAX_DIMENSIONS).map_while(|index| dimensions.get(index))
}

/// The first place of the datatype for a section.
#[inline]
fn home(section: &Descriptor, count: i64, datatype: MPI_Datatype) -> usize {
    let mut sum = (count as u64).rotate_left(32) ^ datatype.0 as u64;
    for dimension in first_dimensions(section) {
        sum = sum.rotate_left(13) ^ (dimension.extent as u64).wrapping_add((dimension.stride as u64) << 20);
    }
    (sum.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - KEPT.ilog2())) as usize
}

/// The places of a datatype, from its first one on.
#[inline]
fn window(home: usize) -> impl Iterator<Item = usize> + Clone {
    (home..home + WINDOW).map(|place| place % KEPT)
}

/// A place for a datatype.
struct Entry {
    /// The datatype that has been made; 0 for none.
    made: AtomicUsize,
    key: UnsafeCell<Key>,
}

// SAFETY:
// - the key is written under the lock, while there is no datatype or one thread alone looks for datatypes. It is read
//   after the datatype, which is stored after the key.
unsafe impl Sync for Entry {}

impl Entry {
    const fn empty() -> Self {
        Self {
            made: AtomicUsize::new(0),
            key: UnsafeCell::new(Key {
                datatype: 0,
                count: 0,
                element: 0,
                rank: 0,
                dimensions: [(0, 0); MAX_DIMENSIONS],
            }),
        }
    }

    fn is_empty(&self) -> bool {
        self.made.load(Ordering::Relaxed) == 0
    }

    /// Puts a datatype here, and takes the one that was here. The caller holds the lock.
    fn replace(&self, key: Key, made: MPI_Datatype) -> MPI_Datatype {
        let old = self.take();
        // SAFETY:
        // - nobody reads the key: there is no datatype, and whoever has seen the old one is this thread itself.
        unsafe { self.key.get().write(key) };
        self.made.store(made.0, Ordering::Release);
        old
    }

    /// Takes the datatype that is here. The caller holds the lock.
    fn take(&self) -> MPI_Datatype {
        MPI_Datatype(self.made.swap(0, Ordering::Relaxed))
    }
}

static ENTRIES: [Entry; KEPT] = [const { Entry::empty() }; KEPT];

/// The place of the datatype that was found or kept last.
static LATEST: AtomicUsize = AtomicUsize::new(KEPT);

/// The thread that looks for datatypes: 0 before the first one has come, `SEVERAL` when a second one has. Changed under
/// the lock.
static USER: AtomicUsize = AtomicUsize::new(0);
const SEVERAL: usize = usize::MAX;

/// Held to change what is here. The value picks the one of the full places that gets another datatype.
static CHANGES: Locked<usize> = Locked::new(0);

/// The calling thread, by its thread pointer.
#[inline]
fn this_thread() -> usize {
    let pointer;
    // SAFETY:
    // - the first word that the thread pointer points to is the pointer itself.
    unsafe { asm!("mov {}, fs:0", out(reg) pointer, options(nostack, readonly, preserves_flags)) };
    pointer
}

/// Whether the calling thread alone looks for datatypes.
#[inline]
fn is_alone() -> bool {
    USER.load(Ordering::Relaxed) == this_thread()
}

/// Notes that the calling thread looks for datatypes. If it is the second one, nothing is freed from now on, and it
/// sees what the first one has done.
#[cold]
fn come() {
    CHANGES.with(|_| {
        let user = match USER.load(Ordering::Relaxed) {
            0 => this_thread(),
            _ => SEVERAL,
        };
        USER.store(user, Ordering::Relaxed);
    });
}

/// The datatype for a section, if it is kept; 0 otherwise.
#[inline]
pub(super) fn find(section: &Descriptor, count: i64, datatype: MPI_Datatype) -> MPI_Datatype {
    if !is_alone() && USER.load(Ordering::Relaxed) != SEVERAL {
        come();
    }
    let home = home(section, count, datatype);
    match look(home, section, count, datatype) {
        MPI_Datatype(0) => look_behind(home, section, count, datatype),
        made => made,
    }
}

/// The datatype at a place, if it is the one for a section; 0 otherwise.
#[inline]
fn look(place: usize, section: &Descriptor, count: i64, datatype: MPI_Datatype) -> MPI_Datatype {
    let Some(entry) = ENTRIES.get(place) else {
        return MPI_Datatype(0);
    };
    let made = entry.made.load(Ordering::Acquire);
    // SAFETY:
    // - the key was stored before the datatype that was loaded, and stays as long as that is here.
    if made == 0 || !unsafe { &*entry.key.get() }.is_of(section, count, datatype) {
        return MPI_Datatype(0);
    }
    LATEST.store(place, Ordering::Relaxed);
    MPI_Datatype(made)
}

/// The datatype for a section at the places behind the first one.
#[cold]
fn look_behind(home: usize, section: &Descriptor, count: i64, datatype: MPI_Datatype) -> MPI_Datatype {
    let mut found = window(home).map(|place| look(place, section, count, datatype));
    found.find(|made| made.0 != 0).unwrap_or(MPI_Datatype(0))
}

/// Keeps a datatype that has just been made for a section. Says whether there is room for it.
pub(super) fn keep(section: &Descriptor, count: i64, datatype: MPI_Datatype, made: MPI_Datatype) -> bool {
    let Some(key) = Key::of(section, count, datatype) else {
        return false;
    };
    let home = home(section, count, datatype);
    let old = CHANGES.with(|turn| {
        let entry = |place: usize| ENTRIES.get(place);
        let is_empty = |place: &usize| entry(*place).is_some_and(Entry::is_empty);
        let may_go = |place: &usize| is_alone() && *place != LATEST.load(Ordering::Relaxed);
        *turn = (*turn + 1) % WINDOW;
        let mut full = window(home).cycle().skip(*turn).take(WINDOW);
        let place = window(home).find(is_empty).or_else(|| full.find(may_go))?;
        LATEST.store(place, Ordering::Relaxed);
        Some(entry(place)?.replace(key, made))
    });
    old.map(free).is_some()
}

/// Frees all datatypes, unless another thread may use them.
pub(super) fn clear(ends: End) {
    let may_free = |user| ends == End::World || user == 0 || user == this_thread();
    for entry in &ENTRIES {
        let old = CHANGES.with(|_| may_free(USER.load(Ordering::Relaxed)).then(|| entry.take()));
        if let Some(old) = old {
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
