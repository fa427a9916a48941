//! Slots for blocking calls.
//!
//! A blocking call needs a status cell only until it returns. So each rank has a few slots that are taken and given
//! back without counting references.
//!
//! A slot is free or taken. It is given back with a plain store. The first half of the slots is for calls that wait in
//! the rank's own match table: these are taken while that table is locked, so that a plain load and a plain store are
//! enough. The other half is for calls that wait in the table of another rank, which are taken with one locked
//! instruction. The side that completes the call finds the slot by the numbers of the rank and of the slot. When all
//! are taken (more threads of the rank wait than there are slots) the call uses a request instead.

use super::status_cell::StatusCell;
use crate::limits::CALL_SLOTS;
use simurgh_core::sync::{AtomicBool, Ordering};

/// The slots of a rank: the first half for calls that wait in its own table, the second for all others.
#[derive(Debug, Default)]
pub(crate) struct CallSlots([Slot; 2 * CALL_SLOTS]);

/// A status cell on a line of its own, since another rank writes to it.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Slot {
    taken: AtomicBool,
    status_cell: StatusCell,
}

/// A slot in use; dropping it gives it back.
#[derive(Debug)]
pub(crate) struct CallSlot<'a> {
    slot: &'a Slot,
    number: u32,
}

impl CallSlots {
    /// Takes a free slot for a call that is about to wait in the rank's own match table, which the caller has locked.
    #[inline]
    pub(crate) fn take_locked(&self) -> Option<CallSlot<'_>> {
        let mut slots = (0..).zip(&self.0[..CALL_SLOTS]);
        // Acquire pairs with the Release in `drop`: the last user is done with the status cell.
        let (number, slot) = slots.find(|(_, slot)| !slot.taken.load(Ordering::Acquire))?;
        // Relaxed: nobody else takes slots of this half while the table is locked.
        slot.taken.store(true, Ordering::Relaxed);
        slot.status_cell.reset();
        Some(CallSlot { slot, number })
    }

    /// Takes a free slot for a call that will wait elsewhere.
    #[inline]
    pub(crate) fn take(&self) -> Option<CallSlot<'_>> {
        for (number, slot) in (0..).zip(&self.0).skip(CALL_SLOTS) {
            // Acquire pairs with the Release in `drop`: the last user is done with the status cell.
            if !slot.taken.load(Ordering::Relaxed) && !slot.taken.swap(true, Ordering::Acquire) {
                slot.status_cell.reset();
                return Some(CallSlot { slot, number });
            }
        }
        None
    }

    /// The status cell of a slot that is in use.
    #[inline]
    pub(crate) fn status_cell(&self, number: u32) -> &StatusCell {
        &self.0[number as usize].status_cell
    }
}

impl<'a> CallSlot<'a> {
    /// The slot's number in its rank.
    #[inline]
    pub(crate) fn number(&self) -> u32 {
        self.number
    }

    /// The slot's status cell.
    #[inline]
    pub(crate) fn status_cell(&self) -> &'a StatusCell {
        &self.slot.status_cell
    }
}

impl Drop for CallSlot<'_> {
    #[inline]
    fn drop(&mut self) {
        // Release pairs with the Acquire in `take` and `take_locked`.
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
        let taken_in: Vec<_> = (0..CALL_SLOTS).filter_map(|_| slots.take_locked()).collect();
        let mut numbers: Vec<_> = taken.iter().chain(&taken_in).map(CallSlot::number).collect();
        numbers.sort_unstable();
        assert!(numbers.into_iter().eq(0..2 * CALL_SLOTS as u32));
        assert!(slots.take().is_none() && slots.take_locked().is_none());
        drop((taken, taken_in));
        assert_eq!(slots.take_locked().map(|slot| slot.number()), Some(0));
        assert_eq!(slots.take().map(|slot| slot.number()), Some(CALL_SLOTS as u32));
    }
}
