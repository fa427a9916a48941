//! The time, as far as heaps need it.

use rustix::time::{ClockId, clock_gettime};

/// The time in milliseconds, as coarse as the system's clock ticks.
pub(crate) fn now() -> u64 {
    let time = clock_gettime(ClockId::MonotonicCoarse);
    time.tv_sec as u64 * 1000 + time.tv_nsec as u64 / 1_000_000
}
