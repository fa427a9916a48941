//! The addresses at which images lie.
//!
//! The images of a program are all of one size, so they lie at equal distances in arenas: ranges of addresses that are
//! reserved for twice as many each time one is full. So it takes a few comparisons and a division to find out which
//! image an address belongs to, however many there are, and neither memory nor a lock: the unwinder asks it for
//! each frame, in signal handlers too. Arenas are never given back.
//!
//! Where each rank has a range of addresses for all of its memory, the images of a program lie as far from each other
//! as the ranges. Then a place belongs to the arena only if an image is there: other ranks have images of other
//! programs.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::elf::{PAGE, page_up};
use crate::link_map::LinkMap;
use crate::linked_program::LinkedProgram;
use crate::memory;
use crate::object::Object;
use crate::ranges::ImageRanges;

/// A range of addresses with the images of one program.
#[derive(Debug)]
pub(crate) struct Arena {
    program: &'static LinkedProgram,
    start: usize,
    /// The size of an image, and the distance between images.
    size: usize,
    stride: usize,
    /// Whether they lie in ranges of ranks, at the same place in each.
    is_in_ranges: bool,
    /// For each image, the records of its objects, once they are in place.
    images: Box<[AtomicPtr<LinkMap>]>,
    /// For the image of a rank's program, the latest libraries that the rank has loaded while it ran.
    additions: Box<[AtomicPtr<Addition>]>,
    /// How many places have been taken. Changed under the lock only.
    taken: AtomicUsize,
    older: *const Arena,
}

// SAFETY: `older` points to an arena that is never freed, and what changes is atomic.
unsafe impl Send for Arena {}
// SAFETY: as above.
unsafe impl Sync for Arena {}

/// The newest arena of all programs. Each arena knows the one before it.
static NEWEST: AtomicPtr<Arena> = AtomicPtr::new(std::ptr::null_mut());

/// Held while an arena is added or a place is taken.
static GROWING: Mutex<()> = Mutex::new(());

/// The place of one image.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    arena: &'static Arena,
    index: usize,
}

/// Libraries that a rank has loaded while it ran, by one call of `dlopen`. They have an image of their own.
#[derive(Debug)]
pub(crate) struct Addition {
    pub(crate) place: Place,
    /// The number of the image in the order in which the rank has got them. The program's has number 0.
    pub(crate) number: usize,
    /// Whether later libraries are linked with these, too (`RTLD_GLOBAL`).
    pub(crate) is_global: AtomicBool,
    older: *const Addition,
}

// SAFETY: `older` points to an addition that is never freed.
unsafe impl Send for Addition {}
// SAFETY: as above.
unsafe impl Sync for Addition {}

/// An object of an image.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Located {
    pub(crate) place: Place,
    /// Its index among the program's objects.
    pub(crate) object: usize,
}

/// The size of a program's image, in whole pages, and its alignment.
fn extent(program: &LinkedProgram) -> (usize, usize) {
    let objects = &program.objects;
    let align = objects.iter().map(|object| object.elf().align());
    let size = objects.iter().map(Object::end).max().unwrap_or(0);
    (page_up(size) as usize, align.fold(PAGE, u64::max) as usize)
}

/// All arenas, the newest first.
pub(crate) fn arenas() -> impl Iterator<Item = &'static Arena> {
    let get = |pointer: *const Arena| {
        // SAFETY: null, or an arena that is never freed and was complete when the pointer to it was published.
        unsafe { pointer.as_ref() }
    };
    // Acquire: an arena is complete before it is the newest.
    std::iter::successors(get(NEWEST.load(Ordering::Acquire)), move |arena| get(arena.older))
}

/// The object that an address belongs to, if any.
pub(crate) fn locate(address: usize) -> Option<Located> {
    arenas().find_map(|arena| arena.locate(address))
}

