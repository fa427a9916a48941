//! The run queue of a worker: one thread uses it all the time, and another one may steal everything now and then.
//!
//! # Protocol
//!
//! * The owner brackets each use: it stores `in_use`, issues a light fence, and reads `steals`. While a steal is under
//!   way it waits for the end of that one. After the use it clears `in_use`.
//! * A thief makes `steals` odd, issues a heavy fence, and reads `in_use`. If the queue is in use the thief takes
//!   nothing; otherwise it takes everything, since the owner waits before the next use. Then it makes `steals` even.
//!
//! With the two fences either the thief sees the use, or the owner sees the steal. So the owner pays two plain stores
//! and a load of its own line, and a steal costs a system call. Steals are numbered, so that an owner that waits for
//! one does not wait for the next, which finds the queue in use.

use std::cell::UnsafeCell;

use super::{IntrusiveQueue, Node};
use crate::sync::asymmetric_fence::{heavy_fence, light_fence};
use crate::sync::{AtomicBool, AtomicU32, Ordering, wait_for};

/// A queue with an owner, from which one other thread at a time may steal everything.
pub struct RunQueue<T: Node> {
    queue: UnsafeCell<IntrusiveQueue<T>>,
    in_use: AtomicBool,
    /// Twice the number of steals that are over, and one more during a steal.
    steals: AtomicU32,
}

// SAFETY:
// - the queue is used by its owner, by the promise of `with`, and by one thief, by that of `steal_all`, which exclude
//   each other as described above; its elements may be used by any thread.
unsafe impl<T: Node + Sync> Sync for RunQueue<T> {}
// SAFETY:
// - a queue may be sent to another thread.
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
            queue: UnsafeCell::new(IntrusiveQueue::new()),
            in_use: AtomicBool::new(false),
            steals: AtomicU32::new(0),
        }
    }

    /// Uses the queue.
    ///
    /// # Safety
    ///
    /// The caller is the owner: nobody else calls this, except after the caller has passed the queue on. `f` neither
    /// uses the queue otherwise nor panics.
    #[inline]
    pub unsafe fn with<R>(&self, f: impl FnOnce(&mut IntrusiveQueue<T>) -> R) -> R {
        // Relaxed: the fence orders it before the load.
        self.in_use.store(true, Ordering::Relaxed);
        // Pairs with the heavy fence in `steal_all`: see the protocol.
        light_fence();
        // Acquire pairs with the Release at the end of `steal_all`.
        let steal = self.steals.load(Ordering::Acquire);
        if !steal.is_multiple_of(2) {
            self.await_steal(steal);
        }
        // SAFETY:
        // - this is the owner, and a thief that comes from now on sees that the queue is in use.
        let result = f(unsafe { &mut *self.queue.get() });
        // Release pairs with the Acquire in `steal_all`.
        self.in_use.store(false, Ordering::Release);
        result
    }

    /// Waits for the end of the steal with this number.
    #[cold]
    fn await_steal(&self, steal: u32) {
        // Acquire: as in `with`.
        wait_for(|| (self.steals.load(Ordering::Acquire) != steal).then_some(()));
    }

    /// Steals everything, unless the owner is just using the queue.
    ///
    /// # Safety
    ///
    /// Only one thread at a time calls this.
    pub unsafe fn steal_all(&self) -> IntrusiveQueue<T> {
        // Relaxed: only thieves write it, one at a time.
        let steal = self.steals.load(Ordering::Relaxed).wrapping_add(1);
        self.steals.store(steal, Ordering::SeqCst);
        heavy_fence();
        // Acquire pairs with the Release in `with`.
        let taken = match self.in_use.load(Ordering::Acquire) {
            true => IntrusiveQueue::new(),
            // SAFETY:
            // - the owner is not within a use, and waits for the end of the steal before the next one.
            false => std::mem::take(unsafe { &mut *self.queue.get() }),
        };
        // Release pairs with the Acquire in `with`.
        self.steals.store(steal.wrapping_add(1), Ordering::Release);
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
    fn everything_is_taken_once_by_the_owner_or_by_a_thief() {
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
                with(&mut |queue| queue.push_back(item));
                if step % 3 == 0 {
                    with(&mut |queue| kept += u64::from(queue.pop_front().is_some()));
                }
            }
            with(&mut |queue| kept += std::mem::take(queue).len() as u64);
            over.store(true, Ordering::Release);
            stolen.fetch_add(kept, Ordering::Relaxed);
        });
        assert_eq!(stolen.into_inner(), ITEMS);
    }
}
