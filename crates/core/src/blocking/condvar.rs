//! A condition variable for execution contexts.

use super::mutex::{MutexGuard, Waiters};
use crate::execution::Completion;
use crate::sync::SpinLock;

/// Lets execution contexts wait until another one says that something under a [`crate::Mutex`] has changed.
#[derive(Default)]
pub struct Condvar {
    waiters: SpinLock<Waiters>,
}

impl Condvar {
    /// A condition variable for which nobody waits.
    #[must_use]
    pub fn new() -> Self {
        Self {
            waiters: SpinLock::new(Waiters::default()),
        }
    }

    /// Unlocks the mutex, waits to be notified, and locks the mutex again. There are no spurious wake-ups.
    pub fn wait<'a, T: ?Sized>(&self, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        let notified = Completion::new();
        let mutex = guard.mutex;
        // SAFETY:
        // - `notified` lives until `wait` returns, that is, until it is done.
        unsafe { self.waiters.lock().push(&notified) };
        drop(guard);
        notified.wait();
        mutex.lock()
    }

    /// Wakes the oldest waiter.
    pub fn notify_one(&self) {
        self.waiters.lock().complete_first();
    }

    /// Wakes all waiters.
    pub fn notify_all(&self) {
        let mut waiters = std::mem::take(&mut *self.waiters.lock());
        while waiters.complete_first() {}
    }
}
