//! Every interleaving of small uses of locks, barriers and counters that processes share. Run with
//! `RUSTFLAGS="--cfg loom"`, in release.
#![cfg(loom)]

use loom::thread;
use simurgh_core::sync::{Arc, AtomicU32, BiasedGuard, BiasedLock, LockOwner, Ordering, SpinLock, model};
use simurgh_core::{BarrierCell, LockCell, LockKind, LockRequest, SharedBarrier, SharedCounter, SharedLock};

/// What ranks of several processes share: a lock, how often each has been told that it has it, and what it protects.
struct SharedLockModel {
    cell: LockCell,
    places: [AtomicU32; 2],
    grants: [AtomicU32; 2],
    value: AtomicU32,
}

impl SharedLockModel {
    fn new() -> Self {
        let words = || [0; 2].map(AtomicU32::new);
        Self {
            cell: LockCell::default(),
            places: words(),
            grants: words(),
            value: AtomicU32::new(0),
        }
    }

    /// Takes the lock for one access to the value.
    fn access(&self, kind: LockKind, origin: u32) {
        let lock = SharedLock::new(&self.cell, &self.places);
        let request = LockRequest { kind, origin };
        let grants = &self.grants[origin as usize];
        let before = grants.load(Ordering::Relaxed);
        if !lock.word().try_acquire(request) && !lock.acquire(request) {
            while grants.load(Ordering::Acquire) == before {
                thread::yield_now();
            }
        }
        let seen = self.value.load(Ordering::Relaxed);
        if kind == LockKind::Exclusive {
            self.value.store(seen + 1, Ordering::Relaxed);
        } else {
            assert_eq!(
                self.value.load(Ordering::Relaxed),
                seen,
                "nobody writes meanwhile"
            );
        }
        if !lock.word().try_release(kind) {
            for origin in lock.hand_on(kind) {
                self.grants[origin as usize].fetch_add(1, Ordering::Release);
            }
        }
    }
}

#[test]
fn a_shared_lock_excludes_and_forgets_nobody() {
    use LockKind::{Exclusive, Shared};
    // Two threads, since more that spin may take turns for ever while the holder does not go on.
    for kinds in [[Exclusive; 2], [Exclusive, Shared], [Shared, Exclusive]] {
        model(move || {
            let shared = Arc::new(SharedLockModel::new());
            let other = Arc::clone(&shared);
            let other = thread::spawn(move || (0..2).for_each(|_| other.access(kinds[1], 1)));
            (0..2).for_each(|_| shared.access(kinds[0], 0));
            other.join().unwrap();
            let written = 2 * kinds.iter().filter(|kind| **kind == Exclusive).count();
            // The next holder sees what all others have done under the lock.
            let lock = SharedLock::new(&shared.cell, &shared.places);
            assert!(lock.acquire(LockRequest {
                kind: Exclusive,
                origin: 0
            }));
            assert_eq!(shared.value.load(Ordering::Relaxed), written as u32);
        });
    }
}

/// What ranks of several processes share: a barrier, how often each has been told to look again, and what each does
/// before it arrives.
#[derive(Default)]
struct SharedBarrierModel {
    cell: BarrierCell,
    places: [AtomicU32; 2],
    notices: [AtomicU32; 2],
    values: [AtomicU32; 2],
}

impl SharedBarrierModel {
    /// Writes a value, arrives, sleeps if it has to, and reads the other's value.
    fn meet(&self, party: usize, value: u32) {
        let barrier = SharedBarrier::new(&self.cell, &self.places);
        self.values[party].store(value, Ordering::Relaxed);
        let Some(phase) = barrier.arrive() else {
            for sleeper in barrier.sleepers() {
                self.notices[sleeper].fetch_add(1, Ordering::Release);
            }
            return self.check(party, value);
        };
        while !barrier.has_ended(phase) && barrier.sleep(party, phase) {
            // A party that sleeps and is never told would stay here, which the model finds.
            while self.notices[party].load(Ordering::Acquire) == 0 {
                thread::yield_now();
            }
            self.notices[party].fetch_sub(1, Ordering::Relaxed);
        }
        self.check(party, value);
    }

    /// The other may be in the next phase already.
    fn check(&self, party: usize, value: u32) {
        let other = self.values[1 - party].load(Ordering::Relaxed);
        assert!(
            (value..=value + 1).contains(&other),
            "what it did before it arrived is seen"
        );
    }
}

#[test]
fn a_shared_barrier_forgets_no_sleeper_and_shows_what_was_done_before() {
    model(|| {
        let shared = Arc::new(SharedBarrierModel::default());
        let other = Arc::clone(&shared);
        let other = thread::spawn(move || (1..=2).for_each(|value| other.meet(1, value)));
        (1..=2).for_each(|value| shared.meet(0, value));
        other.join().unwrap();
    });
}

/// What ranks of several processes share: a counter of events, how often its owner has been told to look again, and
/// what is done before each event.
#[derive(Default)]
struct SharedCounterModel {
    counter: SharedCounter,
    notices: AtomicU32,
    values: [AtomicU32; 2],
}

