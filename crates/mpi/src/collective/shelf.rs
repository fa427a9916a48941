//! How the ranks of a communicator find each other's nonblocking collectives.
//!
//! All ranks start them in the same order, which is what MPI asks for. Each numbers its own: the first to come to a
//! number lays out a gathering, the others find it, and the last to find it takes it off the shelf. Gatherings that are
//! over are kept for later ones. Persistent collectives are set up in the same way, and in the same order.

use super::call::Call;
use super::underway::Underway;
use crate::deadlock::{Place as Waited, Stall};
use crate::limits::POOLED_GATHERINGS;
use crate::members::Seating;
use crate::members::Span;
use simurgh_core::sync::{Arc, SpinLock};
use std::collections::VecDeque;
use std::sync::Weak;

/// The nonblocking collectives of a communicator that some rank has started and not every rank has.
#[derive(Debug)]
pub(crate) struct Shelf {
    seating: Seating,
    /// None if all ranks are on this host.
    span: Option<Arc<Span>>,
    places: SpinLock<Places>,
    /// The persistent ones that some rank has set up.
    rehearsed: SpinLock<Vec<(Call, Weak<Underway>)>>,
}

#[derive(Debug, Default)]
struct Places {
    /// Number of the first on the shelf.
    first: u64,
    places: VecDeque<Place>,
    /// Those that all ranks of this host have started and those of others may not have.
    abroad: Vec<(Call, Arc<Underway>)>,
    /// Those that are over.
    idle: Vec<Arc<Underway>>,
}

#[derive(Debug)]
struct Place {
    /// What the first rank to come has called.
    call: Call,
    underway: Arc<Underway>,
    /// Whether it is persistent: ranks set it up then, and start it later.
    again: bool,
    missing: usize,
}

impl Shelf {
    pub(crate) fn new(seating: Seating, span: Option<Arc<Span>>) -> Self {
        Self {
            seating,
            span,
            places: SpinLock::default(),
            rehearsed: SpinLock::default(),
        }
    }

    /// The collective of this number, for one of its ranks, which calls `call`.
    pub(super) fn take(&self, number: u64, call: Call) -> Arc<Underway> {
        self.find(number, call, false).0
    }

    /// The collective of this number, and whether the rank is the first to come.
    fn find(&self, number: u64, call: Call, again: bool) -> (Arc<Underway>, bool) {
        let mut shelf = self.places.lock();
        let index = usize::try_from(number - shelf.first).expect("as many as fit in memory");
        let first = index == shelf.places.len();
        if first {
            let idle = shelf.idle.pop();
            let make = || Underway::new(self.seating, self.span.clone());
            let underway = idle.unwrap_or_else(|| Arc::new(make()));
            let missing = self.ranks();
            shelf.places.push_back(Place {
                call,
                underway,
                again,
                missing,
            });
        }
        let place = &mut shelf.places[index];
        place.missing -= 1;
        let underway = Arc::clone(&place.underway);
        while let Some(place) = shelf.places.pop_front_if(|place| place.missing == 0) {
            shelf.first += 1;
            if self.span.is_some() && !place.again {
                shelf.abroad.push((place.call, place.underway));
            }
        }
        (underway, first)
    }

    /// [`Shelf::take`] for a persistent collective.
    pub(super) fn take_persistent(&self, number: u64, call: Call) -> Arc<Underway> {
        let (underway, first) = self.find(number, call, true);
        if first {
            let mut rehearsed = self.rehearsed.lock();
            if rehearsed.len() == rehearsed.capacity() {
                rehearsed.retain(|(_, underway)| underway.strong_count() > 0);
            }
            rehearsed.push((call, Arc::downgrade(&underway)));
        }
        underway
    }

    /// Keeps a gathering that is over.
    pub(super) fn keep(&self, underway: Arc<Underway>) {
        let mut shelf = self.places.lock();
        shelf.abroad.retain(|(_, other)| !Arc::ptr_eq(other, &underway));
        if shelf.idle.len() < POOLED_GATHERINGS {
            shelf.idle.push(underway);
        }
    }

    /// Ranks that live here.
    fn ranks(&self) -> usize {
        self.span
            .as_ref()
            .map_or(self.seating.seats(), |span| span.local().len())
    }

    fn stall(&self, call: Call, underway: &Underway) -> Option<Stall> {
        let seats = 0..self.ranks();
        let (started, missing): (Vec<_>, Vec<_>) = seats.partition(|seat| underway.has(*seat));
        // Whether ranks of other hosts are missing is not known here.
        let waits = !missing.is_empty() || self.span.is_some();
        (!started.is_empty() && waits).then(|| Stall {
            call: call.to_string(),
            blocking: false,
            started,
            missing,
        })
    }
}

impl Waited for Shelf {
    /// The collectives that some ranks have started and others have not.
    fn stalls(&self) -> Vec<Stall> {
        let shelf = self.places.lock();
        let once = shelf
            .places
            .iter()
            .filter(|place| !place.again)
            .map(|place| (place.call, Arc::clone(&place.underway)));
        let abroad = shelf
            .abroad
            .iter()
            .map(|(call, underway)| (*call, Arc::clone(underway)));
        let rehearsed = self.rehearsed.lock();
        let again = rehearsed
            .iter()
            .filter_map(|(call, underway)| Some((*call, underway.upgrade()?)));
        let stalls = once
            .chain(abroad)
            .chain(again)
            .filter_map(|(call, underway)| self.stall(call, &underway));
        stalls.collect()
    }
}
