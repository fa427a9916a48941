//! How many execution contexts live on each worker, and evening that out.
//!
//! The ranks of a job begin in equal numbers on each worker, but while the program starts idle workers take some from
//! the others; and a worker that is only briefly idle, between two collectives, does not ask for any back. So now and
//! then who releases a crowd hands the surplus of a worker that has many more to the one that has fewest.

use crate::sync::{AtomicBool, AtomicUsize, Ordering};
use crate::worker::Worker;

/// A difference that is not worth a move.
const SMALL: usize = 4;

/// What is known of one worker.
#[derive(Default)]
pub(crate) struct EcCount {
    size: AtomicUsize,
    /// Whether the policy lets execution contexts move.
    moves: AtomicBool,
}

// Relaxed throughout: nothing rests on the numbers.
impl EcCount {
    pub(crate) fn allow_moves(&self, moves: bool) {
        self.moves.store(moves, Ordering::Relaxed);
    }

    /// One has come.
    pub(crate) fn add(&self) {
        self.size.fetch_add(1, Ordering::Relaxed);
    }

    /// One has gone.
    pub(crate) fn remove(&self) {
        self.size.fetch_sub(1, Ordering::Relaxed);
    }

    pub(crate) fn size(&self) -> usize {
        self.size.load(Ordering::Relaxed)
    }

    /// Who should get how many of the execution contexts that live here, if there are many more here than there.
    fn surplus(&self, peers: &[&'static Worker]) -> Option<(&'static Worker, usize)> {
        let emptiest = peers.iter().min_by_key(|peer| peer.ec_count().size())?;
        let difference = self.size().saturating_sub(emptiest.ec_count().size());
        let uneven = difference > SMALL && difference > self.size() / 4;
        (uneven && self.moves.load(Ordering::Relaxed)).then_some((*emptiest, difference / 2))
    }
}

impl Worker {
    /// Who should get how many of the worker's execution contexts, if it has many more than another.
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
        team.iter().for_each(|worker| worker.allow_moves(true));
        let (target, surplus) = team[0].surplus().expect("20 are many more than none");
        assert_eq!((target.index(), surplus), (2, 10));
        (0..10).for_each(|_| {
            team[0].ec_count().remove();
            target.ec_count().add();
        });
        assert!(team.iter().all(|worker| worker.surplus().is_none()));
    }
}
