//! A context that expects an answer from outside the process is in no deadlock, however often it asks. Afterwards a
//! deadlock is found as before. Alone in its file: it counts the threads of the process.

use std::sync::Arc;
use std::sync::mpsc::{self, Sender};

use simurgh_core::sync::{AtomicU64, Ordering};
use simurgh_core::{Completion, current, park, while_expecting};
use simurgh_sched::{Builder, EcSpec};

/// The test harness has one thread of its own, and another one passes on what comes from outside.
const KNOWN_THREADS: usize = 2;
const QUESTIONS: usize = 20_000;

fn ask(outside: &Sender<Arc<Completion>>) {
    let answered = Arc::new(Completion::new());
    while_expecting(|| {
        outside.send(Arc::clone(&answered)).expect("somebody listens");
        answered.wait();
    });
}

#[test]
fn a_context_that_expects_an_answer_is_in_no_deadlock() {
    let main = current();
    let reports = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&reports);
    let runtime = Builder::new()
        .vps(Some(2))
        .known_threads(KNOWN_THREADS)
        .on_deadlock(move |_| {
            count.fetch_add(1, Ordering::SeqCst);
            main.unpark();
        })
        .start()
        .expect("a runtime");
    let (outside, questions) = mpsc::channel::<Arc<Completion>>();
    let answering = std::thread::spawn(move || questions.iter().for_each(|question| question.complete()));
    let spec = EcSpec {
        stack_size: 128 << 10,
        ..EcSpec::default()
    };
    let over = Arc::new(Completion::new());
    let waits = Arc::clone(&over);
    let waiting = runtime.spawn(spec, 0, move || waits.wait()).expect("a context");
    let asks = outside.clone();
    let asking = runtime
        .spawn(spec, 1, move || (0..QUESTIONS).for_each(|_| ask(&asks)))
        .expect("a context");
    asking.join().expect("no panic");
    assert_eq!(reports.load(Ordering::SeqCst), 0, "an answer was on its way");

    while reports.load(Ordering::SeqCst) == 0 {
        park();
    }
    over.complete();
    waiting.join().expect("no panic");
    drop(outside);
    answering.join().expect("no panic");
}
