//! Who looks after the network, and that nothing from it is missed.

use std::sync::Arc;
use std::time::Duration;

use simurgh_core::sync::{AtomicU32, AtomicUsize, Ordering, SpinLock, futex_wait_for, futex_wake};
use simurgh_core::{Completion, yield_now};
use simurgh_sched::{Builder, EcHandle, EcSpec, Network, Runtime};
use simurgh_testing::{Deadline, LIMIT};

/// A network over which events arrive that somebody waits for. It rings like one that sleeps in `poll(2)`.
#[derive(Default)]
struct Events {
    arrived: SpinLock<Vec<Arc<Completion>>>,
    waiting: AtomicUsize,
    /// Changes whenever something arrives and whenever somebody is woken.
    bell: AtomicU32,
    polls: AtomicUsize,
    asleep: AtomicUsize,
}

impl Events {
    fn send(&self, event: Arc<Completion>) {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        self.arrived.lock().push(event);
        self.ring();
    }

    fn ring(&self) {
        self.bell.fetch_add(1, Ordering::SeqCst);
        futex_wake(&self.bell, 1);
    }
}

impl Network for Events {
    fn has_mail(&self) -> bool {
        self.waiting.load(Ordering::SeqCst) > 0
    }

    fn poll(&self) -> bool {
        let arrived = std::mem::take(&mut *self.arrived.lock());
        self.waiting.fetch_sub(arrived.len(), Ordering::SeqCst);
        self.polls.fetch_add(arrived.len(), Ordering::SeqCst);
        arrived.iter().for_each(|event| event.complete());
        !arrived.is_empty()
    }

    fn sleep(&self, word: &AtomicU32, expected: u32, limit: Option<Duration>) {
        assert_eq!(self.asleep.fetch_add(1, Ordering::SeqCst), 0, "one at a time");
        let bell = self.bell.load(Ordering::SeqCst);
        if !self.has_mail() && word.load(Ordering::SeqCst) == expected {
            futex_wait_for(&self.bell, bell, limit);
        }
        self.asleep.fetch_sub(1, Ordering::SeqCst);
    }

    fn wake(&self) {
        self.ring();
    }

    fn is_quiet(&self) -> bool {
        !self.has_mail()
    }
}

fn start(vps: usize) -> (Arc<Events>, Runtime) {
    let network = Arc::new(Events::default());
    let runtime = Builder::new()
        .vps(Some(vps))
        .network(Arc::clone(&network) as Arc<dyn Network>)
        .start()
        .expect("a runtime");
    (network, runtime)
}

fn spawn(runtime: &Runtime, vp: usize, f: impl FnOnce() + Send + 'static) -> EcHandle {
    let spec = EcSpec {
        stack_size: 128 << 10,
        ..EcSpec::default()
    };
    runtime.spawn(spec, vp, f).expect("an execution context")
}

/// Waits until the network is slept at, by somebody.
fn wait_for_sleep(network: &Events) {
    let mut deadline = Deadline::after(LIMIT);
    while network.asleep.load(Ordering::SeqCst) == 0 {
        assert!(!deadline.has_passed(), "nobody looks after the network");
        std::thread::yield_now();
    }
}

#[test]
fn what_arrives_wakes_the_one_that_sleeps_at_the_network() {
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
fn who_has_something_to_run_leaves_the_network_to_another() {
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
fn execution_contexts_that_never_block_look_after_it_too() {
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
fn a_network_that_comes_late_is_looked_after_by_the_idle_and_the_busy() {
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

#[test]
fn dedicated_processors_drive_it_while_all_others_compute() {
    for policy in ["nd", "nd+wq", "sleep"] {
        let network = Arc::new(Events::default());
        let runtime = Builder::new()
            .vps(Some(2))
            .policy(simurgh_sched::policy::by_name(policy, 1).expect("a policy"))
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
