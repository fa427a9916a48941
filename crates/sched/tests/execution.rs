//! Execution contexts on virtual processors, as the layers above use them.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use simurgh_core::sync::{AtomicBool, AtomicUsize, Ordering};
use simurgh_core::{
    Barrier, BroadcastRing, Completion, Condvar, EcHandle, Mutex, WaitList, current, migrate, move_to, park,
    wait_all, wait_any, yield_now,
};
use simurgh_sched::policy::{Affine, Balance, Machine, Policy, Rebalancing};
use simurgh_sched::{Builder, DomainKind, EcSpec, Placement, Purpose, Runtime, Topology};

use simurgh_settings::{Id, Values};
use simurgh_testing::panic_quietly;

fn runtime(vps: usize) -> Runtime {
    Builder::new().vps(Some(vps)).start().expect("a runtime")
}

fn small() -> EcSpec {
    EcSpec {
        stack_size: 128 << 10,
        ..EcSpec::default()
    }
}

/// Runs `f(index)` in `count` execution contexts and waits for all of them.
fn group(runtime: &Runtime, count: usize, f: impl Fn(usize) + Send + Sync + 'static) {
    let f = Arc::new(f);
    let start = |index| {
        let f = Arc::clone(&f);
        runtime
            .spawn_member(small(), (index, count), move || f(index))
            .expect("an execution context")
    };
    let handles: Vec<EcHandle> = (0..count).map(start).collect();
    handles
        .into_iter()
        .for_each(|handle| handle.join().expect("no panic"));
}

#[test]
fn those_that_come_last_to_a_barrier_go_on_first() {
    const COUNT: usize = 6;
    let (barrier, order) = (Barrier::new(COUNT), Arc::new(std::sync::Mutex::new(Vec::new())));
    let noted = Arc::clone(&order);
    group(&runtime(1), COUNT, move |index| {
        for _ in 0..3 {
            noted.lock().expect("no panic").push(index);
            barrier.wait();
        }
    });
    let order = order.lock().expect("no panic");
    let [first, second, third] = [0, 1, 2].map(|phase| order[phase * COUNT..][..COUNT].to_vec());
    assert_eq!(second, first.iter().rev().copied().collect::<Vec<_>>());
    assert_eq!(third, first);
}

#[test]
fn thread_local_variables_belong_to_the_execution_context_wherever_it_runs() {
    thread_local!(static MINE: Cell<usize> = const { Cell::new(0) });
    let runtime = runtime(2);
    let visits = Arc::new([const { AtomicUsize::new(0) }; 2]);
    let counted = Arc::clone(&visits);
    group(&runtime, 20, move |index| {
        MINE.set(index);
        for round in 0..200 {
            migrate(round);
            counted[current().vp().expect("a coroutine")].fetch_add(1, Ordering::Relaxed);
            yield_now();
            assert_eq!(MINE.get(), index);
        }
    });
    // An idle processor may take over the same contexts each time they move to the other one, but never all.
    let visits = [0, 1].map(|vp| visits[vp].load(Ordering::Relaxed));
    assert!(visits.iter().all(|&visits| visits > 200), "{visits:?}");
}

#[test]
fn thread_local_variables_start_afresh_on_a_reused_stack_and_are_dropped_at_the_end() {
    static DROPS: AtomicUsize = AtomicUsize::new(0);
    struct Counted(Cell<u32>);
    impl Drop for Counted {
        fn drop(&mut self) {
            DROPS.fetch_add(1, Ordering::SeqCst);
        }
    }
    thread_local!(static MINE: Counted = const { Counted(Cell::new(0)) });
    let runtime = runtime(1);
    for _ in 0..10 {
        group(&runtime, 3, |_| {
            assert_eq!(MINE.with(|mine| mine.0.replace(7)), 0);
        });
    }
    assert_eq!(DROPS.load(Ordering::SeqCst), 30);
}

#[test]
fn errno_is_private() {
    let runtime = runtime(1);
    group(&runtime, 8, |index| {
        let name = std::ffi::CString::new(format!("/no/such/{index}")).expect("no zero byte");
        for _ in 0..50 {
            if index % 2 == 0 {
                assert!(std::fs::metadata(name.to_str().expect("ascii")).is_err());
                yield_now();
                assert_eq!(std::io::Error::last_os_error().raw_os_error(), Some(libc::ENOENT));
            } else {
                yield_now();
                assert_eq!(std::io::Error::last_os_error().raw_os_error().unwrap_or(0), 0);
            }
        }
    });
}

