//! Every interleaving of small uses of what is revoked: a bias, a value, and the permission to do without a lock. Run
//! with `RUSTFLAGS="--cfg loom"`, in release.
#![cfg(loom)]

use loom::thread;
use simurgh_core::sync::{Arc, AtomicU32, AtomicUsize, Bias, Ordering, model};
use simurgh_core::{RareExclusion, Revocable};

#[test]
fn a_revocation_waits_for_the_access_that_relies_on_the_bias() {
    model(|| {
        let shared = Arc::new((Bias::new(), AtomicUsize::new(0)));
        // SAFETY:
        // - the other thread below revokes it before it touches anything.
        unsafe { shared.0.begin() };
        // With a load and a store where nobody else is expected, and an exchange otherwise.
        let raise = |(bias, number): &(Bias, AtomicUsize)| {
            if bias.enter() {
                // An access within an access.
                assert!(bias.enter());
                number.store(number.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
                assert!(bias.leave() && bias.leave());
            } else {
                assert!(!bias.leave());
                number.fetch_add(1, Ordering::Relaxed);
            }
        };
        let other = Arc::clone(&shared);
        let visitor = thread::spawn(move || {
            other.0.revoke();
            raise(&other);
        });
        raise(&shared);
        raise(&shared);
        visitor.join().unwrap();
        assert_eq!(shared.1.load(Ordering::Relaxed), 3);
        // It does not begin again.
        // SAFETY:
        // - the other thread is gone.
        unsafe { shared.0.begin() };
        assert!(!shared.0.enter());
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

/// A short access adds by an instruction, a long one by a load and a store, at the same time: neither addition is lost.
fn add_short_and_long(exclusion: RareExclusion) {
    let shared = Arc::new((exclusion, AtomicU32::new(0)));
    let other = Arc::clone(&shared);
    let short = thread::spawn(move || {
        let _shared = other.0.share();
        other.1.fetch_add(1, Ordering::Relaxed);
    });
    let (exclusion, value) = &*shared;
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
    model(|| add_short_and_long(RareExclusion::new(1)));
}

#[test]
fn a_short_access_opens_what_a_long_one_has_left_shut() {
    model(|| {
        let exclusion = RareExclusion::new(1);
        assert!(exclusion.exclude(1).is_some(), "nobody else is there");
        add_short_and_long(exclusion);
    });
}
