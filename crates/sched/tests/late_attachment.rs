//! No deadlock is reported while a thread starts execution contexts before it is attached. Alone in its file: it counts
//! the threads of the process.

use std::sync::Arc;

use simurgh_core::Barrier;
use simurgh_core::sync::{AtomicBool, Ordering};
use simurgh_sched::{Builder, EcSpec};

/// The test harness keeps one thread besides the one that runs the test, and that one only waits.
const HARNESS_THREADS: usize = 2;
const ROUNDS: usize = 300;

/// Starts three contexts that need each other, the last one while the others may all be asleep, then waits for them,
/// which attaches the calling thread.
fn start_and_wait() -> bool {
    let reported = Arc::new(AtomicBool::new(false));
    let report = Arc::clone(&reported);
    let runtime = Builder::new()
        .vps(Some(2))
        .known_threads(HARNESS_THREADS)
        .on_deadlock(move |_| report.store(true, Ordering::SeqCst))
        .start()
        .expect("a runtime");
    let barrier = Arc::new(Barrier::new(3));
    let handles: Vec<_> = (0..3)
        .map(|vp| {
            let barrier = Arc::clone(&barrier);
            let meet = move || {
                barrier.wait();
            };
            let spec = EcSpec {
                stack_size: 128 << 10,
                ..EcSpec::default()
            };
            runtime.spawn(spec, vp, meet).expect("an execution context")
        })
        .collect();
    handles
        .into_iter()
        .for_each(|handle| handle.join().expect("no panic"));
    reported.load(Ordering::SeqCst)
}

#[test]
fn contexts_started_by_a_thread_not_yet_attached_are_no_deadlock() {
    for round in 0..ROUNDS {
        let starter = std::thread::spawn(start_and_wait);
        assert!(
            !starter.join().expect("no panic"),
            "a deadlock was reported in round {round}"
        );
    }
}