#[test]
fn an_execution_context_keeps_its_purpose() {
    let runtime = runtime(1);
    assert_eq!(current().purpose(), Purpose::Compute);
    for purpose in [Purpose::Network, Purpose::Io, Purpose::Compute] {
        let spec = EcSpec { purpose, ..small() };
        let ec = runtime.spawn(spec, 0, move || assert_eq!(current().purpose(), purpose));
        ec.expect("an execution context").join().expect("no panic");
    }
}

#[test]
fn a_panic_ends_its_execution_context_only() {
    let runtime = runtime(2);
    let bad = runtime
        .spawn(small(), 0, || panic_quietly("on purpose"))
        .expect("an execution context");
    let payload = bad.join().expect_err("it panicked");
    assert_eq!(payload.downcast_ref::<&str>(), Some(&"on purpose"));
    group(&runtime, 4, |_| yield_now());
}

#[test]
fn barriers_mutexes_and_condition_variables_suspend_the_context_not_its_thread() {
    const PARTIES: usize = 40;
    const ROUNDS: usize = 300;
    let barrier = Barrier::new(PARTIES);
    let total = Mutex::new(0_usize);
    let (turn, changed) = (Mutex::new(0_usize), Condvar::new());
    group(&runtime(2), PARTIES, move |index| {
        for round in 0..ROUNDS {
            *total.lock() += 1;
            barrier.wait();
            assert_eq!(*total.lock(), (round + 1) * PARTIES);
            barrier.wait();
        }
        let mut now = turn.lock();
        while *now != index {
            now = changed.wait(now);
        }
        *now += 1;
        changed.notify_all();
    });
}

#[test]
fn a_mutex_can_be_held_across_a_suspension() {
    let inside = AtomicUsize::new(0);
    let mutex = Mutex::new(());
    group(&runtime(2), 10, move |_| {
        for _ in 0..100 {
            let _guard = mutex.lock();
            assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
            yield_now();
            inside.fetch_sub(1, Ordering::SeqCst);
        }
    });
}

#[test]
fn waiting_for_one_or_all_of_many_events() {
    const EVENTS: usize = 8;
    for vps in [1, 2] {
        let events: Arc<Vec<Completion>> = Arc::new((0..EVENTS).map(|_| Completion::new()).collect());
        let seen = Arc::new(AtomicUsize::new(0));
        let shared = (Arc::clone(&events), Arc::clone(&seen));
        group(&runtime(vps), EVENTS + 2, move |index| {
            let (events, seen) = &shared;
            let all: Vec<&Completion> = events.iter().collect();
            match index {
                0 => wait_all(&all),
                1 => {
                    let first = wait_any(&all[EVENTS / 2..]) + EVENTS / 2;
                    assert!(events[first].is_done());
                }
                // Events have one waiter: the upper half belongs to the second waiter until it is through.
                _ => {
                    (0..index * 3).for_each(|_| yield_now());
                    events[index - 2].complete();
                }
            }
            seen.fetch_add(1, Ordering::SeqCst);
        });
        assert_eq!(seen.load(Ordering::SeqCst), EVENTS + 2);
    }
}

#[test]
fn attached_threads_and_execution_contexts_wake_each_other() {
    let runtime = runtime(2);
    let main = current();
    assert!(main.is_attached());
    for round in 0..500_usize {
        let ready = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&ready);
        let ec = runtime.spawn(small(), round, move || {
            flag.store(true, Ordering::SeqCst);
            main.unpark();
            park();
        });
        let ec = ec.expect("an execution context");
        while !ready.load(Ordering::SeqCst) {
            park();
        }
        ec.ec().unpark();
        ec.join().expect("no panic");
    }
}

#[test]
fn one_seed_gives_one_order() {
    let order = |seed| {
        let runtime = Builder::new()
            .vps(Some(1))
            .seed(Some(seed))
            .start()
            .expect("a runtime");
        let log = Arc::new(Mutex::new(Vec::new()));
        let gate = Arc::new(Barrier::new(10));
        let shared = (Arc::clone(&log), gate);
        group(&runtime, 10, move |index| {
            let (log, gate) = &shared;
            gate.wait();
            for _ in 0..5 {
                log.lock().push(index);
                yield_now();
            }
        });
        log.lock().clone()
    };
    assert_ne!(order(1), order(2));
}

/// Yields until this context is on the second processor, or another one was.
fn yield_until_moved(stop: &AtomicBool) {
    while !stop.load(Ordering::SeqCst) {
        if current().vp() == Some(1) {
            stop.store(true, Ordering::SeqCst);
        }
        yield_now();
    }
}

