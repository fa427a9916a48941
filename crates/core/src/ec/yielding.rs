//! Giving the core of an attached thread to other threads of the system, where that helps.
//!
//! Who tests in vain may keep those from running that would make the test succeed: where processes outnumber cores,
//! other processes. But it may also hold a lock of the program for which another thread of its own process spins, or
//! that one may spin for the end of what the first is doing. Then the core that it gives is spun away, for a time slice
//! of the system, again and again. So who has been away for long looks whether another thread of its process wants a
//! core. If so, it gives way again only after it has run for as long as it has been away, which is what the system
//! would have it do anyway. Who comes back at once is wanted by nobody, and does not ask again for a moment.
//!
//! Costs: one or two looks at the clock, and a system call every few microseconds; a look at all threads of the process
//! after a time slice.

use std::cell::Cell;
use std::fs::DirEntry;
use std::time::{Duration, Instant};

/// Who is away for so long has waited for others that ran, not only for the system.
const LONG: Duration = Duration::from_micros(200);
/// Longest time for which a thread does not give way because of others of its process.
const STINT_MAX: Duration = Duration::from_millis(10);
/// For how long a thread does not give way again that has come back soon: the first time, and at most.
const PAUSE_MIN: Duration = Duration::from_nanos(500);
const PAUSE_MAX: Duration = Duration::from_micros(8);

/// When a thread gives way again.
#[derive(Default)]
pub(super) struct YieldThrottle {
    again: Cell<Option<Instant>>,
    pause: Cell<Duration>,
}

impl YieldThrottle {
    /// What the thread does gets on: if it comes to wait again, others may have to run at once.
    pub(super) fn reset(&self) {
        self.again.set(None);
        self.pause.set(Duration::ZERO);
    }

    /// Lets others run, if it is time for that.
    pub(super) fn yield_thread(&self) {
        let before = Instant::now();
        if self.again.get().is_some_and(|again| before < again) {
            return;
        }
        std::thread::yield_now();
        let after = Instant::now();
        self.again.set(Some(after + self.stint(after - before)));
    }

    /// How long to run after such a time away before others are let run again.
    fn stint(&self, away: Duration) -> Duration {
        if away < LONG {
            let pause = self.pause.get();
            self.pause.set((pause * 2).clamp(PAUSE_MIN, PAUSE_MAX));
            return pause;
        }
        self.pause.set(Duration::ZERO);
        match siblings_want_cores() {
            true => away.min(STINT_MAX),
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
        // The name before it may hold anything.
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
    fn who_comes_back_soon_asks_less_and_less_often_until_something_gets_on() {
        let way = YieldThrottle::default();
        let soon = Duration::from_micros(1);
        let pauses: Vec<_> = (0..8).map(|_| way.stint(soon)).collect();
        assert!(
            pauses.is_sorted() && pauses[0].is_zero() && pauses[7] == PAUSE_MAX,
            "{pauses:?}"
        );
        way.reset();
        assert!(way.stint(soon).is_zero());
    }

    #[test]
    fn who_was_away_while_a_thread_of_its_process_wants_a_core_stays_as_long() {
        let (way, over) = (YieldThrottle::default(), AtomicBool::new(false));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    relax();
                }
            });
            assert_eq!(way.stint(LONG), LONG);
            assert_eq!(way.stint(10 * STINT_MAX), STINT_MAX);
            over.store(true, Ordering::Relaxed);
        });
    }
}
