//! Tickets for blocking calls.
//!
//! A blocking call needs a ticket only until it returns. So each rank has a few that are taken and given back without
//! counting references: a slot is taken with one locked instruction and given back with a plain store. Whoever completes
//! the call finds the slot by the numbers of the rank and of the slot. When all are taken (more threads of the rank
//! wait than there are slots) the call uses a request instead.

use super::ticket::Ticket;
use crate::limits::CALL_SLOTS;
use simurgh_core::sync::{AtomicBool, Ordering};

/// The slots of a rank.
#[derive(Debug, Default)]
pub(crate) struct CallSlots([Slot; CALL_SLOTS]);

/// One ticket on a line of its own: a remote rank writes to it.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Slot {
    taken: AtomicBool,
    ticket: Ticket,
}

/// A slot in use; dropping it gives it back.
#[derive(Debug)]
pub(crate) struct CallSlot<'a> {
    slot: &'a Slot,
    number: u32,
}

impl CallSlots {
    /// Takes a free slot, with its ticket reset.
    #[inline]
    pub(crate) fn take(&self) -> Option<CallSlot<'_>> {
        for (number, slot) in (0..).zip(&self.0) {
            // Acquire pairs with the Release in `drop`: the last user is done with the ticket.
            if !slot.taken.load(Ordering::Relaxed) && !slot.taken.swap(true, Ordering::Acquire) {
                slot.ticket.reset();
                return Some(CallSlot { slot, number });
            }
        }
        None
    }

    /// The ticket of a slot that is in use.
    #[inline]
    pub(crate) fn ticket(&self, number: u32) -> &Ticket {
        &self.0[number as usize].ticket
    }
}

impl<'a> CallSlot<'a> {
    /// The slot's number in its rank.
    #[inline]
    pub(crate) fn number(&self) -> u32 {
        self.number
    }

    /// The slot's ticket.
    #[inline]
    pub(crate) fn ticket(&self) -> &'a Ticket {
        &self.slot.ticket
    }
}

impl Drop for CallSlot<'_> {
    #[inline]
    fn drop(&mut self) {
        // Release pairs with the Acquire in `take`.
        self.slot.taken.store(false, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_run_out_and_come_back() {
        let slots = CallSlots::default();
        let taken: Vec<_> = (0..CALL_SLOTS).filter_map(|_| slots.take()).collect();
        assert_eq!(taken.len(), CALL_SLOTS);
        assert!(slots.take().is_none());
        drop(taken);
        assert_eq!(slots.take().map(|slot| slot.number()), Some(0));
    }
}
