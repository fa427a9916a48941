//! A reusable barrier for a fixed number of execution contexts.

use super::wait_list::WaitList;
use crate::sync::{AtomicUsize, Ordering};

/// A barrier at which a fixed number of execution contexts wait for each other, again and again.
///
/// The last one to arrive releases all others with one splice per worker.
pub struct Barrier {
    parties: usize,
    arrived: AtomicUsize,
    generation: AtomicUsize,
    list: WaitList,
}

impl Barrier {
    /// A barrier of `parties` execution contexts.
    ///
    /// # Panics
    ///
    /// When `parties` is zero.
    #[must_use]
    pub fn new(parties: usize) -> Self {
        assert!(parties > 0, "a barrier needs at least one party");
        Self {
            parties,
            arrived: AtomicUsize::new(0),
            generation: AtomicUsize::new(0),
            list: WaitList::new(),
        }
    }

    /// Waits until all parties have called this. Returns true for one of them, the last one to arrive.
    pub fn wait(&self) -> bool {
        // Relaxed: it cannot change before this party has arrived.
        let generation = self.generation.load(Ordering::Relaxed);
        // AcqRel: the last to arrive sees what the others did before; pairs with the same of the others.
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.parties {
            self.arrived.store(0, Ordering::Relaxed);
            // Release pairs with the Acquire below.
            self.generation
                .store(generation.wrapping_add(1), Ordering::Release);
            self.list.release_all();
            return true;
        }
        self.list
            .wait_while(|| self.generation.load(Ordering::Acquire) == generation);
        false
    }
}
