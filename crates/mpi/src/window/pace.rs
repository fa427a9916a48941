//! How many short operations on other hosts a rank begins before it waits for them.
//!
//! Many had better be sent together; few take less time one by one, where that needs nobody else. A rank is taken to go
//! on as it did before it last waited.

use simurgh_core::sync::{AtomicU32, Ordering};

/// The most operations that take less time one by one.
const FEW: u32 = 2;

/// The pace of a rank. The threads of a rank share it, so it may miss some of their operations: it is a hint, and all
/// accesses are relaxed.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// Operations since the rank last waited.
    begun: AtomicU32,
    /// Operations between the last two times.
    before: AtomicU32,
}

impl Pace {
    /// Notes an operation. Whether it had better be done by itself.
    pub(super) fn begin(&self) -> bool {
        let is_slow = self.is_slow();
        self.note();
        is_slow
    }

    /// Whether the next operation had better be done by itself.
    #[inline]
    pub(super) fn is_slow(&self) -> bool {
        self.begun.load(Ordering::Relaxed) < FEW && self.before.load(Ordering::Relaxed) <= FEW
    }

    /// Notes an operation.
    #[inline]
    pub(super) fn note(&self) {
        let begun = self.begun.load(Ordering::Relaxed);
        self.begun.store(begun.saturating_add(1), Ordering::Relaxed);
    }

    /// Notes that the rank waits.
    #[inline]
    pub(super) fn end(&self) {
        let begun = self.begun.load(Ordering::Relaxed);
        self.before.store(begun, Ordering::Relaxed);
        self.begun.store(0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_operations_are_done_one_by_one() {
        let pace = Pace::default();
        let series = |count: u32| (0..count).filter(|_| pace.begin()).count() as u32;
        for (operations, alone) in [
            (1, 1),
            (5, FEW),
            (5, 0),
            (1, 0),
            (1, 1),
            (FEW, FEW),
            (FEW + 1, FEW),
            (1, 0),
        ] {
            assert_eq!(series(operations), alone, "{operations}");
            pace.end();
        }
    }
}
