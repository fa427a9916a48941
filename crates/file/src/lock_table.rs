//! Byte ranges that accesses of this process have locked.
//!
//! The ranks of a host have one open file, whose locks against other processes do not keep them apart, so a table does.
//! Those that wait block their kernel thread. Whoever has a lock does not wait for an I/O thread.

use std::ops::Range;
use std::sync::{Condvar, Mutex, PoisonError};

/// The ranges that are locked.
#[derive(Debug, Default)]
pub(crate) struct LockTable {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    held: Vec<Held>,
    /// Those that wait for a lock.
    waiting: usize,
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
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while state.held.iter().any(|other| other.excludes(&wanted)) {
            state.waiting += 1;
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
        state.held.push(wanted.clone());
        drop(state);
        Locked {
            table: self,
            held: wanted,
        }
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        let mut state = self.table.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = state.held.iter().position(|held| *held == self.held) {
            state.held.swap_remove(place);
        }
        let is_awaited = state.waiting > 0;
        drop(state);
        if is_awaited {
            self.table.changed.notify_all();
        }
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
        assert!(table.state.lock().unwrap().held.is_empty());
    }
}
