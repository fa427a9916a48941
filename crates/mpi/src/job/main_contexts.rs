//! The main execution contexts of the ranks of a host, for those who want to know what the ranks are about.

use simurgh_core::{EcRef, Purpose, current};
use std::sync::OnceLock;

/// The main execution context of each rank of a host: the first one that has worked for it.
#[derive(Debug)]
pub(super) struct MainContexts(Box<[OnceLock<Main>]>);

/// An execution context that may have ended: then its control block has another number.
#[derive(Debug)]
struct Main {
    context: EcRef,
    number: u64,
}

impl MainContexts {
    pub(super) fn new(ranks: usize) -> Self {
        Self((0..ranks).map(|_| OnceLock::new()).collect())
    }

    /// Notes that the calling execution context works for the rank at this place.
    pub(super) fn note(&self, place: usize) {
        let context = current();
        let number = context.id();
        self.0[place].get_or_init(|| Main { context, number });
    }

    /// The number of ranks with each purpose, by its number. Those that have not begun or have ended have none.
    pub(super) fn purposes(&self) -> [usize; 3] {
        let mut counts = [0; Purpose::ALL.len()];
        let alive = |main: &&Main| main.context.id() == main.number;
        for main in self.0.iter().filter_map(OnceLock::get).filter(alive) {
            counts[main.context.purpose() as usize] += 1;
        }
        counts
    }
}