#[test]
fn an_idle_processor_takes_over_waiting_work() {
    let runtime = runtime(2);
    let stop = Arc::new(AtomicBool::new(false));
    let start = || {
        let stop = Arc::clone(&stop);
        runtime
            .spawn(small(), 0, move || yield_until_moved(&stop))
            .expect("an execution context")
    };
    // The second processor asks while the first has nothing to spare; what comes later must reach it all the same.
    let mut handles = vec![start()];
    while runtime.stats()[1].sleeps == 0 {
        std::thread::yield_now();
    }
    handles.extend((0..3).map(|_| start()));
    handles
        .into_iter()
        .for_each(|handle| handle.join().expect("no panic"));
    assert!(stop.load(Ordering::SeqCst));
}

#[test]
fn members_begin_at_home_and_stay_within_what_they_are_bound_to() {
    let machine = || Topology::synthetic("core:2 pu:1").expect("a valid description");
    let mut values = Values::default();
    values
        .read(Id::BindTo, "test", "core".as_ref())
        .expect("words that are understood");
    let plan = values.plan().expect("a plan");
    let placement = Placement::new(&machine(), &plan, 4).expect("a placement");
    let (part, homes) = placement.of_process(0..4, machine());
    let builder = Builder::new().topology(part).homes(homes);
    let runtime = builder.start().expect("a runtime");
    // Nothing is left on the second processor, which may not take over what the first has too much of.
    let handles = [0, 1, 2, 3].map(|index| {
        let wander = move || {
            for _ in 0..if index % 2 == 0 { 100_000 } else { 1 } {
                assert_eq!(current().vp(), Some(index % 2));
                yield_now();
            }
        };
        let started = runtime.spawn_member(small(), (index, 4), wander);
        started.expect("an execution context")
    });
    for handle in handles {
        handle.join().expect("no panic");
    }
}

#[test]
fn idle_processors_join_in_shared_work() {
    const PIECES: usize = 100_000;
    let runtime = runtime(2);
    let counts: Arc<Vec<AtomicUsize>> = Arc::new((0..PIECES).map(|_| AtomicUsize::new(0)).collect());
    let helpers = Arc::new(Mutex::new(std::collections::HashSet::new()));
    let shared = (Arc::clone(&counts), Arc::clone(&helpers));
    group(&runtime, 1, move |_| {
        let (counts, helpers) = &shared;
        let mut rounds = 0;
        while helpers.lock().len() < 2 {
            let seen = [AtomicBool::new(false), AtomicBool::new(false)];
            simurgh_core::parallel_for(PIECES, &|piece| {
                counts[piece].fetch_add(1, Ordering::Relaxed);
                seen[current().vp().expect("a worker")].store(true, Ordering::Relaxed);
            });
            rounds += 1;
            assert!(
                counts.iter().all(|count| count.load(Ordering::Relaxed) == rounds),
                "each piece once a round"
            );
            let vps = seen
                .iter()
                .enumerate()
                .filter(|(_, seen)| seen.load(Ordering::Relaxed))
                .map(|(vp, _)| vp);
            helpers.lock().extend(vps);
        }
    });
}

/// A policy that leaves every context where it is.
struct Staying;

impl Policy for Staying {
    fn name(&self) -> &str {
        "staying"
    }

    fn place(&self, _index: usize, _count: usize, machine: &Machine<'_>) -> usize {
        machine.vps() - 1
    }

    fn victims(&self, _vp: usize, _machine: &Machine<'_>) -> Vec<usize> {
        Vec::new()
    }
}

#[test]
fn a_party_that_has_published_is_resumed_first_wherever_all_are_released() {
    const WAITERS: usize = 9;
    let builder = Builder::new().vps(Some(2)).policy(Arc::new(Staying));
    let runtime = builder.start().expect("a runtime");
    for (releaser, shower) in [(0, 0), (0, 4), (0, 8), (1, 0), (1, 4), (1, 8)] {
        let list = Arc::new((WaitList::new(), AtomicBool::new(false)));
        let ring = Arc::new(BroadcastRing::<u8>::new(WAITERS));
        let [came, went] = [(); 2].map(|()| Arc::new(Mutex::new(Vec::new())));
        let waiter = |index| {
            let (list, came, went) = (Arc::clone(&list), Arc::clone(&came), Arc::clone(&went));
            let ring = Arc::clone(&ring);
            let wait = move || {
                if index == shower {
                    assert!(ring.next_round(index).publish_and_leave(|_| (), |until| until()));
                }
                came.lock().push(index);
                list.0.wait_while(|| !list.1.load(Ordering::SeqCst));
                went.lock().push(index);
            };
            runtime.spawn(small(), 1, wait).expect("an execution context")
        };
        let mut handles: Vec<EcHandle> = (0..WAITERS).map(waiter).collect();
        let (list, seen) = (Arc::clone(&list), Arc::clone(&came));
        let release = move || {
            // Where they wait, so that all do once it has seen them come.
            while seen.lock().len() < WAITERS {
                yield_now();
            }
            migrate(releaser);
            list.1.store(true, Ordering::SeqCst);
            list.0.release_all();
        };
        handles.push(runtime.spawn(small(), 1, release).expect("an execution context"));
        handles
            .into_iter()
            .for_each(|handle| handle.join().expect("no panic"));
        assert_eq!(went.lock().first(), Some(&shower));
        assert_eq!((went.lock().len(), came.lock().len()), (WAITERS, WAITERS));
    }
}

