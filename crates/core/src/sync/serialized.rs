//! A promise of the caller that uses are serialized, so that locks can be skipped.

use super::{AtomicBool, Ordering};

/// Whether those that share something are serialized by the program, as with `MPI_THREAD_SERIALIZED`.
#[derive(Debug, Default)]
pub struct Serialized(AtomicBool);

impl Serialized {
    /// Has the promise hold from now on.
    ///
    /// # Safety
    ///
    /// Until [`Serialized::end`], what is locked with these turns is locked by one thread after the other, each seeing
    /// what the ones before have done; and so is `end` called.
    pub unsafe fn begin(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Ends the promise.
    pub fn end(&self) {
        self.0.store(false, Ordering::SeqCst);
    }

    /// Whether the promise holds.
    #[inline]
    #[must_use]
    pub fn holds(&self) -> bool {
        // Relaxed: each thread sees what those before it have written.
        self.0.load(Ordering::Relaxed)
    }
}