impl Arena {
    /// Reserves addresses for a number of images.
    fn reserve(program: &'static LinkedProgram, places: usize) -> io::Result<&'static Arena> {
        let (size, align) = extent(program);
        let stride = size.next_multiple_of(align);
        let start = memory::reserve(stride * places, align)?;
        let arena = Arena::new(program, start, stride, places);
        Ok(Box::leak(Box::new(arena)))
    }

    /// An arena in ranges of ranks. In that of the first rank its image begins at `start`.
    fn in_ranges(program: &'static LinkedProgram, start: usize, ranges: ImageRanges) -> &'static Arena {
        let arena = Arena::new(program, start, ranges.distance, ranges.count);
        Box::leak(Box::new(Arena {
            is_in_ranges: true,
            taken: AtomicUsize::new(ranges.count),
            ..arena
        }))
    }

    fn new(program: &'static LinkedProgram, start: usize, stride: usize, places: usize) -> Arena {
        Arena {
            program,
            start,
            size: extent(program).0,
            stride,
            is_in_ranges: false,
            images: (0..places).map(|_| AtomicPtr::default()).collect(),
            additions: (0..places).map(|_| AtomicPtr::default()).collect(),
            taken: AtomicUsize::new(0),
            // Relaxed: the caller holds the lock, under which it is changed.
            older: NEWEST.load(Ordering::Relaxed),
        }
    }

    /// Makes it the newest. The caller holds the lock.
    fn publish(&'static self) {
        // Release: see `arenas`.
        NEWEST.store(std::ptr::from_ref(self).cast_mut(), Ordering::Release);
    }

    fn take(&'static self) -> Option<Place> {
        // Relaxed: the caller holds the lock.
        let index = self.taken.load(Ordering::Relaxed);
        if index == self.images.len() {
            return None;
        }
        self.taken.store(index + 1, Ordering::Relaxed);
        Some(Place { arena: self, index })
    }

    fn locate(&'static self, address: usize) -> Option<Located> {
        let distance = address.checked_sub(self.start)?;
        let (index, within) = (distance / self.stride, (distance % self.stride) as u64);
        if index >= self.images.len() || within >= self.size as u64 {
            return None;
        }
        let place = Place { arena: self, index };
        if self.is_in_ranges && place.records().is_null() {
            return None;
        }
        let objects = &self.program.objects;
        let object = objects
            .partition_point(|object| object.offset <= within)
            .checked_sub(1)?;
        (within < objects[object].end()).then_some(Located { place, object })
    }

    /// The images that are in place.
    pub(crate) fn images(&'static self) -> impl Iterator<Item = Place> {
        // Relaxed: one that is missed is not in place yet.
        (0..self.taken.load(Ordering::Relaxed))
            .map(move |index| Place { arena: self, index })
            .filter(|place| !place.records().is_null())
    }
}

impl Place {
    /// Takes a place for an image of a program.
    pub(crate) fn take(program: &'static LinkedProgram) -> io::Result<Place> {
        let _growing = GROWING.lock().unwrap_or_else(PoisonError::into_inner);
        let own = || arenas().filter(|arena| std::ptr::eq(arena.program, program));
        if let Some(place) = own().find_map(Arena::take) {
            return Ok(place);
        }
        let so_far: usize = own().map(|arena| arena.images.len()).sum();
        // Where addresses are short (ulimit -v), there may be enough for one image.
        let arena = Arena::reserve(program, so_far.max(1)).or_else(|_| Arena::reserve(program, 1))?;
        arena.publish();
        arena.take().ok_or_else(|| io::ErrorKind::OutOfMemory.into())
    }

    /// Takes the place at `from`, or where its alignment is met behind that, in the range of a rank. No other image
    /// lies there.
    pub(crate) fn take_in_range(
        program: &'static LinkedProgram,
        ranges: ImageRanges,
        rank: usize,
        from: usize,
    ) -> io::Result<Place> {
        let (size, align) = extent(program);
        let address = from.next_multiple_of(align);
        let room = ranges.images(rank);
        if rank >= ranges.count || size > room.end.saturating_sub(address) {
            return Err(io::Error::other(format!(
                "{size} bytes do not fit into the rank's range of addresses: make it longer with --rank-range"
            )));
        }
        let start = address - rank * ranges.distance;
        let _growing = GROWING.lock().unwrap_or_else(PoisonError::into_inner);
        let is_its = |arena: &&Arena| {
            arena.is_in_ranges && arena.start == start && std::ptr::eq(arena.program, program)
        };
        let arena = arenas().find(is_its).unwrap_or_else(|| {
            let new = Arena::in_ranges(program, start, ranges);
            new.publish();
            new
        });
        Ok(Place { arena, index: rank })
    }

    /// Its number among the places of its arena: that of its rank's range, if it lies in such a one.
    pub(crate) fn index(self) -> usize {
        self.index
    }

    /// The end of the images of a rank. This is the image of its program.
    pub(crate) fn end_of_images(self) -> usize {
        let ends = self.images().map(|place| place.addresses().end);
        ends.max().unwrap_or(0)
    }

    /// Its program.
    pub(crate) fn program(self) -> &'static LinkedProgram {
        self.arena.program
    }

    /// The beginning of the image.
    pub(crate) fn address(self) -> usize {
        self.arena.start + self.index * self.arena.stride
    }

    /// All addresses of the image.
    pub(crate) fn addresses(self) -> std::ops::Range<usize> {
        self.address()..self.address() + self.arena.size
    }

    /// The address at which address 0 of an object lies.
    pub(crate) fn base(self, object: usize) -> usize {
        self.address() + self.arena.program.objects[object].offset as usize
    }

    /// The records of its objects, an array; null until the image is in place.
    pub(crate) fn records(self) -> *mut LinkMap {
        // Acquire: the image is in place before they are there.
        self.arena.images[self.index].load(Ordering::Acquire)
    }

    /// The libraries that the rank has loaded while it ran, the latest first. This is the image of its program.
    pub(crate) fn additions(self) -> impl Iterator<Item = &'static Addition> {
        let get = |pointer: *const Addition| {
            // SAFETY: null, or an addition that is never freed and was complete when the pointer to it was published.
            unsafe { pointer.as_ref() }
        };
        // Acquire: an addition is complete before it is the latest.
        let latest = self.arena.additions[self.index].load(Ordering::Acquire);
        std::iter::successors(get(latest), move |addition| get(addition.older))
    }

