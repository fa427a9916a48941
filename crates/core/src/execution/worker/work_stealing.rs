//! Work stealing: an idle worker asks others for some of what they have ready.
//!
//! The thief leaves its index at the victim, which answers between two contexts by giving away half of its queue. So a
//! run queue is touched by its own thread alone, and a worker that nobody asks pays a load of its own line.

use super::Worker;
use crate::execution::control_block::Ec;
use crate::queue::IntrusiveQueue;
use crate::sync::Ordering;

impl Worker {
    /// Asks `victim` for half of what it has ready. The answer comes through the inbox, or never.
    pub fn ask_for_work(&self, victim: &Worker) {
        // Relaxed: a hint.
        victim
            .shared
            .asking
            .store(self.own.index as u32 + 1, Ordering::Relaxed);
    }

    /// Takes [`Worker::ask_for_work`] back, if it has not been answered.
    pub fn stop_asking(&self, victim: &Worker) {
        let mine = self.own.index as u32 + 1;
        // Relaxed: a hint.
        if victim.shared.asking.load(Ordering::Relaxed) == mine {
            let _ = victim
                .shared
                .asking
                .compare_exchange(mine, 0, Ordering::Relaxed, Ordering::Relaxed);
        }
    }

    /// Gives the younger half of the queue to the worker that asks for work. While there is nothing to spare, the
    /// question stands.
    #[cold]
    pub(super) fn answer_thief(&self, local: &mut IntrusiveQueue<Ec>) {
        if local.len() < 2 {
            return;
        }
        // Relaxed: a hint, which may have been taken back.
        let thief = self.shared.asking.swap(0, Ordering::Relaxed) as usize;
        if thief != 0 {
            let half = local.split_off(local.len().div_ceil(2));
            self.peers()[thief - 1].inbox().push_all(half);
        }
    }
}
