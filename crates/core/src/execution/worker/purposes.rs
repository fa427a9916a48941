//! What a team makes of the purposes of execution contexts.
//!
//! A context that is about the network and slept on one event runs before the others once the event has happened: its
//! waker puts it in front, or, from another worker, has the worker sort its queue. A context that says that it is about
//! I/O goes on on a worker that is for such contexts alone, so it blocks the kernel thread of nobody that computes.

use std::ops::Range;
use std::ptr;

use super::Worker;
use super::work_stealing::SORT;
use crate::execution::control_block::Ec;
use crate::execution::purpose::Purpose;
use crate::execution::reference::EcRef;
use crate::execution::suspend::Suspend;
use crate::queue::IntrusiveQueue;
use crate::sync::Ordering;

/// The rules of a team for execution contexts of some purpose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PurposeRules {
    /// Whether contexts that are about the network run before others.
    pub network_first: bool,
    /// The indices of the workers that are for contexts that are about I/O.
    pub io_workers: Range<usize>,
}

impl Worker {
    /// Sets the rules of the whole team; the first call counts. Until then all contexts are run alike.
    pub fn set_purpose_rules(&self, rules: PurposeRules) {
        if let Some(cell) = self.purpose_rules() {
            cell.get_or_init(|| rules);
        }
    }

    fn rules(&self) -> Option<&PurposeRules> {
        self.purpose_rules()?.get()
    }

    /// Whether contexts that are about the network run before others.
    pub(crate) fn runs_network_first(&self) -> bool {
        self.rules().is_some_and(|rules| rules.network_first)
    }

    /// Puts a ready context before the others.
    ///
    /// # Safety
    ///
    /// The caller runs on this worker's kernel thread.
    pub(crate) unsafe fn push_local_first(&self, ec: &'static Ec) {
        // SAFETY:
        // - by the caller's promise the queue is not in use by anybody else.
        unsafe { self.own.local.with(|local| local.push_front(ec)) };
    }

    /// Has the worker put what is about the network before the others. To be called when that is in the inbox.
    pub(crate) fn ask_to_sort(&self) {
        // Release pairs with the Acquire in `sort`, which finds the context in the inbox.
        self.shared.asking.fetch_or(SORT, Ordering::Release);
    }

    /// Puts what is about the network before the others, each kind in its order.
    pub(super) fn sort(&self, local: &mut IntrusiveQueue<Ec>) {
        self.shared.asking.fetch_and(!SORT, Ordering::Acquire);
        if self.has_mail() {
            local.append(&mut self.shared.inbox.take());
        }
        let (mut first, mut others) = (IntrusiveQueue::new(), IntrusiveQueue::new());
        while let Some(ec) = local.pop_front() {
            match EcRef::new(ec).purpose() {
                Purpose::Network => first.push_back(ec),
                Purpose::Compute | Purpose::Io => others.push_back(ec),
            }
        }
        first.append(&mut others);
        *local = first;
    }

    /// Continues the calling context, which is `me` and runs here, on a worker for its new purpose, if the rules want
    /// that and it may leave this one.
    pub(in crate::execution) fn continue_where(&self, me: &Ec, purpose: Purpose) {
        let Some(rules) = self.rules() else { return };
        let is_for_io = rules.io_workers.contains(&self.index());
        let target = match purpose {
            Purpose::Io if !is_for_io && self.may_leave() => {
                me.origin.set(self.index());
                let places = rules.io_workers.len();
                let turn = self.index().checked_rem(places);
                turn.map(|turn| rules.io_workers.start + turn)
            }
            Purpose::Compute | Purpose::Network if is_for_io => Some(me.origin.get()),
            _ => None,
        };
        if let Some(target) = target.and_then(|index| self.team_mates().get(index)) {
            debug_assert!(!ptr::eq(*target, self), "it is of the other kind");
            me.suspend(Suspend::Move(*target));
        }
    }

    /// Whether contexts may leave this worker for any other: they are bound to nothing narrower.
    fn may_leave(&self) -> bool {
        let reach = self.own.reach.get();
        reach.is_some_and(|reach| reach.len() == self.peers().len())
    }
}
