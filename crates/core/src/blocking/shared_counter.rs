//! A counter in memory that processes share.

use crate::sync::{AtomicU32, Ordering};

/// A counter of events in memory that processes share, with one owner, which waits for so many of them and uses them
/// up. Zeroed it has counted nothing. To count an event is one atomic addition. Nobody waits here: the owner looks
/// whether the events have come, and says so before it sleeps. Whoever counts the last of them wakes it.
///
/// # Protocol
///
/// An owner that goes to sleep sets the goal and then adds zero to the count; whoever counts an event adds one to the
/// count and then looks at the goal. Both additions are AcqRel, and one follows the other. So either the owner sees the
/// event, or whoever counts it sees the goal. Whoever resets the goal has decided: the owner goes on by itself, or it
/// is told. A late look of one that has counted an event before may find the goal of a later sleep; so an owner that is
/// told looks at the count again, and perhaps sleeps again.
///
/// Another process may write anything into the memory. Then the owner wakes too early or never, and nothing worse
/// happens.
#[repr(C)]
#[derive(Debug, Default)]
pub struct SharedCounter {
    /// How many events have been counted and not used up.
    count: AtomicU32,
    /// The count for which the owner sleeps; 0 while it does not.
    goal: AtomicU32,
}

impl SharedCounter {
    /// Counts an event. Whether the caller has to tell the owner to look again.
    #[inline]
    #[must_use]
    pub fn add(&self) -> bool {
        // Release: the owner sees what the caller did before. Acquire: see the protocol.
        let count = self.count.fetch_add(1, Ordering::AcqRel).wrapping_add(1);
        // Relaxed: the addition orders it. The load keeps the line as it is where the owner does not sleep.
        let goal = self.goal.load(Ordering::Relaxed);
        goal != 0 && count >= goal && self.goal.swap(0, Ordering::Relaxed) != 0
    }

    /// How many events have been counted and not used up; what was done before each is visible.
    #[inline]
    #[must_use]
    pub fn count(&self) -> u32 {
        // Acquire pairs with the additions.
        self.count.load(Ordering::Acquire)
    }

    /// Uses up so many events. Called by the owner, which has seen them.
    #[inline]
    pub fn use_up(&self, events: u32) {
        // Relaxed: it tells nobody anything. As a read-modify-write it hides no addition from those that follow.
        self.count.fetch_sub(events, Ordering::Relaxed);
    }

    /// Says that the owner sleeps until it is told to look again, which is when there are so many events: one or more.
    /// False if there are: then it goes on, and nobody tells it.
    #[must_use]
    pub fn sleep(&self, goal: u32) -> bool {
        // Relaxed: the addition orders it; see the protocol.
        self.goal.swap(goal, Ordering::Relaxed);
        self.count.fetch_add(0, Ordering::AcqRel) < goal || self.goal.swap(0, Ordering::Relaxed) == 0
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn an_owner_that_sleeps_is_told_once_by_the_last_event() {
        let counter = SharedCounter::default();
        for _ in 0..3 {
            assert!(counter.sleep(2) && !counter.add());
            assert!(counter.add() && !counter.add());
            assert_eq!(counter.count(), 3);
            counter.use_up(3);
        }
    }

    #[test]
    fn an_owner_whose_events_have_come_does_not_sleep() {
        let counter = SharedCounter::default();
        assert!(!counter.add() && !counter.sleep(1));
        assert!(!counter.add(), "nobody sleeps any more");
        counter.use_up(1);
        assert_eq!(counter.count(), 1);
    }

    #[test]
    fn nonsense_in_the_memory_breaks_nothing() {
        let counter = SharedCounter::default();
        counter.count.store(u32::MAX, Ordering::Relaxed);
        counter.goal.store(7, Ordering::Relaxed);
        assert!(!counter.add() && counter.count() == 0);
        counter.use_up(1);
        assert!(counter.count() > 0 && !counter.sleep(7));
    }
}
