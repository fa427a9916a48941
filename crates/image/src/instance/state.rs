//! What a host has to know of a rank's images to unmap them and to map them again.

use std::ffi::c_int;
use std::ops::Range;

use crate::arena::Place;
use crate::linked_program::SHIM;
use crate::load::{self, FilePart};

/// Tells what the images of a rank are made of, and whether threads run in them.
#[derive(Clone, Copy, Debug)]
pub struct ImageState {
    place: Place,
}

impl ImageState {
    pub(super) fn new(place: Place) -> ImageState {
        ImageState { place }
    }

    /// All parts that are mapped from files: those of the program and its libraries, and of what the rank has loaded
    /// since.
    pub fn file_parts(self) -> Vec<FilePart> {
        self.place.images().flat_map(load::file_parts).collect()
    }

    /// The parts of the program and of the rank's libraries that are of no file: large variables without initial
    /// values. The shim has none.
    pub fn unfilled_parts(self) -> Vec<Range<usize>> {
        self.place.images().flat_map(load::unfilled_parts).collect()
    }

    /// The number of threads of the rank besides its main one that may use its memory: as in [`ImageState::threads`],
    /// but without one that only waits for orders. Any thread may call this.
    pub fn memory_users(self) -> usize {
        self.count(self.place.program().symbols.memory_users)
    }

    /// The number of threads of the rank besides its main one: those that have begun or are about to, and have not
    /// ended as far as the program can see; and the one that waits in the place of the main one, once there is one.
    /// Called by the main thread.
    pub fn threads(self) -> usize {
        self.count(self.place.program().symbols.threads)
    }

    /// What a function of the shim counts.
    fn count(self, function: u64) -> usize {
        let address = self.place.base(SHIM) + function as usize;
        // SAFETY: the address is that of one of the shim's functions that count threads, which have this type.
        let count: unsafe extern "C" fn() -> c_int = unsafe { std::mem::transmute(address) };
        // SAFETY: the rank's copy is in place.
        usize::try_from(unsafe { count() }).unwrap_or(0)
    }
}
