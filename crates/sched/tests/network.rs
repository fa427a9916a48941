//! Virtual processors and execution contexts poll the network, and nothing from it is missed.

mod common;

use std::sync::Arc;
use std::time::{Duration, Instant};

use common::{Events, spawn, start};
use simurgh_core::sync::{AtomicU32, AtomicUsize, Ordering, SpinLock, futex_wait_for};
use simurgh_core::{Completion, EcRef, current, park, yield_now};
use simurgh_sched::policy::{self, Anticipate, Policy, WorkQueue};
use simurgh_sched::{Builder, Network};
use simurgh_settings::{Id, Values};
use simurgh_testing::{Deadline, LIMIT};

/// Waits until somebody sleeps in the network.
fn wait_for_sleep(network: &Events) {
    let mut deadline = Deadline::after(LIMIT);
    while network.asleep.load(Ordering::SeqCst) == 0 {
        assert!(!deadline.has_passed(), "nobody looks after the network");
        std::thread::yield_now();
    }
}

#[test]
fn an_arrival_wakes_the_processor_that_sleeps_in_the_network() {
    for vps in [1, 2, 3] {
        let (network, runtime) = start(vps);
        for vp in 0..vps {
            let event = Arc::new(Completion::new());
            let awaited = Arc::clone(&event);
            let waits = spawn(&runtime, vp, move || awaited.wait());
            wait_for_sleep(&network);
            network.send(event);
            waits.join().expect("no panic");
        }
    }
}

#[test]
fn a_processor_with_something_to_run_leaves_the_network_to_another() {
    let (network, runtime) = start(2);
    for round in 0..200 {
        wait_for_sleep(&network);
        let event = Arc::new(Completion::new());
        let awaited = Arc::clone(&event);
        let (busy, over) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let waits = spawn(&runtime, round, move || awaited.wait());
        let (says, ends) = (Arc::clone(&busy), Arc::clone(&over));
        // It computes, without a word to the runtime, until the other has got its event.
        let computes = spawn(&runtime, round + 1, move || {
            says.store(1, Ordering::SeqCst);
            let mut deadline = Deadline::after(LIMIT);
            while ends.load(Ordering::SeqCst) == 0 && !deadline.has_passed() {
                std::thread::yield_now();
            }
        });
        while busy.load(Ordering::SeqCst) == 0 {
            std::thread::yield_now();
        }
        network.send(event);
        waits.join().expect("no panic");
        over.store(1, Ordering::SeqCst);
        computes.join().expect("no panic");
    }
}

#[test]
fn execution_contexts_that_never_block_poll_it_too() {
    let (network, runtime) = start(1);
    let event = Arc::new(Completion::new());
    let awaited = Arc::clone(&event);
    let waits = spawn(&runtime, 0, move || {
        while !awaited.is_done() {
            yield_now();
        }
    });
    network.send(event);
    waits.join().expect("no panic");
    assert_eq!(network.polls.load(Ordering::SeqCst), 1);
}

#[test]
fn a_network_that_comes_late_is_polled_by_the_idle_and_the_busy() {
    for busy in [false, true] {
        let runtime = Builder::new().vps(Some(1)).start().expect("a runtime");
        let (network, event) = (Arc::new(Events::default()), Arc::new(Completion::new()));
        let awaited = Arc::clone(&event);
        let waits = spawn(&runtime, 0, move || match busy {
            true => {
                while !awaited.is_done() {
                    yield_now();
                }
            }
            false => awaited.wait(),
        });
        runtime.connect(Arc::clone(&network) as Arc<dyn Network>);
        if !busy {
            wait_for_sleep(&network);
        }
        network.send(event);
        waits.join().expect("no panic");
        assert_eq!(network.polls.load(Ordering::SeqCst), 1);
    }
}

#[test]
fn nothing_is_missed_while_processors_wake_each_other() {
    let (network, runtime) = start(3);
    let events: Vec<_> = (0..3000).map(|_| Arc::new(Completion::new())).collect();
    let handles: Vec<_> = (0..6)
        .map(|ec| {
            let mine: Vec<_> = events.iter().skip(ec).step_by(6).map(Arc::clone).collect();
            spawn(&runtime, ec, move || mine.iter().for_each(|event| event.wait()))
        })
        .collect();
    for (index, event) in events.iter().enumerate() {
        // Half of them by themselves, so that inboxes and the network take turns.
        if index % 2 == 0 {
            network.send(Arc::clone(event));
        } else {
            event.complete();
        }
        if index % 7 == 0 {
            wait_for_sleep(&network);
        }
    }
    handles.into_iter().for_each(|ec| ec.join().expect("no panic"));
}

/// The policy of this name.
fn named(name: &str) -> Arc<dyn Policy> {
    let mut settings = Values::default();
    let read = settings.read(Id::Policy, "--policy", name.as_ref());
    read.expect("a policy");
    policy::of_settings(&settings).expect("a policy")
}

