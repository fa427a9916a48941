//! Gatherings: where the ranks of a host leave their parts of a collective access.
//!
//! Each rank numbers its collective accesses to a file, and equal numbers belong together. A rank leaves its part and
//! goes on, or waits for its request. The last rank to come has all parts, and has them moved.

use super::parts::Contribution;
use simurgh_core::sync::SpinLock;
use std::collections::VecDeque;

/// The collective accesses to a file that some ranks of the host have begun and others have not.
pub(super) struct Gatherings {
    ranks: usize,
    open: SpinLock<Open>,
}

#[derive(Default)]
struct Open {
    /// The number of the first one.
    first: u64,
    gatherings: VecDeque<Vec<Contribution>>,
}

impl Gatherings {
    pub(super) fn new(ranks: usize) -> Self {
        Self {
            ranks,
            open: SpinLock::default(),
        }
    }

    /// Leaves a part at the gathering of this number; returns all parts if it was the last.
    pub(super) fn arrive(&self, number: u64, contribution: Contribution) -> Option<Vec<Contribution>> {
        let mut open = self.open.lock();
        let place = usize::try_from(number - open.first).expect("as many as fit in memory");
        while open.gatherings.len() <= place {
            open.gatherings.push_back(Vec::new());
        }
        open.gatherings[place].push(contribution);
        if open.gatherings[place].len() < self.ranks {
            return None;
        }
        // Each rank comes in the order of the numbers, so the first gathering is the first that is complete.
        open.first += 1;
        open.gatherings.pop_front()
    }
}
