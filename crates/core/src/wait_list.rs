//! Where execution contexts freeze until somebody releases them all.
//!
//! A list has a slot per worker. Freezing links the EC into its worker's slot, on the worker's stack, after its own
//! has been left: O(1). Releasing moves each slot's chain to its worker's run queue: one splice per worker, whatever
//! the number of ECs. A frozen EC is touched by nobody in between.

use crossbeam_utils::CachePadded;

use crate::cyclic_barrier::Tally;
use crate::ec::{EcRef, Frozen, current, park, slot_count, spin_while_idle};
use crate::sync::{SpinGuard, SpinLock};

/// A set of frozen execution contexts, released together.
pub struct WaitList {
    slots: Box<[CachePadded<SpinLock<Slot>>]>,
}

/// The frozen execution contexts of one worker, and those that wait by their token.
#[derive(Default)]
pub(crate) struct Slot {
    pub(crate) frozen: Frozen,
    attached: Vec<EcRef>,
    /// For the meetings of a [`CyclicBarrier`](crate::CyclicBarrier).
    pub(crate) tally: Tally,
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

    /// The slot of a worker, and its number.
    #[inline]
    pub(crate) fn slot(&self, worker: usize) -> (usize, &SpinLock<Slot>) {
        // A division is dear. More workers than slots: another runtime was started after the list was made.
        let index = if worker < self.slots.len() {
            worker
        } else {
            worker % self.slots.len()
        };
        (index, &self.slots[index])
    }

    /// Freezes the calling execution context while `closed` holds. Returns once it does not.
    ///
    /// `closed` is asked under the slot's lock; whoever releases makes it false first, so no release is missed. It is
    /// asked again after a release, because a release meant for an earlier use of the list may come late.
    pub fn freeze_while(&self, closed: impl Fn() -> bool) {
        if !spin_while_idle(|| !closed()) {
            self.freeze_at_once_while(closed);
        }
    }

    /// [`WaitList::freeze_while`] for who has looked at `closed` for a while already.
    pub(crate) fn freeze_at_once_while(&self, closed: impl Fn() -> bool) {
        let me = current();
        loop {
            let guard = self.slot(me.slot()).1.lock();
            if !closed() {
                return;
            }
            self.freeze(me, guard);
            if !closed() {
                return;
            }
        }
    }

    /// Freezes the calling execution context, which has locked its worker's slot, until the next release.
    #[inline]
    pub(crate) fn freeze(&self, me: EcRef, mut guard: SpinGuard<'_, Slot>) {
        if me.waits_by_token() {
            guard.attached.push(me);
            drop(guard);
            park();
        } else {
            me.freeze(guard);
        }
    }

    /// Releases every frozen execution context: one splice per worker.
    pub fn release_all(&self) {
        self.release(false);
    }

    /// [`WaitList::release_all`]; if asked for, workers that have many more execution contexts than others hand some
    /// over.
    pub(crate) fn release(&self, evenly: bool) {
        // The caller's own worker is served last: the others have nothing to do before.
        let own = self.slot(current().slot()).0;
        let others = (0..self.slots.len()).filter(|index| *index != own);
        for index in others.chain([own]) {
            let (mut frozen, attached) = {
                let mut guard = self.slots[index].lock();
                guard.tally.reset();
                (
                    std::mem::take(&mut guard.frozen),
                    std::mem::take(&mut guard.attached),
                )
            };
            if evenly {
                frozen.even_out();
            }
            frozen.thaw();
            attached.into_iter().for_each(EcRef::unpark);
        }
    }
}
