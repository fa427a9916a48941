//! The time, as far as heaps need it.

use rustix::time::{ClockId, clock_gettime};

/// The time in milliseconds, as coarse as the system's clock ticks.
pub(crate) fn now() -> u64 {
    #[cfg(test)]
    if let Some(now) = stopped::time() {
        return now;
    }
    let time = clock_gettime(ClockId::MonotonicCoarse);
    time.tv_sec as u64 * 1000 + time.tv_nsec as u64 / 1_000_000
}

/// A clock that stands still for the calling thread until a test moves it.
#[cfg(test)]
pub(crate) mod stopped {
    use std::cell::Cell;

    thread_local! {
        static TIME: Cell<Option<u64>> = const { Cell::new(None) };
    }

    pub(super) fn time() -> Option<u64> {
        TIME.get()
    }

    /// Stops the clock, or moves it on.
    pub(crate) fn advance(milliseconds: u64) {
        TIME.set(Some(super::now() + milliseconds));
    }
}