    /// The images of a rank: this one, of its program, and then those of what it has loaded, the latest first.
    pub(crate) fn images(self) -> impl Iterator<Item = Place> {
        std::iter::once(self).chain(self.additions().map(|addition| addition.place))
    }

    /// Adds an image with libraries that the rank has loaded. The caller keeps others from doing so at the same time.
    pub(crate) fn add(self, place: Place, is_global: bool) {
        // Relaxed: nobody else changes it meanwhile (caller).
        let latest = self.arena.additions[self.index].load(Ordering::Relaxed);
        let addition = Box::leak(Box::new(Addition {
            place,
            number: self.additions().count() + 1,
            is_global: AtomicBool::new(is_global),
            older: latest,
        }));
        // Release: see `additions`.
        self.arena.additions[self.index].store(addition, Ordering::Release);
    }

    /// Publishes the image as being in place.
    pub(crate) fn set_records(self, records: *mut LinkMap) {
        // Release: see `records`.
        self.arena.images[self.index].store(records, Ordering::Release);
    }
}

impl Located {
    /// The object.
    pub(crate) fn object(self) -> &'static Object<'static> {
        &self.place.program().objects[self.object]
    }

    /// The address at which its address 0 lies.
    pub(crate) fn base(self) -> usize {
        self.place.base(self.object)
    }

    /// Its record; null until the image is in place.
    pub(crate) fn record(self) -> *mut LinkMap {
        let records = self.place.records();
        if records.is_null() {
            return records;
        }
        // SAFETY: there is a record for each object.
        unsafe { records.add(self.object) }
    }
}
