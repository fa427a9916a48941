//! Writing out the buffers of a rank that does not end by itself.

use super::record::{Flush, FlushRuntime};
use crate::arena::Place;
use crate::linked_program::SHIM;

/// Writes out from outside what a rank has written, at the end of the job: what the C library and the run-time of
/// Fortran hold in their buffers.
#[derive(Clone, Copy, Debug)]
pub struct Flusher {
    place: Place,
}

impl Flusher {
    pub(super) fn new(place: Place) -> Flusher {
        Flusher { place }
    }

    /// Flushes the C streams that the rank is not using just now, and all units of Fortran. May be called on any thread
    /// that is not the rank's own, even after the rank has ended. The rank may still run.
    ///
    /// It waits for locks of the rank for a moment only. It may last where the rank's data is damaged, or where nobody
    /// takes what is written: a caller that cannot wait has to do this on a thread of its own.
    pub fn flush(self) {
        let symbols = &self.place.program().symbols;
        let shim = self.place.base(SHIM);
        // SAFETY: the address is that of the shim's function of this type.
        let flush: Flush = unsafe { std::mem::transmute(shim + symbols.flush as usize) };
        // SAFETY: the rank's copies are never unloaded, and the function takes the streams' locks or does nothing.
        unsafe { flush() }
        // SAFETY: as above.
        let flush: FlushRuntime = unsafe { std::mem::transmute(shim + symbols.flush_runtime as usize) };
        for place in self.place.images() {
            for (index, object) in place.program().objects.iter().enumerate() {
                let Some(runtime) = object.fortran().flush() else {
                    continue;
                };
                runtime.run(place.base(index), |function, argument| {
                    // SAFETY: the function is that of the run-time in this image, and gets the argument that it takes.
                    unsafe { flush(function, argument) }
                });
            }
        }
    }
}
