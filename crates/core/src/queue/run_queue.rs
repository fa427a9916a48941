//! What a worker has ready: a queue that one thread uses all the time, and that another may empty now and then.
//!
//! The owner brackets each use by plain stores. A thief says that it has come, has a barrier put into the owner's
//! thread, and looks whether the owner is within a use: if so it goes away again, otherwise the owner waits for it
//! before the next one. So the owner pays two plain stores and a load of its own line, and a steal_all is a system
//! call. Raids are numbered, as who waits for one need not wait for the next: that finds the queue in use.

use std::cell::UnsafeCell;

use crate::queue::{IntrusiveQueue, Node};
use crate::sync::asymmetric_fence::{heavy_fence, light_fence};
use crate::sync::{AtomicBool, AtomicU32, Ordering, back_off, relax};

/// Looks at a steal_all that does not end before its victim offers its core to others: the thief may need it.
const SPINS: u32 = 200;

/// A queue with an owner, from which one other thread at a time may take everything.
pub struct RunQueue<T: Node> {
    chain: UnsafeCell<IntrusiveQueue<T>>,
    in_use: AtomicBool,
    /// Twice the number of steals that are over, and one more during a steal_all.
    steals: AtomicU32,
}

// SAFETY:
// - the chain is used by its owner, by the promise of `with`, and by one thief, by that of `steal_all`, which exclude
//   each other as described above; its elements may be used by any thread.
unsafe impl<T: Node + Sync> Sync for RunQueue<T> {}
// SAFETY:
// - a chain may be sent to another thread.
unsafe impl<T: Node + Sync> Send for RunQueue<T> {}

impl<T: Node> Default for RunQueue<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Node> RunQueue<T> {
    /// An empty queue.
    #[must_use]
    pub fn new() -> Self {
        Self {
            chain: UnsafeCell::new(IntrusiveQueue::new()),
            in_use: AtomicBool::new(false),
            steals: AtomicU32::new(0),
        }
    }

    /// Uses the queue.
    ///
    /// # Safety
    ///
    /// The caller is the owner: nobody else calls this, save after the caller has passed the queue on. `f` neither uses
    /// the queue nor panics.
    #[inline]
    pub unsafe fn with<R>(&self, f: impl FnOnce(&mut IntrusiveQueue<T>) -> R) -> R {
        // Relaxed: the barrier orders it before the load.
        self.in_use.store(true, Ordering::Relaxed);
        // Pairs with the heavy one in `steal_all`: either the thief sees that the queue is in use, or this one the
        // steal_all.
        light_fence();
        // Acquire pairs with the Release at the end of `steal_all`.
        let steal_all = self.steals.load(Ordering::Acquire);
        if !steal_all.is_multiple_of(2) {
            self.await_steal(steal_all);
        }
        // SAFETY:
        // - this is the owner, and thieves that come from now on see that the queue is in use.
        let result = f(unsafe { &mut *self.chain.get() });
        // Release pairs with the Acquire in `steal_all`.
        self.in_use.store(false, Ordering::Release);
        result
    }

    /// Waits for the end of this steal_all.
    #[cold]
    fn await_steal(&self, steal_all: u32) {
        let mut looks = 0;
        // Acquire: as in `with`.
        while self.steals.load(Ordering::Acquire) == steal_all {
            looks += 1;
            if looks < SPINS {
                relax();
            } else {
                back_off(looks - SPINS);
            }
        }
    }

    /// Takes everything, unless the owner is just using the queue.
    ///
    /// # Safety
    ///
    /// One thread at a time steals.
    pub unsafe fn steal_all(&self) -> IntrusiveQueue<T> {
        // Relaxed: thieves alone write it, one at a time.
        let steal_all = self.steals.load(Ordering::Relaxed).wrapping_add(1);
        self.steals.store(steal_all, Ordering::SeqCst);
        heavy_fence();
        // Acquire pairs with the Release in `with`.
        let taken = match self.in_use.load(Ordering::Acquire) {
            true => IntrusiveQueue::new(),
            // SAFETY:
            // - the owner is not within a use, and waits for the end of the steal_all before the next.
            false => std::mem::take(unsafe { &mut *self.chain.get() }),
        };
        // Release pairs with the Acquire in `with`.
        self.steals.store(steal_all.wrapping_add(1), Ordering::Release);
        taken
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::sync::{AtomicPtr, AtomicU64};
    use std::ptr;
    use std::thread;

    struct Item(AtomicPtr<Item>);

    // SAFETY:
    // - `link` is one field; items are leaked.
    unsafe impl Node for Item {
        fn link(&self) -> &AtomicPtr<Item> {
            &self.0
        }
    }

    #[test]
    fn everything_is_taken_once_by_the_owner_or_by_raiders() {
        const ITEMS: u64 = 200_000;
        assert!(crate::sync::asymmetric_fence::enable_heavy_fence());
        let (ready, over) = (RunQueue::new(), AtomicBool::new(false));
        let stolen = AtomicU64::new(0);
        thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(Ordering::Acquire) {
                    // SAFETY:
                    // - this is the only thread that steals.
                    let taken = unsafe { ready.steal_all() };
                    stolen.fetch_add(taken.len() as u64, Ordering::Relaxed);
                }
            });
            let mut kept = 0;
            // SAFETY:
            // - this is the only thread that uses it so.
            let with = |f: &mut dyn FnMut(&mut IntrusiveQueue<Item>)| unsafe { ready.with(f) };
            for step in 0..ITEMS {
                let item = &*Box::leak(Box::new(Item(AtomicPtr::new(ptr::null_mut()))));
                with(&mut |chain| chain.push_back(item));
                if step % 3 == 0 {
                    with(&mut |chain| kept += u64::from(chain.pop_front().is_some()));
                }
            }
            with(&mut |chain| kept += std::mem::take(chain).len() as u64);
            over.store(true, Ordering::Release);
            stolen.fetch_add(kept, Ordering::Relaxed);
        });
        assert_eq!(stolen.into_inner(), ITEMS);
    }
}
