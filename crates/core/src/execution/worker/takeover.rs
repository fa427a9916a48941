//! Takeovers: contexts that an idle worker has got from another one go home when they wait next.
//!
//! Most takeovers mean little: a program starts, the system runs something else on a core, one phase is uneven. If each
//! was for good, contexts that were placed together would be scattered over the workers after a while, and stay so. But
//! a worker that has to give the same context away again and again has too much to do. So the last of [`FOR_GOOD`]
//! takeovers that follow each other within [`RECENT`] is for good. Until then the context counts where its home is
//! ([`balance`](super::balance)).

use std::cell::Cell;
use std::time::Duration;

use super::Worker;
use super::work_stealing::nanoseconds;
use crate::execution::control_block::Ec;
use crate::queue::IntrusiveQueue;

/// So many recent takeovers of a context make it live where it was taken to.
const FOR_GOOD: u8 = 4;
/// The longest time between two takeovers of which the first counts when the second is done.
const RECENT: Duration = Duration::from_millis(100);

/// The takeovers of a context.
#[derive(Default)]
pub(crate) struct Takeovers {
    /// 0, or 1 + the index of the worker to which the context goes back when it waits.
    home: Cell<u16>,
    /// How many there have been lately, and when the last one was, in nanoseconds.
    count: Cell<u8>,
    last: Cell<u64>,
}

impl Takeovers {
    /// Forgets them.
    pub(crate) fn reset(&self) {
        self.home.set(0);
        self.count.set(0);
    }

    /// Counts one, of a context that lives at this place or is away from it.
    pub(super) fn add(&self, place: usize) {
        let now = nanoseconds();
        let is_recent = now.saturating_sub(self.last.replace(now)) < RECENT.as_nanos() as u64;
        let count = if is_recent { self.count.get() } else { 0 };
        self.count.set(count.saturating_add(1));
        if self.is_away() {
            return;
        }
        if self.count.get() >= FOR_GOOD {
            self.count.set(0);
        } else {
            self.home.set(u16::try_from(place + 1).unwrap_or(0));
        }
    }

    /// Whether the context is to go back to another worker.
    #[inline]
    pub(in crate::execution) fn is_away(&self) -> bool {
        self.home.get() != 0
    }
}

impl Worker {
    /// Notes that contexts of this worker are given to another one.
    pub(super) fn lend(&self, mut contexts: IntrusiveQueue<Ec>) -> IntrusiveQueue<Ec> {
        let mut lent = IntrusiveQueue::new();
        while let Some(ec) = contexts.pop_front() {
            ec.takeovers.add(self.index());
            lent.push_back(ec);
        }
        lent
    }

    /// Lets a context that leaves its stack to wait go home, if it has one elsewhere: what wakes it puts it there.
    #[inline]
    pub(super) fn let_go_home(&self, ec: &'static Ec) {
        if ec.takeovers.is_away() {
            self.send_home(ec);
        }
    }

    /// Makes a context ready on the worker that is its home.
    #[cold]
    pub(in crate::execution) fn make_ready_at_home(ec: &'static Ec) {
        // SAFETY:
        // - a suspended EC has run on a worker, and workers live for the rest of the program.
        let last = unsafe { &*ec.worker() };
        last.let_go_home(ec);
        last.place_of(ec).inbox().push(ec);
    }

    #[cold]
    fn send_home(&self, ec: &'static Ec) {
        let home = usize::from(ec.takeovers.home.replace(0)) - 1;
        // It may be one that runs only what is given to it.
        if let Some(&home) = self.team_mates().get(home) {
            ec.set_worker(home);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::execution::Suspended;
    use crate::execution::purpose::Purpose;
    use std::ptr;

    #[test]
    fn takeovers_in_a_row_are_for_good_and_single_ones_are_not() {
        let takeovers = Takeovers::default();
        let go_home = || takeovers.home.replace(0);
        for _ in 1..FOR_GOOD {
            takeovers.add(3);
            assert_eq!(go_home(), 4);
        }
        takeovers.add(3);
        assert!(!takeovers.is_away());
        for _ in 0..2 * FOR_GOOD {
            takeovers.add(5);
            takeovers
                .last
                .set(takeovers.last.get() - RECENT.as_nanos() as u64);
            takeovers.add(7);
            assert_eq!(go_home(), 6, "its home is where it was before the first");
            takeovers
                .last
                .set(takeovers.last.get() - RECENT.as_nanos() as u64);
        }
    }

    /// Two workers, and a context that lives on the first one and has been taken over by the second.
    fn taken_over() -> ([&'static Worker; 2], &'static Ec) {
        let team = Worker::team(2, 0);
        taken_over_from(team[0], team[1])
    }

    fn taken_over_from(home: &'static Worker, thief: &'static Worker) -> ([&'static Worker; 2], &'static Ec) {
        let ec = Ec::obtain(Purpose::Compute);
        ec.set_worker(home);
        home.ec_count().add();
        let mut ready = IntrusiveQueue::new();
        ready.push_back(ec);
        let mut lent = home.lend(ready);
        thief.adopt(lent.pop_front().expect("what was lent"));
        ([home, thief], ec)
    }

    fn counts(workers: [&Worker; 2]) -> [usize; 2] {
        workers.map(|worker| worker.ec_count().size())
    }

    #[test]
    fn a_context_counts_at_home_and_goes_there_when_it_waits() {
        let (workers, ec) = taken_over();
        assert!(ptr::eq(ec.worker(), workers[1]));
        assert_eq!(counts(workers), [1, 0]);
        workers[1].let_go_home(ec);
        assert!(ptr::eq(ec.worker(), workers[0]));
        assert_eq!(counts(workers), [1, 0]);
    }

    #[test]
    fn a_context_goes_home_to_a_worker_that_runs_only_what_it_is_given() {
        let team = Worker::team(1, 1);
        let (workers, ec) = taken_over_from(team[1], team[0]);
        workers[1].let_go_home(ec);
        assert!(ptr::eq(ec.worker(), workers[0]));
        assert_eq!(counts(workers), [1, 0]);
    }

    #[test]
    fn those_that_are_away_are_made_ready_at_home_and_the_others_of_their_list_where_they_are() {
        let ([home, thief], away) = taken_over();
        let resident = Ec::obtain(Purpose::Compute);
        resident.set_worker(thief);
        let mut suspended = Suspended::default();
        suspended.push(away);
        suspended.push(resident);
        suspended.make_ready();
        let is_in = |worker: &Worker, ec: &Ec| {
            let first = worker.inbox().take().pop_front();
            first.is_some_and(|first| ptr::eq(first, ec))
        };
        assert!(is_in(home, away) && is_in(thief, resident));
    }
}
