//! Collectives that do not end because ranks have not started them.

use crate::collective::Shelf;
use simurgh_core::sync::{Arc, SpinLock};
use std::sync::Weak;

/// A nonblocking or persistent collective that some ranks have started and others have not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfinished {
    /// What is called, as the blocking call.
    pub call: String,
    /// Number of the communicator; the world is 0.
    pub communicator: u32,
    /// The processes that have started it.
    pub started: Vec<u32>,
    /// The processes that have not.
    pub missing: Vec<u32>,
}

/// Where the communicators of a job keep their nonblocking collectives.
#[derive(Debug, Default)]
pub(crate) struct Shelves(SpinLock<Vec<Weak<Shelf>>>);

impl Shelves {
    /// Notes the shelf of one more communicator.
    pub(crate) fn add(&self, shelf: &Arc<Shelf>) {
        let mut shelves = self.0.lock();
        if shelves.len() == shelves.capacity() {
            shelves.retain(|shelf| shelf.strong_count() > 0);
        }
        shelves.push(Arc::downgrade(shelf));
    }

    /// All that does not end.
    pub(super) fn unfinished(&self) -> Vec<Unfinished> {
        let shelves: Vec<_> = self.0.lock().iter().filter_map(Weak::upgrade).collect();
        shelves.iter().flat_map(|shelf| shelf.unfinished()).collect()
    }
}
