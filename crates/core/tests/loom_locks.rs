//! Every interleaving of small uses of locks that processes share. Run with `RUSTFLAGS="--cfg loom"`, in release.
#![cfg(loom)]

use loom::thread;
use simurgh_core::sync::{Arc, AtomicU32, Ordering};
use simurgh_core::{LockCell, LockKind, LockRequest, SharedLock};

/// Explores all interleavings with at most three preemptions, which bounds the time and finds nearly everything.
fn model(f: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.max_branches = 10_000;
    builder.check(f);
}

/// What ranks of several processes share: a lock, whom it has been granted to, and what it protects.
struct SharedLockModel {
    cell: LockCell,
    places: [AtomicU32; 3],
    granted: [AtomicU32; 3],
    value: AtomicU32,
}

impl SharedLockModel {
    fn new() -> Self {
        let words = || [0; 3].map(AtomicU32::new);
        Self {
            cell: LockCell::default(),
            places: words(),
            granted: words(),
            value: AtomicU32::new(0),
        }
    }

    /// Takes the lock for one access to the value.
    fn access(&self, kind: LockKind, origin: u32) {
        let lock = SharedLock::new(&self.cell, &self.places);
        let request = LockRequest { kind, origin };
        if !lock.word().try_acquire(request) && !lock.acquire(request) {
            while self.granted[origin as usize].load(Ordering::Acquire) == 0 {
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
                self.granted[origin as usize].store(1, Ordering::Release);
            }
        }
    }
}

#[test]
fn a_shared_lock_excludes_and_forgets_nobody() {
    use LockKind::{Exclusive, Shared};
    for kinds in [
        [Exclusive; 3],
        [Exclusive, Shared, Shared],
        [Exclusive, Shared, Exclusive],
    ] {
        model(move || {
            let shared = Arc::new(SharedLockModel::new());
            let others = [1, 2].map(|origin| {
                let shared = Arc::clone(&shared);
                thread::spawn(move || shared.access(kinds[origin as usize], origin))
            });
            shared.access(kinds[0], 0);
            others.into_iter().for_each(|other| other.join().unwrap());
            let written = kinds.iter().filter(|kind| **kind == Exclusive).count();
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
