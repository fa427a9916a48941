//! The cells of attributes that Fortran has set.
//!
//! An attribute of C is a pointer; one of Fortran is an integer. What Fortran sets has to reach C as the address of the
//! integer, so the integer is stored in a cell, and the cell's address is the attribute. Fortran reads the cell again.
//! An attribute that is no cell has been set by C, and Fortran reads the pointer itself. A cell holds an address-sized
//! integer, of which an INTEGER is the low half, at the same address.
//!
//! Cells lie in chunks, by which they are known. A chunk is never given back, so a pointer can be compared with all
//! chunks without a lock.

use core::ffi::c_void;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicIsize, AtomicPtr, AtomicU64, Ordering};

use crate::memory::allocate;

/// Number of cells of a chunk: one for each bit of a word.
const NUMBER: usize = u64::BITS as usize;

/// Cells, and which of them are in use.
struct Chunk {
    next: *const Chunk,
    used: AtomicU64,
    cells: [AtomicIsize; NUMBER],
}

/// A list of chunks, the newest one first.
struct Cells {
    newest: AtomicPtr<Chunk>,
}

/// The cells of this rank.
static CELLS: Cells = Cells::new();

impl Cells {
    const fn new() -> Self {
        Self {
            newest: AtomicPtr::new(null_mut()),
        }
    }

    fn chunks(&self) -> impl Iterator<Item = &Chunk> {
        // SAFETY:
        // - a chunk is in the list only when it is complete, and is never given back.
        let at = |chunk: *const Chunk| unsafe { chunk.as_ref() };
        core::iter::successors(at(self.newest.load(Ordering::Acquire)), move |chunk| {
            at(chunk.next)
        })
    }

    /// Adds a chunk whose first cell holds `value`, and gives the address of this cell.
    fn extend(&self, value: isize) -> *mut c_void {
        let made: *mut Chunk = allocate(size_of::<Chunk>()).cast();
        // SAFETY:
        // - the memory has the size of a chunk, and nobody else has its address.
        let first = unsafe {
            made.write(Chunk {
                next: null_mut(),
                used: AtomicU64::new(1),
                cells: [const { AtomicIsize::new(0) }; NUMBER],
            });
            (&raw mut (*made).cells).cast::<isize>()
        };
        let mut newest = self.newest.load(Ordering::Relaxed);
        // SAFETY:
        // - as above, until the chunk is in the list.
        unsafe { first.write(value) };
        loop {
            // SAFETY:
            // - as above.
            unsafe { (*made).next = newest };
            let pushed = self
                .newest
                .compare_exchange(newest, made, Ordering::Release, Ordering::Relaxed);
            match pushed {
                Ok(_) => return first.cast(),
                Err(other) => newest = other,
            }
        }
    }

    /// A new cell that holds `value`.
    fn make(&self, value: isize) -> *mut c_void {
        let cell = self.chunks().find_map(Chunk::take);
        match cell {
            Some(cell) => {
                cell.store(value, Ordering::Relaxed);
                cell.as_ptr().cast()
            }
            None => self.extend(value),
        }
    }

    /// The chunk of a cell in use at this address, and the number of the cell.
    fn find(&self, address: *mut c_void) -> Option<(&Chunk, usize)> {
        self.chunks()
            .find_map(|chunk| Some((chunk, chunk.number(address)?)))
    }
}

impl Chunk {
    /// Takes a cell that is not in use.
    fn take(&self) -> Option<&AtomicIsize> {
        let free = |used: u64| (used != u64::MAX).then(|| used | (used + 1));
        let before = self
            .used
            .fetch_update(Ordering::Acquire, Ordering::Relaxed, free)
            .ok()?;
        self.cells.get(before.trailing_ones() as usize)
    }

    /// The number of the cell in use at this address.
    fn number(&self, address: *mut c_void) -> Option<usize> {
        let offset = address.addr().wrapping_sub(self.cells.as_ptr().addr());
        let number = offset / size_of::<isize>();
        let is_cell = number < NUMBER && offset.is_multiple_of(size_of::<isize>());
        (is_cell && self.used.load(Ordering::Relaxed) & 1 << number != 0).then_some(number)
    }
}

/// A new cell that holds `value`.
pub(super) fn make(value: isize) -> *mut c_void {
    CELLS.make(value)
}

/// The value of the cell at this address, if there is one.
pub(super) fn get(address: *mut c_void) -> Option<isize> {
    let (chunk, number) = CELLS.find(address)?;
    Some(chunk.cells.get(number)?.load(Ordering::Relaxed))
}

/// Gives the cell at this address back, if there is one.
pub(super) fn release(address: *mut c_void) {
    if let Some((chunk, number)) = CELLS.find(address) {
        chunk.used.fetch_and(!(1 << number), Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(cells: &Cells, address: *mut c_void) -> Option<isize> {
        let (chunk, number) = cells.find(address)?;
        Some(chunk.cells[number].load(Ordering::Relaxed))
    }

    #[test]
    fn cells_keep_their_values_over_many_chunks() {
        let cells = Cells::new();
        let made: Vec<_> = (0..300).map(|number| cells.make(-number)).collect();
        for (number, &address) in made.iter().enumerate() {
            assert_eq!(value(&cells, address), Some(-(number as isize)));
        }
        assert_eq!(cells.chunks().count(), 300_usize.div_ceil(NUMBER));
    }

    #[test]
    fn what_is_no_cell_is_not_taken_for_one() {
        let cells = Cells::new();
        let address = cells.make(7);
        assert_eq!(value(&cells, null_mut()), None);
        assert_eq!(value(&cells, address.wrapping_byte_add(1)), None);
        assert_eq!(value(&cells, address.wrapping_byte_add(8)), None, "not in use");
        assert_eq!(value(&cells, address.wrapping_byte_sub(8)), None);
    }

    #[test]
    fn threads_do_not_share_cells() {
        static SHARED: Cells = Cells::new();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                scope.spawn(move || {
                    for round in 0..200 {
                        let values = (0..20).map(|number| thread * 1_000_000 + round * 100 + number);
                        let made: Vec<_> = values.map(|number| (SHARED.make(number), number)).collect();
                        for (address, number) in made {
                            assert_eq!(value(&SHARED, address), Some(number));
                            let (chunk, cell) = SHARED.find(address).unwrap();
                            chunk.used.fetch_and(!(1 << cell), Ordering::Release);
                        }
                    }
                });
            }
        });
        assert!(SHARED.chunks().count() <= 8, "{}", SHARED.chunks().count());
    }

    #[test]
    fn a_cell_is_used_again() {
        let first = make(1);
        assert_eq!(get(first), Some(1));
        release(first);
        assert_eq!(get(first), None);
        release(first);
        assert_eq!(make(2), first);
        assert_eq!(get(first), Some(2));
    }
}
