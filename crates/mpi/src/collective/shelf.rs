//! How the ranks of a communicator find each other's nonblocking collectives.
//!
//! All ranks start them in the same order, which is what MPI asks for. Each numbers its own: the first to come to a
//! number lays out a gathering, the others find it, and the last to find it takes it off the shelf. Gatherings that are
//! over are kept for later ones.

use super::offers::Seating;
use super::underway::Underway;
use crate::limits::POOLED_GATHERINGS;
use simurgh_core::sync::{Arc, SpinLock};
use std::collections::VecDeque;

/// The nonblocking collectives of a communicator that some rank has started and not every rank has.
#[derive(Debug)]
pub(crate) struct Shelf {
    seating: Seating,
    places: SpinLock<Places>,
}

#[derive(Debug, Default)]
struct Places {
    /// Number of the first on the shelf.
    first: u64,
    places: VecDeque<Place>,
    /// Those that are over.
    idle: Vec<Arc<Underway>>,
}

#[derive(Debug)]
struct Place {
    underway: Arc<Underway>,
    missing: usize,
}

impl Shelf {
    pub(crate) fn new(seating: Seating) -> Self {
        Self {
            seating,
            places: SpinLock::default(),
        }
    }

    /// The collective of this number, for one of its ranks.
    pub(super) fn take(&self, number: u64) -> Arc<Underway> {
        let mut shelf = self.places.lock();
        let index = usize::try_from(number - shelf.first).expect("as many as fit in memory");
        if index == shelf.places.len() {
            let idle = shelf.idle.pop();
            let underway = idle.unwrap_or_else(|| Arc::new(Underway::new(self.seating)));
            let missing = self.seating.seats();
            shelf.places.push_back(Place { underway, missing });
        }
        let place = &mut shelf.places[index];
        place.missing -= 1;
        let underway = Arc::clone(&place.underway);
        while shelf.places.pop_front_if(|place| place.missing == 0).is_some() {
            shelf.first += 1;
        }
        underway
    }

    /// Keeps a gathering that is over.
    pub(super) fn keep(&self, underway: Arc<Underway>) {
        let mut shelf = self.places.lock();
        if shelf.idle.len() < POOLED_GATHERINGS {
            shelf.idle.push(underway);
        }
    }
}
