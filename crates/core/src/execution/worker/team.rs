//! Teams of workers: work stealing on request, shared work, and idle tasks.

use std::ptr;
use std::sync::OnceLock;

use crossbeam_utils::CachePadded;

use super::Worker;
use super::idle_task::IdleTasks;
use super::parallel_for::{SharedLoopSlot, help};
use super::purposes::PurposeRules;
use crate::sync::{Arc, AtomicUsize, Ordering, SpinLock};

static LARGEST_COUNT: AtomicUsize = AtomicUsize::new(1);

/// The largest number of workers a runtime of this process has had.
pub(crate) fn largest_count() -> usize {
    LARGEST_COUNT.load(Ordering::Relaxed)
}

/// The teams whose workers run.
static TEAMS: SpinLock<Vec<&'static Team>> = SpinLock::new(Vec::new());

/// Wakes a worker of each team to look around, because something has changed that it cannot see: the last external
/// waker has blocked, so that perhaps nobody is left to wake anybody.
pub(crate) fn notify_teams() {
    let workers: Vec<_> = TEAMS
        .lock()
        .iter()
        .filter_map(|team| team.workers.first().copied())
        .collect();
    workers.into_iter().for_each(Worker::notify);
}

/// The part that the workers of a runtime share.
pub(super) struct Team {
    workers: Box<[&'static Worker]>,
    /// How many of them, the first ones, run whatever is ready; the others run only what is given to them.
    common: usize,
    /// The number of shared loops and idle tasks: a hint.
    shared_work: CachePadded<AtomicUsize>,
    idle_tasks: IdleTasks,
    /// What contexts of some purpose are run, and where; unset if they are all run alike.
    purpose_rules: OnceLock<PurposeRules>,
}

impl Worker {
    /// Makes `common` workers that know each other and share the work, and `dedicated` ones, behind them, that run only
    /// what is given to them. They live for the rest of the program.
    #[must_use]
    pub fn team(common: usize, dedicated: usize) -> Vec<&'static Worker> {
        LARGEST_COUNT.fetch_max(common + dedicated, Ordering::Relaxed);
        let team: Vec<&'static Worker> = (0..common + dedicated)
            .map(|index| &*Box::leak(Box::new(Self::new(index, None))))
            .collect();
        let shared = Box::leak(Box::new(Team {
            workers: team.clone().into_boxed_slice(),
            common,
            shared_work: CachePadded::new(AtomicUsize::new(0)),
            idle_tasks: IdleTasks::default(),
            purpose_rules: OnceLock::new(),
        }));
        TEAMS.lock().push(shared);
        for worker in &team {
            let unset = worker.own.team.set(shared).is_ok();
            debug_assert!(unset, "a worker joins one team");
        }
        team
    }

    /// Forgets the team, if this is its first worker.
    pub(super) fn leave_team(&self) {
        TEAMS
            .lock()
            .retain(|team| team.workers.first().is_none_or(|first| !ptr::eq(*first, self)));
    }

    /// All workers of the team, by index.
    pub(crate) fn team_mates(&self) -> &[&'static Worker] {
        self.own.team.get().map_or(&[], |team| &team.workers)
    }

    /// The workers of the team that share the work, by index.
    #[inline]
    #[must_use]
    pub fn peers(&self) -> &[&'static Worker] {
        self.own
            .team
            .get()
            .map_or(&[], |team| &team.workers[..team.common])
    }

    /// The one of them with this number, which is 1 + its index; 0 stands for none.
    pub(super) fn peer_numbered(&self, number: usize) -> Option<&'static Worker> {
        let index = number.checked_sub(1)?;
        self.peers().get(index).copied()
    }

    /// The rules of the team for contexts of some purpose; unset if they are all run alike.
    pub(super) fn purpose_rules(&self) -> Option<&OnceLock<PurposeRules>> {
        self.own.team.get().map(|team| &team.purpose_rules)
    }

    /// The slot of the loop that it shares.
    pub(super) fn shared_loop(&self) -> &SpinLock<SharedLoopSlot> {
        &self.shared.shared_loop
    }

    fn shared_work(&self) -> Option<&AtomicUsize> {
        self.own.team.get().map(|team| &*team.shared_work)
    }

    pub(super) fn idle_tasks(&self) -> Option<&IdleTasks> {
        self.own.team.get().map(|team| &team.idle_tasks)
    }

    /// Tells the team that there are `more` loops or tasks, and wakes workers that sleep.
    pub(super) fn announce(&self, more: isize) {
        if let Some(count) = self.shared_work() {
            // Relaxed: a hint; the work travels through the lock of its slot or queue.
            count.fetch_add(more.cast_unsigned(), Ordering::Relaxed);
        }
        self.peers()
            .iter()
            .filter(|peer| !ptr::eq(**peer, self))
            .for_each(|peer| peer.notify());
    }

    /// Takes the hint of [`Worker::announce`] back, for one loop or task.
    pub(super) fn withdraw(&self) {
        if let Some(count) = self.shared_work() {
            count.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Whether the team has a shared loop or an idle task. Reads one shared line, which changes only when there is more
    /// or less of them.
    #[inline]
    #[must_use]
    pub fn sees_shared_work(&self) -> bool {
        // Relaxed: a hint.
        self.shared_work()
            .is_some_and(|count| count.load(Ordering::Relaxed) != 0)
    }

    /// Helps with a loop that a peer shares, or does a piece of an idle task; false if there was neither. For the
    /// worker's own thread, while idle.
    pub fn help(&self) -> bool {
        self.sees_shared_work() && (self.peers().iter().any(|peer| help(peer, self)) || self.run_idle_task())
    }

    /// Does a piece of an idle task; false if there is none.
    #[cold]
    pub(crate) fn run_idle_task(&self) -> bool {
        let Some(tasks) = self.idle_tasks() else {
            return false;
        };
        let Some((task, environment)) = tasks.first() else {
            return false;
        };
        let more = environment.lend(|| Arc::clone(&task).run_piece());
        if !more && tasks.remove_first(&task) {
            self.withdraw();
        }
        true
    }
}
