//! Fork and join: parts of a work that may suspend, side by side.

use std::panic::{AssertUnwindSafe, catch_unwind};

use simurgh_core::sync::{Arc, AtomicUsize, Ordering};
use simurgh_core::{Barrier, fork_join};
use simurgh_sched::{Builder, EcSpec};
use simurgh_testing::panic_quietly;

const PARTS: usize = 5;

fn on_processors(vps: usize, work: impl FnOnce() + Send + 'static) {
    let runtime = Builder::new().vps(Some(vps)).start().expect("a runtime");
    let worker = runtime.spawn(EcSpec::default(), 0, work).expect("a stack");
    worker.join().expect("no panic");
}

#[test]
fn parts_wait_for_each_other_on_one_processor_and_on_several() {
    for vps in 1..=3 {
        on_processors(vps, || {
            for _ in 0..50 {
                let (barrier, done) = (Barrier::new(PARTS), AtomicUsize::new(0));
                fork_join(PARTS, &|part| {
                    barrier.wait();
                    done.fetch_add(1 << part, Ordering::SeqCst);
                    barrier.wait();
                });
                assert_eq!(done.load(Ordering::SeqCst), (1 << PARTS) - 1);
            }
        });
    }
}

#[test]
fn a_panic_comes_when_all_parts_have_ended() {
    for culprit in 0..PARTS {
        on_processors(2, move || {
            let done = AtomicUsize::new(0);
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                fork_join(PARTS, &|part| {
                    simurgh_core::yield_now();
                    if part == culprit {
                        panic_quietly("as it should be");
                    }
                    done.fetch_add(1, Ordering::SeqCst);
                });
            }));
            assert!(outcome.is_err());
            assert_eq!(done.load(Ordering::SeqCst), PARTS - 1);
        });
    }
}

#[test]
fn a_thread_of_the_operating_system_does_all_parts_itself() {
    let order = Arc::new(AtomicUsize::new(0));
    fork_join(PARTS, &|part| {
        assert_eq!(order.fetch_add(1, Ordering::SeqCst), part)
    });
    assert_eq!(order.load(Ordering::SeqCst), PARTS);
}
