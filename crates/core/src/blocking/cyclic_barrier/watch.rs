//! The release of those that wait on a worker by one of them.
//!
//! Whoever reports the arrivals of a worker waits for the end of the phase without suspending, while nobody else can
//! run there. When it sees the end, it could release the others of its worker itself: on lines that are on its core. If
//! the last party to arrive did that, the slot of the wait list, the last context in it and the worker's inbox would go
//! to the core of that party and back.
//!
//! # Protocol
//!
//! * Who reports promises to release its slot, by the slot's bit in the word of the common count, in the same step. One
//!   party promises for a slot in a phase.
//! * The last party takes all promises, ends the phase, and releases the other slots, among them its own.
//! * Who has promised and is going to suspend withdraws its bit. If the bit has been taken, the phase ends at once: the
//!   party waits for that and releases its slot.
//!
//! So each slot is released once after the end, and a party that has promised releases its slot before it leaves the
//! phase.

use super::common_count::CommonCount;
use super::has_ended;
use crate::blocking::wait_list::WaitList;
use crate::execution::spin_while_idle;
use crate::sync::{AtomicU64, wait_for};

/// The watch for the end of a phase by a party that has promised to release a slot. When it is dropped, it waits a
/// while, and keeps the promise or withdraws it.
pub(super) struct Watch<'a> {
    pub(super) count: &'a CommonCount,
    pub(super) waiting: &'a WaitList,
    pub(super) ended: &'a AtomicU64,
    pub(super) number: u64,
    pub(super) index: usize,
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        let is_over = || has_ended(self.ended, self.number);
        // At the end of the phase, the promise has been taken.
        if spin_while_idle(is_over) || !self.count.withdraw(self.index) {
            wait_for(|| is_over().then_some(()));
            self.waiting.release_slot(self.index, false);
        }
    }
}
