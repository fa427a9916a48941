//! The runtime costs nothing while nothing can run. Alone in its file: it measures the whole process.

use std::sync::Arc;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use simurgh_core::Barrier;
use simurgh_sched::{Builder, EcHandle, EcSpec};
use simurgh_testing::{Deadline, LIMIT};

#[test]
fn a_thousand_blocked_contexts_use_no_processor_time() {
    let runtime = Builder::new().vps(Some(2)).start().expect("a runtime");
    let small = EcSpec {
        stack_size: 128 << 10,
        ..EcSpec::default()
    };
    let gate = Arc::new(Barrier::new(1001));
    let handles: Vec<EcHandle> = (0..1000)
        .map(|index| {
            let gate = Arc::clone(&gate);
            let wait = move || {
                gate.wait();
            };
            runtime
                .spawn_member(small, (index, 1000), wait)
                .expect("an execution context")
        })
        .collect();
    let asleep = || runtime.stats().iter().all(|vp| vp.sleeps > 0);
    let mut deadline = Deadline::after(LIMIT);
    while !asleep() {
        assert!(
            !deadline.has_passed(),
            "the virtual processors never went to sleep"
        );
        std::thread::yield_now();
    }
    let before = process_time();
    let window = Instant::now();
    let (_keep, never) = mpsc::channel::<()>();
    assert!(never.recv_timeout(Duration::from_millis(300)).is_err());
    let used = process_time() - before;
    assert!(used < window.elapsed() / 50, "blocked contexts used {used:?}");
    gate.wait();
    handles
        .into_iter()
        .for_each(|handle| handle.join().expect("no panic"));
}

fn process_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(
        time.tv_sec.unsigned_abs(),
        u32::try_from(time.tv_nsec).unwrap_or(0),
    )
}