#[test]
fn dedicated_processors_drive_it_while_all_others_compute() {
    for name in ["nd", "nd+wq", "sleep"] {
        let network = Arc::new(Events::default());
        let runtime = Builder::new()
            .vps(Some(2))
            .policy(named(name))
            .network(Arc::clone(&network) as Arc<dyn Network>)
            .start()
            .expect("a runtime");
        assert_eq!((runtime.vps(), runtime.network_vps()), (2, 1));
        let event = Arc::new(Completion::new());
        let compute = |event: Arc<Completion>| {
            move || {
                let mut deadline = Deadline::after(LIMIT);
                while !event.is_done() && !deadline.has_passed() {
                    std::thread::yield_now();
                }
                assert!(event.is_done(), "nobody looks after the network");
            }
        };
        let busy: Vec<_> = (0..2)
            .map(|vp| spawn(&runtime, vp, compute(Arc::clone(&event))))
            .collect();
        network.send(event);
        busy.into_iter().for_each(|ec| ec.join().expect("no panic"));
    }
}

/// A network from which nothing comes, which counts how often somebody looks.
#[derive(Default)]
struct Silent {
    looks: AtomicUsize,
}

impl Network for Silent {
    fn has_mail(&self) -> bool {
        self.looks.fetch_add(1, Ordering::SeqCst);
        false
    }

    fn poll(&self) -> bool {
        false
    }

    fn sleep(&self, word: &AtomicU32, expected: u32, limit: Option<Duration>) {
        futex_wait_for(word, expected, limit);
    }

    fn wake(&self) {}

    fn is_quiet(&self) -> bool {
        true
    }
}

/// A network that leads to other nodes, and serves them while it is polled, which it does not tell. Whoever sleeps is
/// woken at once, which shows that others are served.
#[derive(Default)]
struct Serving {
    sleeps: AtomicUsize,
}

impl Network for Serving {
    fn has_mail(&self) -> bool {
        true
    }

    fn poll(&self) -> bool {
        false
    }

    fn sleep(&self, _: &AtomicU32, _: u32, _: Option<Duration>) {
        self.sleeps.fetch_add(1, Ordering::SeqCst);
    }

    fn wake(&self) {}

    fn is_quiet(&self) -> bool {
        false
    }

    fn is_far(&self) -> bool {
        true
    }
}

#[test]
fn a_processor_that_serves_other_nodes_sleeps_rarely() {
    const SLEEPS: usize = 100;
    let network = Arc::new(Serving::default());
    let builder = Builder::new().vps(Some(1));
    let builder = builder.network(Arc::clone(&network) as Arc<dyn Network>);
    let begin = Instant::now();
    let runtime = builder.start().expect("the runtime starts");
    let mut deadline = Deadline::after(LIMIT);
    while network.sleeps.load(Ordering::SeqCst) < SLEEPS {
        assert!(!deadline.has_passed(), "nobody looks after the network");
        std::thread::yield_now();
    }
    let taken = begin.elapsed();
    drop(runtime);
    assert!(taken > Duration::from_millis(400), "{SLEEPS} sleeps in {taken:?}");
}

/// How often a virtual processor looks after a silent network during many switches between two contexts that wait for
/// each other.
fn looks(policy: impl Policy + 'static) -> usize {
    const TURNS: usize = 20_000;
    let network = Arc::new(Silent::default());
    let builder = Builder::new().vps(Some(1)).policy(Arc::new(policy));
    let runtime = builder.network(Arc::clone(&network) as Arc<dyn Network>).start();
    let runtime = runtime.expect("the runtime starts");
    let other = Arc::new(SpinLock::new(None));
    let counted = Arc::new(AtomicUsize::new(0));
    let (known, counts) = (Arc::clone(&other), Arc::clone(&counted));
    // The number of turns so far, of both. A context that parks may go on for no reason.
    let turns = Arc::new(AtomicUsize::new(0));
    let take_turn = |turns: &AtomicUsize, number: usize, other: EcRef| {
        while turns.load(Ordering::SeqCst) != number {
            park();
        }
        turns.store(number + 1, Ordering::SeqCst);
        other.unpark();
    };
    let turns_of_second = Arc::clone(&turns);
    let first = spawn(&runtime, 0, move || {
        while known.lock().is_none() {
            yield_now();
        }
        let other: EcRef = known.lock().expect("it has been said");
        let before = network.looks.load(Ordering::SeqCst);
        for turn in 0..TURNS {
            take_turn(&turns, 2 * turn, other);
        }
        // While nothing is ready, the virtual processor looks again and again.
        counts.store(network.looks.load(Ordering::SeqCst) - before, Ordering::SeqCst);
    });
    let main = first.ec();
    let second = spawn(&runtime, 0, move || {
        *other.lock() = Some(current());
        for turn in 0..TURNS {
            take_turn(&turns_of_second, 2 * turn + 1, main);
        }
    });
    first.join().expect("no panic");
    second.join().expect("no panic");
    counted.load(Ordering::SeqCst)
}

#[test]
fn a_policy_that_anticipates_rarely_looks_where_nothing_comes() {
    let (usual, anticipating) = (looks(WorkQueue), looks(Anticipate));
    assert!(anticipating * 8 < usual, "{anticipating} looks, else {usual}");
}