impl SharedCounterModel {
    fn count_event(&self, place: usize) {
        self.values[place].store(1, Ordering::Relaxed);
        if self.counter.add() {
            self.notices.fetch_add(1, Ordering::Release);
        }
    }

    /// Waits for so many events and uses them up.
    fn await_events(&self, goal: u32) {
        while self.counter.count() < goal && self.counter.sleep(goal) {
            // An owner that sleeps and is never told would stay here, which the model finds.
            while self.notices.load(Ordering::Acquire) == 0 {
                thread::yield_now();
            }
            self.notices.fetch_sub(1, Ordering::Relaxed);
        }
        self.counter.use_up(goal);
    }
}

fn two_that_count(shared: &Arc<SharedCounterModel>) -> [thread::JoinHandle<()>; 2] {
    [0, 1].map(|place| {
        let shared = Arc::clone(shared);
        thread::spawn(move || shared.count_event(place))
    })
}

#[test]
fn a_shared_counter_wakes_its_owner_for_the_last_event_and_shows_what_was_done_before() {
    model(|| {
        let shared = Arc::new(SharedCounterModel::default());
        let others = two_that_count(&shared);
        shared.await_events(2);
        let values = shared.values.each_ref();
        assert_eq!(values.map(|value| value.load(Ordering::Relaxed)), [1, 1]);
        others.into_iter().for_each(|other| other.join().unwrap());
        assert_eq!(
            shared.notices.load(Ordering::Relaxed),
            0,
            "nobody is told who does not sleep"
        );
    });
}

/// One that counts late for the first time may look at the goal of the second.
#[test]
fn a_shared_counter_forgets_no_owner_that_waits_again() {
    model(|| {
        let shared = Arc::new(SharedCounterModel::default());
        let others = two_that_count(&shared);
        (0..2).for_each(|_| shared.await_events(1));
        others.into_iter().for_each(|other| other.join().unwrap());
    });
}

#[test]
fn a_lock_that_is_not_free_stays_with_its_holder_when_another_tries() {
    model(|| {
        let sum = Arc::new(SpinLock::new(0));
        let try_twice = |sum: &SpinLock<usize>| {
            let tries = (0..2).filter(|_| {
                let guard = sum.try_lock_biased();
                guard.is_some_and(|mut guard| {
                    let before = *guard;
                    thread::yield_now();
                    *guard = before + 1;
                    true
                })
            });
            tries.count()
        };
        let other = Arc::clone(&sum);
        let thread = thread::spawn(move || try_twice(&other));
        let taken = try_twice(&sum) + thread.join().unwrap();
        assert_eq!(*sum.lock(), taken);
    });
}

/// What raises a number in a biased lock, by a load and a store.
fn raise(mut number: BiasedGuard<'_, usize>) {
    let before = *number;
    thread::yield_now();
    *number = before + 1;
}

/// A number in a lock that the caller owns.
fn owned(owner: &LockOwner) -> Arc<BiasedLock<usize>> {
    let number = Arc::new(BiasedLock::new(0));
    // The second time makes the caller the owner.
    (0..2).for_each(|_| raise(number.lock_as(owner)));
    number
}

fn lock_owner() -> LockOwner {
    // SAFETY:
    // - one thread of each model uses it.
    unsafe { LockOwner::new() }
}

#[test]
fn a_biased_lock_excludes_its_owner_and_those_that_take_it_from_that() {
    model(|| {
        let owner = lock_owner();
        let number = owned(&owner);
        let shared = Arc::clone(&number);
        let other = thread::spawn(move || raise(shared.lock()));
        (0..2).for_each(|_| raise(number.lock_as(&owner)));
        other.join().unwrap();
        assert_eq!(*number.lock(), 5);
    });
}

#[test]
fn a_biased_lock_that_others_try_to_take_stays_with_its_owner() {
    model(|| {
        let owner = lock_owner();
        let number = owned(&owner);
        let shared = Arc::clone(&number);
        let other = thread::spawn(move || shared.try_lock().map(raise).is_some());
        let mine = (0..2)
            .filter(|_| number.try_lock_as(&owner).map(raise).is_some())
            .count();
        let raised = mine + usize::from(other.join().unwrap());
        assert_eq!(*number.lock(), 2 + raised);
    });
}

/// One that tries and fails leaves the owner inside, though the lock has no owner any more.
#[test]
fn two_that_try_to_take_a_biased_lock_from_its_owner_exclude_each_other() {
    model(|| {
        let owner = lock_owner();
        let number = owned(&owner);
        let others = [(); 2].map(|()| {
            let shared = Arc::clone(&number);
            thread::spawn(move || shared.try_lock().map(raise).is_some())
        });
        let mine = number.try_lock_as(&owner).map(raise).is_some();
        let theirs = others.map(|other| other.join().unwrap());
        let raised = theirs.into_iter().chain([mine]).filter(|raised| *raised).count();
        assert_eq!(*number.lock(), 2 + raised);
    });
}
