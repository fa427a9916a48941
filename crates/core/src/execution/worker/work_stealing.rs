//! Work stealing: an idle worker asks others for some of what they have ready.
//!
//! The thief leaves its index at the victim, which answers between two contexts by giving away half of its queue. So a
//! run queue is touched by its own thread alone, and a worker that nobody asks pays a load of its own line.
//!
//! The answer comes when the question has stood for a while. Contexts that talk to each other wait for a few
//! microseconds now and then, and their worker with them. If it got others for that, all would leave their caches, and
//! those that were placed together would be scattered.

use super::Worker;
use crate::execution::control_block::Ec;
use crate::queue::IntrusiveQueue;
use crate::sync::Ordering;
use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// How long a question stands before it is answered.
const PATIENCE: Duration = Duration::from_micros(50);

/// The bit of the word by which thieves ask that says that contexts are [wanted elsewhere](super::moves).
pub(super) const MOVES: u32 = 1 << 31;
/// The bit that says that what is about the network is to run [first](super::purposes).
pub(super) const SORT: u32 = 1 << 30;
/// All bits that are no question of a thief.
pub(super) const WISHES: u32 = MOVES | SORT;

impl Worker {
    /// Asks `victim` for half of what it has ready. The answer comes through the inbox, not before `PATIENCE` is
    /// over, or never.
    pub fn ask_for_work(&self, victim: &Worker) {
        let mine = self.own.index as u32 + 1;
        self.shared.asked_at.store(nanoseconds(), Ordering::Relaxed);
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
        if self.is_asked_by_patient()
            && let Some(thief) = self.asking_worker()
        {
            let half = local.split_off(local.len().div_ceil(2));
            thief.inbox().push_all(self.lend(half));
        }
    }

    /// Whether the worker that asks has done so for long enough.
    fn is_asked_by_patient(&self) -> bool {
        let thief = self.shared.asking.load(Ordering::Relaxed) & !WISHES;
        self.peer_numbered(thief as usize).is_some_and(|thief| {
            let asked_at = thief.shared.asked_at.load(Ordering::Relaxed);
            nanoseconds().saturating_sub(asked_at) >= PATIENCE.as_nanos() as u64
        })
    }
}

/// Nanoseconds on a clock that all workers see.
pub(in crate::execution) fn nanoseconds() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned()
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::execution::purpose::Purpose;

    #[test]
    fn half_of_what_is_ready_is_given_away_when_the_question_has_stood_for_a_while() {
        let team = Worker::team(2, 0);
        let (busy, idle) = (team[0], team[1]);
        let mut ready = IntrusiveQueue::new();
        for _ in 0..4 {
            let ec = Ec::obtain(Purpose::Compute);
            ec.set_worker(busy);
            ready.push_back(ec);
        }
        idle.ask_for_work(busy);
        let asked_since = |time: u64| idle.shared.asked_at.store(time, Ordering::Relaxed);
        asked_since(u64::MAX);
        busy.answer(&mut ready);
        assert!(ready.len() == 4 && idle.is_quiet());
        asked_since(0);
        busy.answer(&mut ready);
        assert!(ready.len() == 2 && !idle.is_quiet());
    }
}
