//! Sleeping in the kernel until a word changes.

use super::AtomicU32;

/// Sleeps while `word` is `expected`; may return early. The caller checks its condition again.
#[cfg(not(loom))]
pub fn futex_wait(word: &AtomicU32, expected: u32) {
    use rustix::thread::futex;
    // An interrupted or refused wait is an early return, which the caller expects.
    let _ = futex::wait(word, futex::Flags::PRIVATE, expected, None);
}

/// Wakes up to `count` sleepers of [`futex_wait`].
#[cfg(not(loom))]
pub fn futex_wake(word: &AtomicU32, count: u32) {
    use rustix::thread::futex;
    // The call fails only for an address that is not mapped, which a reference excludes.
    let _ = futex::wake(word, futex::Flags::PRIVATE, count);
}

/// Under loom, sleeping is polling: the model explores every interleaving of it.
#[cfg(loom)]
pub fn futex_wait(word: &AtomicU32, expected: u32) {
    loop {
        // First, so that a caller's loop around an early return lets the others go on too.
        loom::thread::yield_now();
        if word.load(super::Ordering::SeqCst) != expected {
            return;
        }
    }
}

/// Under loom, sleepers poll.
#[cfg(loom)]
pub fn futex_wake(_word: &AtomicU32, _count: u32) {}
