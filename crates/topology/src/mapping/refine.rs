//! Refinement of a cut by exchanging ranks across it (Kernighan and Lin, in the manner of Fiduccia and Mattheyses).
//!
//! A round moves the rank that gains the most from left to right, then the best one from right to left, and so on, each
//! rank at most once, even if that makes the cut worse for a while. Then it goes back to the best state that it has
//! seen. Rounds end when one has gained nothing.

use super::traffic::Traffic;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Rounds of exchanges at most; there are seldom more than three that gain anything.
const ROUNDS: usize = 8;

/// Exchanges in a row that gain nothing before a round is given up.
const PATIENCE: usize = 64;

/// Ranks in two parts of fixed sizes.
pub(super) struct Cut<'a> {
    traffic: &'a Traffic,
    /// Whether each rank is on the left.
    left: Vec<bool>,
    weight: u64,
}

impl<'a> Cut<'a> {
    /// The cut with these ranks on the left.
    pub(super) fn new(traffic: &'a Traffic, left_ranks: &[usize]) -> Self {
        let mut left = vec![false; traffic.ranks()];
        left_ranks.iter().for_each(|&rank| left[rank] = true);
        let mut cut = Self {
            traffic,
            left,
            weight: 0,
        };
        cut.weight = left_ranks.iter().map(|&rank| cut.across(rank)).sum();
        cut
    }

    /// The traffic across the cut.
    pub(super) fn weight(&self) -> u64 {
        self.weight
    }

    /// Whether each rank is on the left.
    pub(super) fn into_left(self) -> Vec<bool> {
        self.left
    }

    /// The cut after exchanges that make it lighter.
    pub(super) fn refined(mut self) -> Self {
        for _ in 0..ROUNDS {
            if !self.round() {
                break;
            }
        }
        self
    }

    /// The traffic of a rank across the cut.
    fn across(&self, rank: usize) -> u64 {
        let others = self.traffic.neighbors(rank);
        let others = others.filter(|&(other, _)| self.left[other] != self.left[rank]);
        others.map(|(_, weight)| weight).sum()
    }

    /// How much lighter the cut becomes if a rank changes sides.
    fn gain(&self, rank: usize) -> i64 {
        let part = |(other, weight): (usize, u64)| {
            let weight = weight.cast_signed();
            if self.left[other] == self.left[rank] {
                -weight
            } else {
                weight
            }
        };
        self.traffic.neighbors(rank).map(part).sum()
    }

    /// Does one round; returns whether the cut is lighter now.
    fn round(&mut self) -> bool {
        let mut round = Round::new(self);
        let (mut gained, mut best, mut best_length) = (0, 0, 0);
        while round.path.len() - best_length < 2 * PATIENCE {
            let Some(there) = round.step(self, true) else {
                break;
            };
            let Some(back) = round.step(self, false) else {
                break;
            };
            gained += there + back;
            if gained > best {
                (best, best_length) = (gained, round.path.len());
            }
        }
        for &rank in &round.path[best_length..] {
            self.left[rank] = !self.left[rank];
        }
        self.weight -= best.unsigned_abs();
        best > 0
    }
}

/// The state of a round.
struct Round {
    /// By rank: what would be gained now by moving the rank.
    gains: Vec<i64>,
    /// By rank: whether the rank has been moved in this round.
    moved: Vec<bool>,
    /// The candidates to move from the right and from the left; entries go out of date when a gain changes.
    heaps: [BinaryHeap<Candidate>; 2],
    /// The ranks moved, in order.
    path: Vec<usize>,
}

/// The gain of moving a rank, and the rank.
type Candidate = (i64, Reverse<usize>);

impl Round {
    fn new(cut: &Cut<'_>) -> Self {
        let ranks = 0..cut.traffic.ranks();
        let mut round = Self {
            gains: ranks.clone().map(|rank| cut.gain(rank)).collect(),
            moved: vec![false; ranks.len()],
            heaps: [BinaryHeap::new(), BinaryHeap::new()],
            path: Vec::new(),
        };
        ranks.for_each(|rank| round.offer(cut, rank));
        round
    }

    fn offer(&mut self, cut: &Cut<'_>, rank: usize) {
        self.heaps[usize::from(cut.left[rank])].push((self.gains[rank], Reverse(rank)));
    }

    /// Moves the best rank of a side that has not been moved yet; returns what that gains, unless all have been moved.
    fn step(&mut self, cut: &mut Cut<'_>, from_left: bool) -> Option<i64> {
        let (gain, rank) = loop {
            let (gain, Reverse(rank)) = self.heaps[usize::from(from_left)].pop()?;
            if !self.moved[rank] && gain == self.gains[rank] {
                break (gain, rank);
            }
        };
        self.moved[rank] = true;
        self.path.push(rank);
        cut.left[rank] = !from_left;
        for (other, weight) in cut.traffic.neighbors(rank) {
            if !self.moved[other] {
                let change = 2 * weight.cast_signed();
                let apart = cut.left[other] == from_left;
                self.gains[other] += if apart { change } else { -change };
                self.offer(cut, other);
            }
        }
        Some(gain)
    }
}
