//! Idle tasks: work that idle virtual processors do, and that belongs to no execution context.

use std::sync::Arc;

use simurgh_core::sync::{AtomicUsize, Ordering, relax};
use simurgh_core::{IdleTask, post_idle_task, yield_now};
use simurgh_sched::{Builder, EcSpec};

const PIECES: usize = 100;

#[derive(Default)]
struct Count {
    begun: AtomicUsize,
    done: AtomicUsize,
}

impl IdleTask for Count {
    fn run_piece(self: Arc<Self>) -> bool {
        let mine = self.begun.fetch_add(1, Ordering::Relaxed) < PIECES;
        if mine {
            // A worker that does an task is no coroutine: it must survive this.
            yield_now();
            self.done.fetch_add(1, Ordering::Release);
        }
        mine
    }

    fn is_exhausted(&self) -> bool {
        self.begun.load(Ordering::Relaxed) >= PIECES
    }
}

#[test]
fn another_processor_does_the_idle_tasks_of_one_that_computes() {
    let runtime = Builder::new().vps(Some(2)).start().expect("a runtime");
    let work = || {
        for _ in 0..50 {
            let idle_tasks: Vec<Arc<Count>> = (0..3).map(|_| Arc::default()).collect();
            assert!(idle_tasks.iter().all(|task| post_idle_task(task.clone())));
            let is_done = |task: &Arc<Count>| task.done.load(Ordering::Acquire) == PIECES;
            while !idle_tasks.iter().all(is_done) {
                relax();
            }
        }
    };
    let poster = runtime.spawn(EcSpec::default(), 0, work).expect("a stack");
    poster.join().expect("no panic");
}

#[test]
fn an_attached_thread_has_no_team_for_its_idle_tasks() {
    assert!(!post_idle_task(Arc::<Count>::default()));
}

#[test]
fn a_processor_does_its_own_idle_tasks_when_its_contexts_sleep() {
    let runtime = Builder::new().vps(Some(1)).start().expect("a runtime");
    let task = Arc::new(Count::default());
    let posted = task.clone();
    let poster = runtime.spawn(EcSpec::default(), 0, move || assert!(post_idle_task(posted)));
    poster.expect("a stack").join().expect("no panic");
    while task.done.load(Ordering::Acquire) < PIECES {
        std::thread::yield_now();
    }
}
