//! Moves on request: somebody wants a context to go on on another worker.
//!
//! The wish is a number in the context's control block, and a bit in the word by which thieves ask for work. So it
//! costs nothing on the way from one context to the next while nobody has a wish.

use std::ptr;

use super::Worker;
use super::work_stealing::MOVES;
use crate::execution::control_block::Ec;
use crate::execution::current;
use crate::execution::suspend::Suspend;
use crate::queue::IntrusiveQueue;
use crate::sync::Ordering;

impl Worker {
    /// Has the worker look for contexts that are wanted elsewhere, among those that are ready.
    pub(crate) fn ask_for_moves(&self) {
        // Relaxed: a hint.
        self.shared.asking.fetch_or(MOVES, Ordering::Relaxed);
    }

    /// Passes on the contexts in the queue that are wanted elsewhere.
    pub(super) fn send_off(&self, local: &mut IntrusiveQueue<Ec>) {
        let mut staying = IntrusiveQueue::new();
        while let Some(ec) = local.pop_front() {
            let wanted = usize::from(ec.wanted_on().swap(0, Ordering::Relaxed));
            let target = self.peer_numbered(wanted);
            match target.filter(|target| target.index() != self.index()) {
                Some(target) => {
                    self.let_go_home(ec);
                    self.place_of(ec).ec_count().remove();
                    target.ec_count().add();
                    ec.set_worker(target);
                    target.inbox().push(ec);
                }
                None => staying.push_back(ec),
            }
        }
        *local = staying;
    }

    /// Sets the indices of the workers to which contexts that live here may move on their own request; the first call
    /// counts. Until then they may not move.
    pub fn allow_requests(&self, targets: impl Iterator<Item = usize>) {
        self.own.reach.get_or_init(|| targets.collect());
    }
}

/// Continues the calling execution context on the worker with this index, which runs whatever is ready, if it may move
/// there. Returns whether it is there.
///
/// The policy may move it again later. An attached thread stays where it is.
pub fn move_to(vp: usize) -> bool {
    let me = current();
    // SAFETY:
    // - workers live for the rest of the program.
    let Some(worker) = (unsafe { me.control().worker().as_ref() }) else {
        return false;
    };
    if worker.index() == vp {
        return true;
    }
    let may_move = worker.own.reach.get().is_some_and(|reach| reach.contains(&vp));
    let target = worker.peers().get(vp).filter(|_| may_move);
    if let Some(&target) = target {
        debug_assert!(!ptr::eq(target, worker), "its index is another one");
        me.control().suspend(Suspend::Move(target));
    }
    target.is_some()
}
