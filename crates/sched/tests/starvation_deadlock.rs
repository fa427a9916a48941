//! While a context keeps others from running there is no deadlock; afterwards a deadlock is found as always. Alone in
//! its file: it counts the threads of the process.

use std::sync::Arc;
use std::time::Duration;

use simurgh_core::sync::{AtomicBool, AtomicU64, Ordering, relax};
use simurgh_core::{Completion, EcHandle, current, park};
use simurgh_sched::{Builder, EcSpec, Runtime};

/// The test harness has one thread of its own.
const KNOWN_THREADS: usize = 1;
const ROUNDS: u64 = 20;

/// The reports of deadlocks.
#[derive(Default)]
struct Reports {
    /// Whether nobody keeps a virtual processor.
    expected: AtomicBool,
    heard: AtomicBool,
    wrong: AtomicU64,
}

type Job = Box<dyn FnOnce() + Send>;

fn spawn(runtime: &Runtime, vp: usize, f: Job) -> EcHandle {
    let spec = EcSpec {
        stack_size: 128 << 10,
        ..EcSpec::default()
    };
    runtime.spawn(spec, vp, f).expect("a context")
}

/// On each virtual processor a context spins until another one of that processor has run, which then waits for ever.
fn keep_both(runtime: &Runtime, reports: &Arc<Reports>, over: &[Arc<Completion>; 2]) -> Vec<EcHandle> {
    let flag = Arc::new(AtomicBool::new(false));
    let spin = |_| -> Job {
        let flag = Arc::clone(&flag);
        Box::new(move || {
            while !flag.load(Ordering::Acquire) {
                relax();
            }
        })
    };
    let wait = |vp: usize| -> Job {
        let (flag, over, reports) = (Arc::clone(&flag), Arc::clone(&over[vp]), Arc::clone(reports));
        Box::new(move || {
            reports.expected.store(true, Ordering::SeqCst);
            flag.store(true, Ordering::Release);
            over.wait();
        })
    };
    let jobs = (0..2)
        .map(|vp| (vp, spin(vp)))
        .chain((0..2).map(|vp| (vp, wait(vp))));
    let jobs: Vec<_> = jobs.collect();
    jobs.into_iter()
        .map(|(vp, job)| spawn(runtime, vp, job))
        .collect()
}

#[test]
fn a_deadlock_is_found_after_substitutes_have_stood_in_and_not_before() {
    let main = current();
    let reports = Arc::new(Reports::default());
    let told = Arc::clone(&reports);
    let runtime = Builder::new()
        .vps(Some(2))
        .known_threads(KNOWN_THREADS)
        .patience(Some(Duration::from_millis(4)))
        .on_deadlock(move |_| {
            let is_wrong = !told.expected.load(Ordering::SeqCst);
            told.wrong.fetch_add(u64::from(is_wrong), Ordering::SeqCst);
            told.heard.store(true, Ordering::SeqCst);
            main.unpark();
        })
        .start()
        .expect("a runtime");
    for _ in 0..ROUNDS {
        let over = [(); 2].map(|()| Arc::new(Completion::new()));
        let handles = keep_both(&runtime, &reports, &over);
        while !reports.heard.load(Ordering::SeqCst) {
            park();
        }
        over.iter().for_each(|over| over.complete());
        // A virtual processor that runs something has made all reports that were due before.
        let passes = (0..2).map(|vp| spawn(&runtime, vp, Box::new(|| ())));
        for handle in handles.into_iter().chain(passes) {
            handle.join().expect("no panic");
        }
        reports.expected.store(false, Ordering::SeqCst);
        reports.heard.store(false, Ordering::SeqCst);
    }
    assert_eq!(reports.wrong.load(Ordering::SeqCst), 0, "somebody could go on");
}
