//! Load balancing: how many execution contexts live on each worker, and how that is evened out.
//!
//! The ranks of a job begin in equal numbers on each worker. While the program starts, idle workers take some from the
//! others. Later a worker that is idle only briefly, between two collectives, does not ask for any back. So now and
//! then whoever releases a wait list moves the surplus of a worker that has many more to the worker that has fewest.

use std::sync::OnceLock;

use super::Worker;
use crate::sync::{AtomicUsize, Ordering};

/// The largest difference that is not worth a move.
const SMALL: usize = 4;

/// The number of execution contexts that live on a worker.
#[derive(Default)]
pub(crate) struct EcCount {
    count: AtomicUsize,
    /// The indices of the workers to which the policy lets execution contexts move; unset if there are none.
    targets: OnceLock<Box<[usize]>>,
}

// Relaxed throughout: nothing depends on the numbers but where work runs.
impl EcCount {
    pub(crate) fn allow_moves(&self, targets: impl Iterator<Item = usize>) {
        self.targets.get_or_init(|| targets.collect());
    }

    /// Counts one more.
    pub(crate) fn add(&self) {
        self.count.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts one less.
    pub(crate) fn remove(&self) {
        self.count.fetch_sub(1, Ordering::Relaxed);
    }

    pub(crate) fn size(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    /// The worker that should get some of the execution contexts that live here, and how many, if it has many fewer.
    fn surplus(&self, peers: &[&'static Worker]) -> Option<(&'static Worker, usize)> {
        let targets = self.targets.get()?.iter().filter_map(|&target| peers.get(target));
        let emptiest = targets.min_by_key(|peer| peer.ec_count().size())?;
        let difference = self.size().saturating_sub(emptiest.ec_count().size());
        let uneven = difference > SMALL && difference > self.size() / 4;
        uneven.then_some((*emptiest, difference / 2))
    }
}

impl Worker {
    /// The worker that should get some of this one's execution contexts, and how many, if it has many fewer.
    pub(crate) fn surplus(&self) -> Option<(&'static Worker, usize)> {
        self.ec_count().surplus(self.peers())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_emptiest_worker_gets_half_of_what_another_has_more() {
        let team = Worker::team(3, 1);
        (0..20).for_each(|_| team[0].ec_count().add());
        (0..9).for_each(|_| team[1].ec_count().add());
        assert!(team[0].surplus().is_none(), "the policy has not allowed it");
        team[0].allow_moves([1, 2].into_iter());
        let (target, surplus) = team[0].surplus().expect("20 are many more than none");
        assert_eq!((target.index(), surplus), (2, 10));
        (0..10).for_each(|_| {
            team[0].ec_count().remove();
            target.ec_count().add();
        });
        assert!(team.iter().all(|worker| worker.surplus().is_none()));
    }

    #[test]
    fn nothing_moves_to_a_worker_that_the_policy_does_not_name() {
        let team = Worker::team(3, 1);
        (0..20).for_each(|_| team[0].ec_count().add());
        (0..9).for_each(|_| team[1].ec_count().add());
        team[0].allow_moves([1].into_iter());
        let (target, _) = team[0].surplus().expect("20 are many more than 9");
        assert_eq!(target.index(), 1);
    }
}
