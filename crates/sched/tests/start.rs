//! No deadlock is reported while a thread that is not attached starts a runtime, and stops it again. Alone in its file:
//! it counts the threads of the process.

use std::sync::Arc;
use std::time::Duration;

use simurgh_core::sync::{AtomicU64, Ordering};
use simurgh_sched::Builder;

/// The test harness keeps one thread besides the one that runs the test.
const HARNESS_THREADS: usize = 1;
const ROUNDS: usize = 1000;

#[test]
fn a_thread_that_starts_a_runtime_is_noticed() {
    let reports = Arc::new(AtomicU64::new(0));
    for _ in 0..ROUNDS {
        let told = Arc::clone(&reports);
        let runtime = Builder::new()
            .vps(Some(1))
            .known_threads(HARNESS_THREADS)
            .patience(Some(Duration::from_secs(1)))
            .on_deadlock(move |_| {
                told.fetch_add(1, Ordering::SeqCst);
            })
            .start()
            .expect("a runtime");
        drop(runtime);
    }
    assert_eq!(
        reports.load(Ordering::SeqCst),
        0,
        "the thread could start contexts"
    );
}
