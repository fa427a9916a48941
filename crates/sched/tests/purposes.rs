//! What policies make of the purposes of execution contexts.

use std::sync::Arc;

use simurgh_core::sync::{AtomicBool, AtomicUsize, Ordering, SpinLock};
use simurgh_core::{Completion, current, set_purpose, wait_any, yield_now};
use simurgh_sched::policy::{ByPurpose, Machine, Policy};
use simurgh_sched::{Builder, EcHandle, EcSpec, Purpose, Runtime};

/// Execution contexts stay where they start, and run by purpose or all alike.
struct Staying {
    by_purpose: bool,
}

impl Policy for Staying {
    fn name(&self) -> &str {
        "staying"
    }

    fn victims(&self, _vp: usize, _machine: &Machine<'_>) -> Vec<usize> {
        Vec::new()
    }

    fn network_first(&self) -> bool {
        self.by_purpose
    }
}

fn start(vps: usize, policy: impl Policy + 'static) -> Runtime {
    let runtime = Builder::new().vps(Some(vps)).policy(Arc::new(policy)).start();
    runtime.expect("the runtime starts")
}

fn spawn(runtime: &Runtime, f: impl FnOnce() + Send + 'static) -> EcHandle {
    let spawned = runtime.spawn(EcSpec::default(), 0, f);
    spawned.expect("there is a stack")
}

/// Lets others of the virtual processor run until this is so.
fn wait_until(done: impl Fn() -> bool) {
    while !done() {
        yield_now();
    }
}

/// How a context waits.
#[derive(Clone, Copy, PartialEq)]
enum Wait {
    /// For one event.
    Alone,
    /// For one event, which is then found to be about the network.
    Expedited,
    /// For any of two.
    Any,
}

/// The place at which a context with this purpose goes on, after it has waited for an event, among it and two others
/// of its virtual processor that have been ready before. The event is completed on that virtual processor, or by a
/// thread elsewhere.
fn place(by_purpose: bool, purpose: Purpose, wait: Wait, elsewhere: bool) -> usize {
    let runtime = start(1, Staying { by_purpose });
    let (event, turns) = (Arc::new(Completion::new()), Arc::new(SpinLock::new(Vec::new())));
    let [waits, asks, completed] = [(); 3].map(|()| Arc::new(AtomicBool::new(false)));
    let others = Arc::new(AtomicUsize::new(0));
    let mut handles = Vec::new();

    let (awaited, says, own_turns) = (Arc::clone(&event), Arc::clone(&waits), Arc::clone(&turns));
    handles.push(spawn(&runtime, move || {
        set_purpose(purpose);
        says.store(true, Ordering::SeqCst);
        match wait {
            Wait::Alone | Wait::Expedited => awaited.wait(),
            Wait::Any => assert_eq!(wait_any(&[&Completion::new(), &awaited]), 1),
        }
        assert_eq!(current().purpose(), purpose);
        own_turns.lock().push("waiter");
    }));
    for _ in 0..2 {
        let (others, completed) = (Arc::clone(&others), Arc::clone(&completed));
        let turns = Arc::clone(&turns);
        handles.push(spawn(&runtime, move || {
            others.fetch_add(1, Ordering::SeqCst);
            wait_until(|| completed.load(Ordering::SeqCst));
            turns.lock().push("other");
        }));
    }
    let (own_event, asking, over) = (Arc::clone(&event), Arc::clone(&asks), Arc::clone(&completed));
    handles.push(spawn(&runtime, move || {
        wait_until(|| waits.load(Ordering::SeqCst) && others.load(Ordering::SeqCst) == 2);
        if wait == Wait::Expedited {
            own_event.expedite();
        }
        if !elsewhere {
            own_event.complete();
            over.store(true, Ordering::SeqCst);
        }
        // The others are ready, and stay so as long as this one keeps the virtual processor.
        asking.store(true, Ordering::SeqCst);
        while !over.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
    }));
    while !asks.load(Ordering::SeqCst) {
        std::thread::yield_now();
    }
    if elsewhere {
        event.complete();
        completed.store(true, Ordering::SeqCst);
    }
    handles
        .into_iter()
        .for_each(|handle| handle.join().expect("no panic"));
    let turns = turns.lock();
    turns
        .iter()
        .position(|name| *name == "waiter")
        .expect("it went on")
}

#[test]
fn what_is_about_the_network_goes_on_before_others_if_the_policy_says_so() {
    for elsewhere in [false, true] {
        for wait in [Wait::Alone, Wait::Any] {
            assert_eq!(place(true, Purpose::Network, wait, elsewhere), 0);
            assert_eq!(place(true, Purpose::Compute, wait, elsewhere), 2);
            assert_eq!(place(false, Purpose::Network, wait, elsewhere), 2);
        }
        assert_eq!(place(true, Purpose::Compute, Wait::Expedited, elsewhere), 0);
        assert_eq!(place(false, Purpose::Compute, Wait::Expedited, elsewhere), 2);
    }
}

#[test]
fn what_is_about_io_goes_on_apart_and_comes_back() {
    let runtime = start(2, ByPurpose::with_io_processors(2));
    assert_eq!(
        (runtime.vps(), runtime.io_vps(), runtime.stats().len()),
        (2, 2, 4)
    );
    let visits = spawn(&runtime, || {
        let place = || current().vp().expect("it runs on a worker");
        let home = place();
        set_purpose(Purpose::Io);
        let apart = place();
        assert!(apart >= 2, "{apart}");
        set_purpose(Purpose::Io);
        yield_now();
        assert_eq!(place(), apart);
        set_purpose(Purpose::Compute);
        assert_eq!(place(), home);
    });
    visits.join().expect("no panic");
}

#[test]
fn what_is_about_io_stays_where_the_policy_has_no_place_for_it() {
    for runtime in [
        start(1, ByPurpose::with_io_processors(0)),
        start(1, Staying { by_purpose: true }),
    ] {
        let stays = spawn(&runtime, || {
            set_purpose(Purpose::Io);
            assert_eq!((current().vp(), current().purpose()), (Some(0), Purpose::Io));
        });
        stays.join().expect("no panic");
    }
}
