//! Numbers that a host tells each other host of its world, for example how many of its requests it has handled.
//!
//! They lie in the segment of the host that tells them, in a cache line for each other one, which looks there while it
//! waits. So to tell a number is a store, and a host that does not look costs no more. A broken host can tell wrong
//! numbers, and no more.

use simurgh_core::sync::{AtomicU32, Ordering};

/// So many hosts can be told.
const HOSTS: usize = 256;

/// What a host tells the others, by their index in its world.
#[repr(C)]
pub(super) struct Tallies([Tally; HOSTS]);

#[repr(C, align(64))]
struct Tally(AtomicU32);

impl Tallies {
    /// Tells a number to the host with this index, if it can be told.
    #[inline]
    pub(super) fn tell(&self, to: usize, number: u32) {
        if let Some(tally) = self.0.get(to) {
            // Release: who is told sees what was done before.
            tally.0.store(number, Ordering::Release);
        }
    }

    /// The last number that the host with this index has been told, 0 at first; none if it cannot be told.
    #[inline]
    pub(super) fn told(&self, to: usize) -> Option<u32> {
        // Acquire pairs with the store in `tell`.
        Some(self.0.get(to)?.0.load(Ordering::Acquire))
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_told_its_own_number_and_one_beyond_the_room_none() {
        let tallies = Tallies([(); HOSTS].map(|()| Tally(AtomicU32::new(0))));
        tallies.tell(1, 7);
        tallies.tell(HOSTS, 9);
        let told = [0, 1, 2, HOSTS].map(|host| tallies.told(host));
        assert_eq!(told, [Some(0), Some(7), Some(0), None]);
    }
}
