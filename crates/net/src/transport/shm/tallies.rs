//! Numbers that a host tells each other host of its world, for example how many of its requests it has handled, and
//! words by which it answers.
//!
//! They lie in the segment of the host that tells them, in a cache line for each other one, which looks there while it
//! waits. So to tell a number is a store, and a host that does not look costs no more. A broken host can tell wrong
//! numbers, and no more.

use simurgh_core::sync::{AtomicU32, AtomicU64, Ordering};

/// So many hosts can be told.
const HOSTS: usize = 256;

/// What a host tells the others, by their index in its world.
#[repr(C)]
pub(super) struct Tallies([Tally; HOSTS]);

#[derive(Default)]
#[repr(C, align(64))]
struct Tally {
    number: AtomicU32,
    /// How many answers it has told. Only the host that tells them writes it, one thread at a time.
    answers: AtomicU32,
    answer: AtomicU64,
}

impl Tallies {
    /// Tells a number to the host with this index, if it can be told.
    #[inline]
    pub(super) fn tell(&self, to: usize, number: u32) {
        if let Some(tally) = self.0.get(to) {
            // Release: who is told sees what was done before.
            tally.number.store(number, Ordering::Release);
        }
    }

    /// The last number that the host with this index has been told, 0 at first; none if it cannot be told.
    #[inline]
    pub(super) fn told(&self, to: usize) -> Option<u32> {
        // Acquire pairs with the store in `tell`.
        Some(self.0.get(to)?.number.load(Ordering::Acquire))
    }

    /// Answers the host with this index, if it can be told. Called by one thread at a time.
    #[inline]
    pub(super) fn answer(&self, to: usize, word: u64) {
        if let Some(tally) = self.0.get(to) {
            // Relaxed: the count publishes it, and only this thread writes that.
            tally.answer.store(word, Ordering::Relaxed);
            let answers = tally.answers.load(Ordering::Relaxed);
            // Release: who is told sees the answer, and what was done before.
            tally.answers.store(answers.wrapping_add(1), Ordering::Release);
        }
    }

    /// How many answers the host with this index has been told, and the last one; 0 if it cannot be told.
    #[inline]
    pub(super) fn answer_to(&self, to: usize) -> (u32, u64) {
        let Some(tally) = self.0.get(to) else {
            return (0, 0);
        };
        // Acquire pairs with the store in `answer`.
        let answers = tally.answers.load(Ordering::Acquire);
        (answers, tally.answer.load(Ordering::Relaxed))
    }

    /// Whether the host with this index can be told anything.
    #[inline]
    pub(super) fn have(to: usize) -> bool {
        to < HOSTS
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn tallies() -> Tallies {
        Tallies([(); HOSTS].map(|()| Tally::default()))
    }

    #[test]
    fn a_host_is_told_its_own_number_and_one_beyond_the_room_none() {
        let tallies = tallies();
        tallies.tell(1, 7);
        tallies.tell(HOSTS, 9);
        let told = [0, 1, 2, HOSTS].map(|host| tallies.told(host));
        assert_eq!(told, [Some(0), Some(7), Some(0), None]);
    }

    #[test]
    fn answers_are_counted_for_each_host() {
        let tallies = tallies();
        tallies.answer(3, 50);
        tallies.answer(3, 60);
        tallies.answer(HOSTS, 70);
        let told = [2, 3, HOSTS].map(|host| tallies.answer_to(host));
        assert_eq!(told, [(0, 0), (2, 60), (0, 0)]);
        assert!(Tallies::have(3) && !Tallies::have(HOSTS));
        assert_eq!(tallies.told(3), Some(0), "numbers are apart");
    }
}
