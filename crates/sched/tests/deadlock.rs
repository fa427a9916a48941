//! A runtime reports a deadlock if nobody can go on, and only then. Alone in its file: it counts the threads of the
//! process.

use std::sync::Arc;
use std::sync::mpsc;

use simurgh_core::{Completion, current, park};
use simurgh_sched::{Builder, EcSpec};

/// The test harness keeps one thread of its own besides the one that runs the test.
const HARNESS_THREADS: usize = 1;

#[test]
fn a_deadlock_is_reported_and_a_wait_for_an_outside_thread_is_not() {
    let main = current();
    let (tell, told) = mpsc::channel();
    let report = move |_| {
        tell.send(()).expect("the test listens");
        main.unpark();
    };
    let runtime = Builder::new()
        .vps(Some(2))
        .known_threads(HARNESS_THREADS)
        .on_deadlock(report)
        .start()
        .expect("a runtime");
    let spec = EcSpec {
        stack_size: 128 << 10,
        ..EcSpec::default()
    };

    // A thread the runtime does not know may still complete the event.
    let event = Arc::new(Completion::new());
    let (waiting, completing) = (Arc::clone(&event), Arc::clone(&event));
    let (go, gone) = mpsc::channel::<()>();
    let outside_thread = std::thread::spawn(move || {
        gone.recv().expect("the test says when");
        completing.complete();
    });
    let ec = runtime
        .spawn(spec, 0, move || waiting.wait())
        .expect("an execution context");
    while runtime.stats().iter().any(|vp| vp.sleeps == 0) {
        std::thread::yield_now();
    }
    assert!(told.try_recv().is_err(), "the outside thread can still act");
    go.send(()).expect("the outside_thread listens");
    outside_thread.join().expect("no panic");
    ec.join().expect("no panic");

    // Nobody will complete these, and this thread blocks too.
    let events = [Arc::new(Completion::new()), Arc::new(Completion::new())];
    let stuck: Vec<_> = (0..2)
        .map(|vp| {
            let event = Arc::clone(&events[vp]);
            runtime
                .spawn(spec, vp, move || event.wait())
                .expect("an execution context")
        })
        .collect();
    let mut reported = false;
    while !reported {
        park();
        reported = told.try_recv().is_ok();
    }
    events.iter().for_each(|event| event.complete());
    stuck.into_iter().for_each(|ec| ec.join().expect("no panic"));
}
