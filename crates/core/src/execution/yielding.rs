//! Yielding of attached threads: giving the core to other threads of the system, where that helps.
//!
//! A thread whose tests keep failing may keep those from running that would make a test succeed. Where processes
//! outnumber cores, these are other processes, and yielding helps. It does harm where another thread of the same
//! process spins: for a lock that the first one holds, or for the end of what the first one is doing. Then the core
//! that the first one gives away is spun away, for a time slice of the system, again and again.
//!
//! So a thread that was away for long checks whether another thread of its process wants a core. If so, it yields again
//! only after it has run for as long as it was away, as the system's scheduler would have it anyway. A thread that
//! comes back at once is in nobody's way, and does not yield again for a moment.
//!
//! Costs: one or two readings of the clock, and a system call every few microseconds; a look at all threads of the
//! process after a time slice.

use std::cell::Cell;
use std::fs::DirEntry;
use std::time::{Duration, Instant};

/// A thread that is away for so long has waited for others to run, and not only for the system call.
const LONG: Duration = Duration::from_micros(200);
/// Longest time for which a thread does not yield because of others of its process.
const RUN_TIME_MAX: Duration = Duration::from_millis(10);
/// Shortest and longest time for which a thread that has come back at once does not yield again.
const PAUSE_MIN: Duration = Duration::from_nanos(500);
const PAUSE_MAX: Duration = Duration::from_micros(8);

/// When a thread yields again.
#[derive(Default)]
pub(super) struct YieldThrottle {
    again: Cell<Option<Instant>>,
    pause: Cell<Duration>,
}

impl YieldThrottle {
    /// Lets the next yield take effect at once: the thread has made progress in between.
    pub(super) fn reset(&self) {
        self.again.set(None);
        self.pause.set(Duration::ZERO);
    }

    /// Yields the core, if it is time for that.
    pub(super) fn yield_thread(&self) {
        let before = Instant::now();
        if self.again.get().is_some_and(|again| before < again) {
            return;
        }
        std::thread::yield_now();
        let after = Instant::now();
        self.again.set(Some(after + self.run_time(after - before)));
    }

    /// For how long to run before the next yield, after the thread was away for so long.
    fn run_time(&self, away: Duration) -> Duration {
        if away < LONG {
            let pause = self.pause.get();
            self.pause.set((pause * 2).clamp(PAUSE_MIN, PAUSE_MAX));
            return pause;
        }
        self.pause.set(Duration::ZERO);
        match siblings_want_cores() {
            true => away.min(RUN_TIME_MAX),
            false => Duration::ZERO,
        }
    }
}

/// Whether another thread of the process runs, or could if there were a core for it.
fn siblings_want_cores() -> bool {
    let own = std::fs::read_link("/proc/thread-self");
    let own = own.ok().and_then(|path| path.file_name().map(ToOwned::to_owned));
    let runs = |thread: &DirEntry| {
        let stat = std::fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
        // The state follows the name, which may hold anything.
        stat.rsplit_once(')')
            .is_some_and(|(_, rest)| rest.trim_start().starts_with('R'))
    };
    let threads = std::fs::read_dir("/proc/self/task")
        .into_iter()
        .flatten()
        .flatten();
    threads
        .filter(|thread| Some(thread.file_name()) != own)
        .any(|thread| runs(&thread))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sync::{AtomicBool, Ordering, relax};

    #[test]
    fn a_thread_that_comes_back_at_once_yields_less_and_less_often_until_progress() {
        let throttle = YieldThrottle::default();
        let soon = Duration::from_micros(1);
        let pauses: Vec<_> = (0..8).map(|_| throttle.run_time(soon)).collect();
        assert!(
            pauses.is_sorted() && pauses[0].is_zero() && pauses[7] == PAUSE_MAX,
            "{pauses:?}"
        );
        throttle.reset();
        assert!(throttle.run_time(soon).is_zero());
    }

    #[test]
    fn a_thread_whose_sibling_wants_a_core_runs_as_long_as_it_was_away() {
        let (throttle, over) = (YieldThrottle::default(), AtomicBool::new(false));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    relax();
                }
            });
            assert_eq!(throttle.run_time(LONG), LONG);
            assert_eq!(throttle.run_time(10 * RUN_TIME_MAX), RUN_TIME_MAX);
            over.store(true, Ordering::Relaxed);
        });
    }
}
