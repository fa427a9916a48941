//! Work stealing: an idle worker asks others for some of what they have ready.
//!
//! The thief leaves its index at the victim, which answers between two contexts by giving away half of its queue. So a
//! run queue is touched by its own thread alone, and a worker that nobody asks pays a load of its own line.

use super::Worker;
use crate::execution::control_block::Ec;
use crate::queue::IntrusiveQueue;
use crate::sync::Ordering;

/// The bit of the word by which thieves ask that says that contexts are [wanted elsewhere](super::moves).
pub(super) const MOVES: u32 = 1 << 31;
/// The bit that says that what is about the network is to run [first](super::purposes).
pub(super) const SORT: u32 = 1 << 30;
/// All bits that are no question of a thief.
pub(super) const WISHES: u32 = MOVES | SORT;

impl Worker {
    /// Asks `victim` for half of what it has ready. The answer comes through the inbox, or never.
    pub fn ask_for_work(&self, victim: &Worker) {
        let mine = self.own.index as u32 + 1;
        // Relaxed: a hint.
        let asking = &victim.shared.asking;
        let _ = asking.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |word| {
            Some(word & WISHES | mine)
        });
    }

    /// Takes [`Worker::ask_for_work`] back, if it has not been answered.
    pub fn stop_asking(&self, victim: &Worker) {
        let mine = self.own.index as u32 + 1;
        // Relaxed: a hint.
        let asking = &victim.shared.asking;
        let take_back = |word: u32| (word & !WISHES == mine).then_some(word & WISHES);
        let _ = asking.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take_back);
    }

    /// Does what others ask for: passes contexts on that are wanted elsewhere, and gives the younger half of the queue
    /// to the worker that asks for work. While there is nothing to spare, that question stands.
    #[cold]
    pub(super) fn answer(&self, local: &mut IntrusiveQueue<Ec>) {
        if self.shared.asking.load(Ordering::Relaxed) & MOVES != 0 {
            self.shared.asking.fetch_and(!MOVES, Ordering::Relaxed);
            self.send_off(local);
        }
        if self.shared.asking.load(Ordering::Relaxed) & SORT != 0 {
            self.sort(local);
        }
        if local.len() < 2 {
            return;
        }
        if let Some(thief) = self.asking_worker() {
            let half = local.split_off(local.len().div_ceil(2));
            thief.inbox().push_all(half);
        }
    }
}
