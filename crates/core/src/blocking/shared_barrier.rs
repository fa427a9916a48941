//! A barrier in memory that processes share.

use crate::sync::{AtomicU32, Ordering, fence};

/// The fixed part of a barrier in shared memory; zeroed it is one at which nobody has arrived.
#[repr(C, align(64))]
#[derive(Debug, Default)]
pub struct BarrierCell {
    /// How many have arrived in the current phase.
    arrived: AtomicU32,
    /// Number of the current phase, which wraps around.
    phase: AtomicU32,
}

/// A barrier in memory that processes share, of as many parties as there are places. An arrival is one atomic addition,
/// and the last one ends the phase by a store. Nobody waits here: those that have arrived look whether the phase has
/// ended, and say so before they sleep. Whoever arrives last wakes them.
///
/// # Protocol
///
/// A party that goes to sleep sets its place and then looks at the phase once more; the last one to arrive ends the
/// phase and then looks at the places. Both issue a fence in between, so one of the two sees the other. Whoever resets
/// the place has decided: the party goes on by itself, or it is told. The last one of a phase may find a party that
/// sleeps in the next phase already; so one that is told looks at its phase again, and perhaps sleeps again.
///
/// Another process may write anything into the memory. Then a phase ends too early or never, and nothing worse happens.
#[derive(Clone, Copy, Debug)]
pub struct SharedBarrier<'a> {
    cell: &'a BarrierCell,
    /// One for each party: 1 while it sleeps.
    places: &'a [AtomicU32],
}

/// A phase at whose end a party has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrivedPhase(u32);

impl<'a> SharedBarrier<'a> {
    /// The barrier of a cell, with a place for each party.
    #[inline]
    #[must_use]
    pub fn new(cell: &'a BarrierCell, places: &'a [AtomicU32]) -> Self {
        Self { cell, places }
    }

    /// Arrives. None if the caller is the last one: then the phase has ended, and the caller wakes
    /// [those that sleep](SharedBarrier::sleepers).
    #[inline]
    #[must_use]
    pub fn arrive(&self) -> Option<ArrivedPhase> {
        let Self { cell, places } = self;
        // Relaxed: the phase does not end before the caller has arrived, and it saw the end of the one before.
        let phase = cell.phase.load(Ordering::Relaxed);
        // AcqRel: the last one sees what all others have done before, and passes it on.
        let before = cell.arrived.fetch_add(1, Ordering::AcqRel) as usize;
        if before + 1 < places.len() {
            return Some(ArrivedPhase(phase));
        }
        // Relaxed: nobody arrives again before seeing the end of the phase.
        cell.arrived.store(0, Ordering::Relaxed);
        // Release: those that see the end see what all have done before.
        cell.phase.store(phase.wrapping_add(1), Ordering::Release);
        None
    }

    /// Whether the phase has ended; if so, what all parties did before they arrived is visible.
    #[inline]
    #[must_use]
    pub fn has_ended(&self, ArrivedPhase(phase): ArrivedPhase) -> bool {
        // Acquire pairs with the store in `arrive`.
        self.cell.phase.load(Ordering::Acquire) != phase
    }

    /// Says that a party sleeps until it is told to look again. False if the phase has ended: then it goes on, and
    /// nobody tells it.
    ///
    /// # Panics
    ///
    /// If there is no such party.
    #[must_use]
    pub fn sleep(&self, party: usize, ArrivedPhase(phase): ArrivedPhase) -> bool {
        let place = &self.places[party];
        // Relaxed: the fence of the protocol orders it before the load, which is as in `has_ended`. A swap, not a
        // store: so all writes to a place are read-modify-writes, whose order the model knows.
        place.swap(1, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        self.cell.phase.load(Ordering::Acquire) == phase || place.swap(0, Ordering::Relaxed) == 0
    }

    /// The parties that sleep, each of which the caller has to tell to look again. Called by the last one to arrive.
    #[inline]
    pub fn sleepers(&self) -> impl Iterator<Item = usize> + use<'a> {
        // Orders the end of the phase before the loads: see the protocol.
        fence(Ordering::SeqCst);
        let places = self.places.iter().enumerate();
        // Relaxed: a place brings nothing but itself. The load keeps the lines of those that do not sleep shared.
        let sleeps =
            |place: &AtomicU32| place.load(Ordering::Relaxed) != 0 && place.swap(0, Ordering::Relaxed) != 0;
        places.filter_map(move |(party, place)| sleeps(place).then_some(party))
    }

    /// How many have arrived in the current phase, and how many there are, for a report. It is exact when nothing
    /// moves.
    #[must_use]
    pub fn progress(&self) -> (usize, usize) {
        let arrived = self.cell.arrived.load(Ordering::Relaxed) as usize;
        (arrived, self.places.len())
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn places(count: usize) -> Vec<AtomicU32> {
        (0..count).map(|_| AtomicU32::new(0)).collect()
    }

    #[test]
    fn a_phase_ends_when_all_have_arrived_and_those_that_sleep_are_found_once() {
        let (cell, places) = (BarrierCell::default(), places(3));
        let barrier = SharedBarrier::new(&cell, &places);
        for _ in 0..3 {
            let first = barrier.arrive().expect("it is not the last");
            let second = barrier.arrive().expect("it is not the last");
            assert!(barrier.sleep(0, first) && !barrier.has_ended(first));
            assert_eq!(barrier.progress(), (2, 3));
            assert!(barrier.arrive().is_none() && barrier.has_ended(first));
            assert!(!barrier.sleep(1, second), "the phase has ended");
            assert_eq!(barrier.sleepers().collect::<Vec<_>>(), [0]);
            assert_eq!(barrier.sleepers().count(), 0);
            assert_eq!(barrier.progress(), (0, 3));
        }
    }

    #[test]
    fn one_party_never_waits() {
        let (cell, places) = (BarrierCell::default(), places(1));
        let barrier = SharedBarrier::new(&cell, &places);
        assert!((0..3).all(|_| barrier.arrive().is_none()));
    }

    #[test]
    fn phases_go_on_when_their_numbers_wrap_around() {
        let (cell, places) = (BarrierCell::default(), places(2));
        cell.phase.store(u32::MAX, Ordering::Relaxed);
        let barrier = SharedBarrier::new(&cell, &places);
        let first = barrier.arrive().expect("it is not the last");
        assert!(barrier.arrive().is_none() && barrier.has_ended(first));
        let next = barrier.arrive().expect("it is not the last");
        assert!(!barrier.has_ended(next));
    }

    #[test]
    fn nonsense_in_the_memory_breaks_nothing() {
        let (cell, places) = (BarrierCell::default(), places(2));
        cell.arrived.store(u32::MAX, Ordering::Relaxed);
        places[1].store(7, Ordering::Relaxed);
        let barrier = SharedBarrier::new(&cell, &places);
        assert!(barrier.arrive().is_none());
        assert_eq!(barrier.sleepers().collect::<Vec<_>>(), [1]);
        assert!(barrier.arrive().is_some() && barrier.arrive().is_none());
    }
}