/// Starts contexts on the first of two virtual processors, which lie in packages of their own, and lets them yield
/// until `are_done` says so of the number of rounds and of those that have seen the other virtual processor.
fn wander(policy: Affine, are_done: impl Fn(usize, usize) -> bool + Send + Sync + 'static) -> usize {
    let topology = Topology::synthetic("package:2 core:1 pu:1").expect("a valid description");
    let builder = Builder::new().vps(Some(2)).policy(Arc::new(policy));
    let runtime = builder.topology(topology).start().expect("a runtime");
    let shared = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0), are_done));
    let body = |_| {
        let shared = Arc::clone(&shared);
        let body = move || {
            let (rounds, elsewhere, are_done) = &*shared;
            let counted = |counter: &AtomicUsize| counter.load(Ordering::SeqCst);
            while !are_done(counted(rounds), counted(elsewhere)) {
                rounds.fetch_add(1, Ordering::SeqCst);
                if current().vp() == Some(1) {
                    elsewhere.fetch_add(1, Ordering::SeqCst);
                }
                yield_now();
            }
        };
        runtime.spawn(small(), 0, body).expect("an execution context")
    };
    let handles: Vec<EcHandle> = (0..8).map(body).collect();
    handles
        .into_iter()
        .for_each(|handle| handle.join().expect("no panic"));
    shared.1.load(Ordering::SeqCst)
}

#[test]
fn an_affine_processor_takes_nothing_over_from_another_domain_unless_asked_to() {
    let stayed = wander(Affine::within(DomainKind::Package), |rounds, _| rounds > 200_000);
    assert_eq!(stayed, 0);
    let moved = wander(Affine::within(DomainKind::Machine), |_, elsewhere| elsewhere > 0);
    assert!(moved > 0);
}

#[test]
fn an_uneven_load_is_evened_out_once_it_has_been_measured() {
    const MEMBERS: usize = 8;
    let rule = Rebalancing {
        period: Duration::from_millis(20),
        least_gain: 0.05,
    };
    let policy = Arc::new(Balance::by(rule));
    let runtime = Builder::new()
        .vps(Some(2))
        .policy(policy)
        .start()
        .expect("a runtime");
    let barrier = Arc::new(Barrier::new(MEMBERS));
    let work = Arc::new([const { AtomicUsize::new(0) }; 2]);
    let is_over = Arc::new(AtomicBool::new(false));
    let body = |index: usize| {
        let (barrier, work, is_over) = (Arc::clone(&barrier), Arc::clone(&work), Arc::clone(&is_over));
        move || {
            let units = if index < MEMBERS / 2 { 3 } else { 1 };
            let mut good = 0;
            while !is_over.load(Ordering::SeqCst) {
                std::hint::black_box(
                    (0..units * 200_000).fold(0, |sum, turn| std::hint::black_box(sum ^ turn)),
                );
                work[current().vp().expect("a worker")].fetch_add(units, Ordering::SeqCst);
                barrier.wait();
                if index == 0 {
                    let done = work.each_ref().map(|work| work.swap(0, Ordering::SeqCst));
                    good = if done == [8, 8] { good + 1 } else { 0 };
                    is_over.store(good == 3, Ordering::SeqCst);
                }
                barrier.wait();
            }
        }
    };
    let handles: Vec<EcHandle> = (0..MEMBERS)
        .map(|index| {
            runtime
                .spawn_member(small(), (index, MEMBERS), body(index))
                .expect("an execution context")
        })
        .collect();
    handles
        .into_iter()
        .for_each(|handle| handle.join().expect("no panic"));
    assert!(runtime.balancing_moves() >= Some(4));
}

#[test]
fn contexts_move_on_their_own_request() {
    let topology = Topology::synthetic("core:2 pu:1").expect("a valid description");
    let builder = Builder::new().vps(Some(2)).policy(Arc::new(Staying));
    let runtime = builder.topology(topology).start().expect("a runtime");
    let body = || {
        for vp in [1, 0, 0, 1] {
            assert!(move_to(vp));
            assert_eq!(current().vp(), Some(vp));
        }
        assert!(!move_to(2), "there is no such processor");
        assert_eq!(current().vp(), Some(1));
    };
    let handle = runtime.spawn(small(), 1, body).expect("an execution context");
    handle.join().expect("no panic");
    assert!(!move_to(0), "this thread is none of the runtime");
}
