//! Futexes: sleeping in the kernel until a word changes.

use std::time::Duration;

use super::AtomicU32;

/// Sleeps while `word` is `expected`; may return early, so the caller has to check its condition again.
pub fn futex_wait(word: &AtomicU32, expected: u32) {
    futex_wait_for(word, expected, None);
}

/// As [`futex_wait`], but not longer than the limit, if there is one.
#[cfg(not(loom))]
pub fn futex_wait_for(word: &AtomicU32, expected: u32, limit: Option<Duration>) {
    use rustix::thread::futex;
    let limit = limit.and_then(|limit| limit.try_into().ok());
    // An interrupted or refused wait is an early return, which the caller expects.
    let _ = futex::wait(word, futex::Flags::PRIVATE, expected, limit.as_ref());
}

/// Wakes up to `count` threads in [`futex_wait`].
#[cfg(not(loom))]
pub fn futex_wake(word: &AtomicU32, count: u32) {
    use rustix::thread::futex;
    // The call fails only for an address that is not mapped, which a reference excludes.
    let _ = futex::wake(word, futex::Flags::PRIVATE, count);
}

/// Wakes up to `count` threads of any process that sleep on a word in shared memory.
#[cfg(not(loom))]
pub fn futex_wake_shared(word: &AtomicU32, count: u32) {
    use rustix::thread::futex;
    // The call fails only for an address that is not mapped, which a reference excludes.
    let _ = futex::wake(word, futex::Flags::empty(), count.min(i32::MAX.cast_unsigned()));
}

/// Under loom, sleeping is polling: the model explores every interleaving of it.
#[cfg(loom)]
pub fn futex_wait_for(word: &AtomicU32, expected: u32, _limit: Option<Duration>) {
    loop {
        // First, so that a caller's loop around an early return lets the others go on, too.
        loom::thread::yield_now();
        if word.load(super::Ordering::SeqCst) != expected {
            return;
        }
    }
}

/// Under loom, sleepers poll.
#[cfg(loom)]
pub fn futex_wake(_word: &AtomicU32, _count: u32) {}

/// Under loom, sleepers poll.
#[cfg(loom)]
pub fn futex_wake_shared(_word: &AtomicU32, _count: u32) {}
