//! Byte ranges that accesses of this process have locked.
//!
//! In atomic mode each access locks the bytes from its first to its last one. The ranks of a host have one open file,
//! whose locks against other processes do not keep them apart, so this table does. Those that wait are I/O threads; one
//! that has a lock never waits for another, nor for an I/O thread, so all go on in the end.

use std::ops::Range;
use std::sync::{Condvar, Mutex, PoisonError};

/// The ranges that are locked.
#[derive(Debug, Default)]
pub(crate) struct LockTable {
    held: Mutex<Vec<Held>>,
    changed: Condvar,
}

#[derive(Clone, PartialEq, Debug)]
struct Held {
    bytes: Range<u64>,
    exclusive: bool,
}

/// A lock, which goes when this is dropped.
#[derive(Debug)]
pub(crate) struct Locked<'a> {
    table: &'a LockTable,
    held: Held,
}

impl Held {
    fn excludes(&self, other: &Self) -> bool {
        let apart = self.bytes.end <= other.bytes.start || other.bytes.end <= self.bytes.start;
        !apart && (self.exclusive || other.exclusive)
    }
}

impl LockTable {
    /// Locks bytes, and waits for it.
    pub(crate) fn lock(&self, bytes: Range<u64>, exclusive: bool) -> Locked<'_> {
        let wanted = Held { bytes, exclusive };
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let is_excluded = |held: &mut Vec<Held>| held.iter().any(|other| other.excludes(&wanted));
        let mut held = self
            .changed
            .wait_while(held, is_excluded)
            .unwrap_or_else(PoisonError::into_inner);
        held.push(wanted.clone());
        Locked {
            table: self,
            held: wanted,
        }
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        let mut held = self.table.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = held.iter().position(|held| *held == self.held) {
            held.swap_remove(place);
        }
        drop(held);
        self.table.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use simurgh_core::sync::{AtomicU64, Ordering};

    #[test]
    fn ranges_that_overlap_exclude_each_other() {
        let table = LockTable::default();
        let first = table.lock(0..10, false);
        drop(table.lock(5..20, false));
        drop(table.lock(10..20, true));
        drop(first);
        let counter = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..1000 {
                        let _locked = table.lock(3..7, true);
                        let before = counter.load(Ordering::Relaxed);
                        counter.store(before + 1, Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!(counter.load(Ordering::Relaxed), 4000);
        assert!(table.held.lock().unwrap().is_empty());
    }
}
