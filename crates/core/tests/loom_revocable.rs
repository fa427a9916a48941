//! Every interleaving of small uses of what is revoked: a bias, a value, and the permission to do without a lock. Run
//! with `RUSTFLAGS="--cfg loom"`, in release.
#![cfg(loom)]

use loom::thread;
use simurgh_core::sync::{Arc, AtomicU32, AtomicUsize, Bias, Ordering, SpinLock, model};
use simurgh_core::{AccessSeat, ExclusionCell, ExclusionWorth, RareExclusion, Revocable, SeatHolder};

/// A bias, and a number that is raised with a load and a store where nobody else is expected, and with an exchange
/// otherwise.
#[derive(Default)]
struct Biased {
    bias: Bias,
    number: AtomicUsize,
}

impl Biased {
    fn begun() -> Arc<Self> {
        let this = Arc::new(Self::default());
        // SAFETY:
        // - each other thread revokes it before it touches anything.
        unsafe { this.bias.begin() };
        this
    }

    fn raise(&self) {
        let plain = || {
            self.number
                .store(self.number.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        };
        let locked = || {
            self.number.fetch_add(1, Ordering::Relaxed);
        };
        self.bias.step(plain, locked);
    }

    /// Another thread, which revokes the bias and then raises the number.
    fn visitor(self: &Arc<Self>) -> thread::JoinHandle<()> {
        let this = Arc::clone(self);
        thread::spawn(move || {
            this.bias.revoke();
            this.raise();
        })
    }
}

#[test]
fn a_revocation_waits_for_the_step_that_relies_on_the_bias() {
    model(|| {
        let biased = Biased::begun();
        let visitor = biased.visitor();
        biased.raise();
        biased.raise();
        visitor.join().unwrap();
        assert_eq!(biased.number.load(Ordering::Relaxed), 3);
        // It does not begin again.
        // SAFETY:
        // - the other thread is gone.
        unsafe { biased.bias.begin() };
        assert!(biased.bias.step(|| false, || true));
    });
}

#[test]
fn a_lock_that_was_taken_with_a_bias_excludes_those_that_come_after_its_revocation() {
    model(|| {
        let shared = Arc::new((Bias::new(), SpinLock::new(0)));
        // SAFETY:
        // - the other thread below revokes it before it touches anything.
        unsafe { shared.0.begin() };
        let raise = |(bias, number): &(Bias, SpinLock<usize>)| {
            let mut number = number.lock_by(bias);
            let before = *number;
            thread::yield_now();
            *number = before + 1;
        };
        let other = Arc::clone(&shared);
        let visitor = thread::spawn(move || {
            other.0.revoke();
            raise(&other);
        });
        raise(&shared);
        visitor.join().unwrap();
        assert_eq!(*shared.1.lock(), 2);
    });
}

/// Notes that it has been dropped.
struct Dropped(Arc<AtomicU32>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn what_is_revoked_is_dropped_once_and_by_nobody_who_uses_it() {
    model(|| {
        let drops = Arc::new(AtomicU32::new(0));
        let value = Arc::new(Revocable::new(Dropped(Arc::clone(&drops))));
        let shared = Arc::clone(&value);
        let user = thread::spawn(move || {
            if let Some(used) = shared.access() {
                assert_eq!(used.0.load(Ordering::Relaxed), 0, "it is there");
            }
        });
        value.revoke();
        assert!(value.access().is_none());
        user.join().unwrap();
        // If the user has kept it from being dropped, the next revocation drops it.
        assert!(drops.load(Ordering::Relaxed) <= 1);
        Revocable::new(()).revoke();
        assert_eq!(drops.load(Ordering::Relaxed), 1);
        drop(value);
        assert_eq!(drops.load(Ordering::Relaxed), 1);
    });
}

/// What excludes in a model.
#[derive(Default)]
struct Excluded {
    cell: ExclusionCell,
    seats: [AccessSeat; 2],
    holders: Option<[SeatHolder; 2]>,
    value: AtomicU32,
}

impl Excluded {
    fn within_node() -> Self {
        let mut excluded = Self::default();
        excluded.holders = Some([0, 1].map(|own| SeatHolder::new(&excluded.seats, &[own])));
        excluded
    }

    fn exclusion(&self, process: usize) -> RareExclusion<'_> {
        let worth = ExclusionWorth { fence: 1, wait: 1 };
        match &self.holders {
            None => RareExclusion::within_process(&self.cell, worth, true),
            Some(holders) => RareExclusion::within_node(&self.cell, worth, &self.seats, &holders[process]),
        }
    }
}

/// A short access adds by an instruction, a long one by a load and a store, at the same time: neither addition is lost.
fn add_short_and_long(excluded: Excluded) {
    let shared = Arc::new(excluded);
    let other = Arc::clone(&shared);
    let short = thread::spawn(move || {
        let _shared = other.exclusion(1).share();
        other.value.fetch_add(1, Ordering::Relaxed);
    });
    let (exclusion, value) = (shared.exclusion(0), &shared.value);
    if let Some(_alone) = exclusion.exclude(1) {
        let before = value.load(Ordering::Relaxed);
        value.store(before + 1, Ordering::Relaxed);
    } else {
        let _shared = exclusion.share();
        value.fetch_add(1, Ordering::Relaxed);
    }
    short.join().unwrap();
    assert_eq!(value.load(Ordering::Relaxed), 2);
}

#[test]
fn a_long_access_excludes_short_ones() {
    model(|| add_short_and_long(Excluded::default()));
}

#[test]
fn a_long_access_excludes_short_ones_of_other_processes() {
    model(|| add_short_and_long(Excluded::within_node()));
}

#[test]
fn a_short_access_opens_what_a_long_one_has_left_shut() {
    model(|| {
        let excluded = Excluded::default();
        assert!(excluded.exclusion(0).exclude(1).is_some(), "nobody else is there");
        add_short_and_long(excluded);
    });
}
