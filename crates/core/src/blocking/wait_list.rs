//! A wait list: execution contexts suspend on it until somebody releases them all.
//!
//! A list has a slot for each worker. To suspend links the context into the slot of its worker, on the worker's stack,
//! after the context has left its own: O(1). To release moves the queue of each slot to the run queue of its worker:
//! one splice per worker, whatever the number of contexts. Nobody touches a suspended context in between.

use crossbeam_utils::CachePadded;

use crate::execution::{EcRef, Slot, current, park, slot_count, spin_while_idle};
use crate::sync::{SpinGuard, SpinLock};

/// A set of suspended execution contexts, released together.
pub struct WaitList {
    slots: Box<[CachePadded<SpinLock<Slot>>]>,
}

impl Default for WaitList {
    fn default() -> Self {
        Self::new()
    }
}

impl WaitList {
    /// An empty list, with a slot for each worker.
    #[must_use]
    pub fn new() -> Self {
        let slot = || CachePadded::new(SpinLock::new(Slot::default()));
        Self {
            slots: std::iter::repeat_with(slot).take(slot_count()).collect(),
        }
    }

    /// The slot of a worker, and its index.
    #[inline]
    pub(super) fn slot(&self, worker: usize) -> (usize, &SpinLock<Slot>) {
        // There are more workers than slots where another runtime was started after the list was made. A division is
        // expensive, so it is left to that case.
        let index = if worker < self.slots.len() {
            worker
        } else {
            worker % self.slots.len()
        };
        (index, &self.slots[index])
    }

    /// Suspends the calling execution context while `closed` returns true. Returns once it does not.
    ///
    /// `closed` is called under the lock of the slot. Whoever releases the list makes `closed` false first, so no
    /// release is missed. It is called again after a release, because a release that was meant for an earlier use of
    /// the list may come late.
    pub fn wait_while(&self, closed: impl Fn() -> bool) {
        if !spin_while_idle(|| !closed()) {
            self.suspend_while(closed);
        }
    }

    /// [`WaitList::wait_while`] for a caller that has checked `closed` for a while already.
    pub(super) fn suspend_while(&self, closed: impl Fn() -> bool) {
        let me = current();
        loop {
            let guard = self.slot(me.slot()).1.lock();
            if !closed() {
                return;
            }
            self.suspend(me, guard);
            if !closed() {
                return;
            }
        }
    }

    /// Suspends the calling execution context, which has locked its worker's slot, until the next release.
    #[inline]
    pub(super) fn suspend(&self, me: EcRef, mut guard: SpinGuard<'_, Slot>) {
        if me.waits_by_token() {
            guard.by_token.push(me);
            drop(guard);
            park();
        } else {
            me.suspend_into(guard);
        }
    }

    /// Releases every suspended execution context: one splice per worker.
    pub fn release_all(&self) {
        self.release(0, false);
    }

    /// [`WaitList::release_all`] but for the slots that others release, given as bits; with `rebalance`, workers that
    /// have many more execution contexts than others hand some over.
    pub(super) fn release(&self, by_others: u64, rebalance: bool) {
        // The caller's own worker comes last: the others have nothing to do before.
        let own = self.slot(current().slot()).0;
        let others = (0..self.slots.len()).filter(|index| *index != own);
        let is_by_others = |index: usize| index < u64::BITS as usize && by_others >> index & 1 == 1;
        for index in others.chain([own]).filter(|index| !is_by_others(*index)) {
            self.release_slot(index, rebalance);
        }
    }

    /// Releases the execution contexts that are suspended in a slot.
    pub(super) fn release_slot(&self, index: usize, rebalance: bool) {
        let (mut suspended, by_token) = {
            let mut guard = self.slots[index].lock();
            guard.tally.reset();
            (
                std::mem::take(&mut guard.suspended),
                std::mem::take(&mut guard.by_token),
            )
        };
        if rebalance {
            suspended.rebalance();
        }
        suspended.make_ready();
        by_token.into_iter().for_each(EcRef::unpark);
    }
}
