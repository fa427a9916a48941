//! A mutex that suspends the execution context, not its kernel thread.

use std::cell::UnsafeCell;
use std::collections::VecDeque;
use std::ops::{Deref, DerefMut};

use crate::execution::Completion;
use crate::sync::SpinLock;

/// Mutual exclusion for execution contexts. The holder may suspend. Waiters get the mutex in the order of their
/// arrival.
pub struct Mutex<T: ?Sized> {
    state: SpinLock<State>,
    value: UnsafeCell<T>,
}

#[derive(Default)]
struct State {
    held: bool,
    waiters: Waiters,
}

/// Completions on the stacks of suspended execution contexts, oldest first.
#[derive(Default)]
pub(crate) struct Waiters(VecDeque<*const Completion>);

// SAFETY:
// - a pointer is used once, by `complete_first`, while the frame it points into waits for that very use.
unsafe impl Send for Waiters {}

impl Waiters {
    /// Adds an event.
    ///
    /// # Safety
    ///
    /// The event stays where it is until it is done.
    pub(crate) unsafe fn push(&mut self, event: &Completion) {
        self.0.push_back(event);
    }

    /// Completes the oldest event; false if there is none.
    pub(crate) fn complete_first(&mut self) -> bool {
        let Some(event) = self.0.pop_front() else {
            return false;
        };
        // SAFETY:
        // - by the promise to `push` the event stays until it is done, and nobody else completes it.
        unsafe { &*event }.complete();
        true
    }
}

// SAFETY:
// - the mutex gives access to the value to one execution context at a time.
unsafe impl<T: ?Sized + Send> Send for Mutex<T> {}
// SAFETY:
// - as above.
unsafe impl<T: ?Sized + Send> Sync for Mutex<T> {}

/// Access to the value of a [`Mutex`]; dropping it hands the mutex to the oldest waiter.
#[clippy::has_significant_drop]
pub struct MutexGuard<'a, T: ?Sized> {
    pub(crate) mutex: &'a Mutex<T>,
}

impl<T> Mutex<T> {
    /// A free mutex around `value`.
    pub fn new(value: T) -> Self {
        Self {
            state: SpinLock::new(State::default()),
            value: UnsafeCell::new(value),
        }
    }
}

impl<T: ?Sized> Mutex<T> {
    /// Locks the mutex; suspends the execution context while another one holds it.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        let granted = Completion::new();
        let mut state = self.state.lock();
        if !state.held {
            state.held = true;
            return MutexGuard { mutex: self };
        }
        // SAFETY:
        // - `granted` lives until `wait` returns, that is, until it is done.
        unsafe { state.waiters.push(&granted) };
        drop(state);
        granted.wait();
        MutexGuard { mutex: self }
    }
}

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    fn drop(&mut self) {
        let mut state = self.mutex.state.lock();
        // A mutex that is handed over stays held.
        state.held = state.waiters.complete_first();
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY:
        // - the guard proves that this execution context holds the mutex.
        unsafe { &*self.mutex.value.get() }
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY:
        // - the guard proves that this execution context holds the mutex, and it is borrowed mutably.
        unsafe { &mut *self.mutex.value.get() }
    }
}
