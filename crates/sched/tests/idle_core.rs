//! Where a thread that is not of the runtime had better run.

use simurgh_core::sync::{Arc, AtomicBool, Ordering};
use simurgh_sched::{Affinity, Builder, EcSpec};
use simurgh_testing::{Deadline, LIMIT};

#[test]
fn a_thread_leaves_the_core_of_a_busy_virtual_processor_for_an_idle_one() {
    let runtime = Builder::new().start().expect("a runtime");
    let cores = runtime.topology().cores().to_vec();
    let core = |index: usize| Affinity::of(&cores[index].cpus);
    if cores.len() < 2 {
        return eprintln!("skipped: there is one core here");
    }
    let idle_core = runtime.idle_core();
    let idle_core = || idle_core().map(|core| core.processors());
    let wait_for = |expected: Option<Vec<usize>>| {
        let mut deadline = Deadline::after(LIMIT);
        while idle_core() != expected {
            assert!(!deadline.has_passed(), "never {expected:?}");
            std::thread::yield_now();
        }
    };
    core(0).bind(None).expect("a core of this process");
    wait_for(None);
    let goes_on = Arc::new(AtomicBool::new(true));
    let flag = Arc::clone(&goes_on);
    let compute = move || {
        while flag.load(Ordering::Relaxed) {
            std::hint::spin_loop();
        }
    };
    let computing = runtime
        .spawn(EcSpec::default(), 0, compute)
        .expect("an execution context");
    wait_for(Some(core(1).processors()));
    core(1).bind(None).expect("a core of this process");
    wait_for(None);
    goes_on.store(false, Ordering::Relaxed);
    computing.join().expect("no panic");
}
