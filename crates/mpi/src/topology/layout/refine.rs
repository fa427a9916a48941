//! A cut of some ranks in two, made better by exchanging ranks across it (Kernighan and Lin, in the manner of
//! Fiduccia and Mattheyses).
//!
//! A round moves the rank that gains the most from left to right, then the best one from right to left, and so on, each
//! rank once at most, even if that makes the cut worse for a while; then it goes back to the best state it has seen.
//! Rounds end when one has gained nothing.

use super::traffic::Traffic;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Rounds of exchanges at most; there are seldom more than three that gain anything.
const ROUNDS: usize = 8;

/// Exchanges in a row that gain nothing before a round is given up.
const PATIENCE: usize = 64;

/// Neither left nor right: the rank does not take part in the cut.
const OUTSIDE: u32 = u32::MAX;

/// Some ranks in two parts of fixed sizes.
#[derive(Clone)]
pub(super) struct Cut<'a> {
    traffic: &'a Traffic,
    ranks: &'a [usize],
    /// Place of each rank in `ranks`.
    places: Vec<u32>,
    /// By place: whether the rank is on the left.
    left: Vec<bool>,
    weight: u64,
}

impl<'a> Cut<'a> {
    /// The cut of `ranks` with these of them on the left.
    pub(super) fn new(traffic: &'a Traffic, ranks: &'a [usize], left_ranks: &[usize]) -> Self {
        let mut places = vec![OUTSIDE; traffic.ranks()];
        (0..).zip(ranks).for_each(|(place, &rank)| places[rank] = place);
        let mut left = vec![false; ranks.len()];
        left_ranks
            .iter()
            .for_each(|&rank| left[places[rank] as usize] = true);
        let mut cut = Self {
            traffic,
            ranks,
            places,
            left,
            weight: 0,
        };
        cut.weight = (0..ranks.len())
            .filter(|&place| cut.left[place])
            .map(|place| cut.across(place))
            .sum();
        cut
    }

    /// What is said across the cut.
    pub(super) fn weight(&self) -> u64 {
        self.weight
    }

    /// Whether a rank is on the left.
    pub(super) fn is_left(&self, rank: usize) -> bool {
        self.left[self.places[rank] as usize]
    }

    /// Makes the left the right.
    pub(super) fn swap(&mut self) {
        self.left.iter_mut().for_each(|left| *left = !*left);
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

    /// The neighbours that take part: their places, and how much is said.
    fn neighbors(&self, place: usize) -> impl Iterator<Item = (usize, u64)> + use<'a, '_> {
        let neighbors = self.traffic.neighbors(self.ranks[place]);
        neighbors.filter_map(|(rank, weight)| {
            let place = self.places[rank];
            (place != OUTSIDE).then_some((place as usize, weight))
        })
    }

    /// What a rank says across the cut.
    fn across(&self, place: usize) -> u64 {
        let others = self.neighbors(place);
        others
            .filter(|&(other, _)| self.left[other] != self.left[place])
            .map(|(_, weight)| weight)
            .sum()
    }

    /// How much lighter the cut becomes if a rank changes sides.
    fn gain(&self, place: usize) -> i64 {
        let part = |(other, weight): (usize, u64)| {
            let weight = weight.cast_signed();
            if self.left[other] == self.left[place] {
                -weight
            } else {
                weight
            }
        };
        self.neighbors(place).map(part).sum()
    }

    /// One round; whether the cut is lighter now.
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
        for &place in &round.path[best_length..] {
            self.left[place] = !self.left[place];
        }
        self.weight -= best.unsigned_abs();
        best > 0
    }
}

/// What is known in a round.
struct Round {
    /// By place: what would be gained now by moving the rank.
    gains: Vec<i64>,
    /// By place: whether the rank has been moved in this round.
    moved: Vec<bool>,
    /// Whom to move from the right and from the left; entries go out of date when a gain changes.
    heaps: [BinaryHeap<Candidate>; 2],
    /// The places of the ranks moved, in order.
    path: Vec<usize>,
}

/// What would be gained by moving a rank, and its place.
type Candidate = (i64, Reverse<usize>);

impl Round {
    fn new(cut: &Cut<'_>) -> Self {
        let places = 0..cut.ranks.len();
        let mut round = Self {
            gains: places.clone().map(|place| cut.gain(place)).collect(),
            moved: vec![false; places.len()],
            heaps: [BinaryHeap::new(), BinaryHeap::new()],
            path: Vec::new(),
        };
        places.for_each(|place| round.offer(cut, place));
        round
    }

    fn offer(&mut self, cut: &Cut<'_>, place: usize) {
        self.heaps[usize::from(cut.left[place])].push((self.gains[place], Reverse(place)));
    }

    /// Moves the best rank of a side that has not been moved yet; returns what that gains, unless all have been moved.
    fn step(&mut self, cut: &mut Cut<'_>, from_left: bool) -> Option<i64> {
        let (gain, place) = loop {
            let (gain, Reverse(place)) = self.heaps[usize::from(from_left)].pop()?;
            if !self.moved[place] && gain == self.gains[place] {
                break (gain, place);
            }
        };
        self.moved[place] = true;
        self.path.push(place);
        cut.left[place] = !from_left;
        for (other, weight) in cut
            .neighbors(place)
            .filter(|&(other, _)| !self.moved[other])
            .collect::<Vec<_>>()
        {
            let change = 2 * weight.cast_signed();
            let apart = cut.left[other] == from_left;
            self.gains[other] += if apart { change } else { -change };
            self.offer(cut, other);
        }
        Some(gain)
    }
}
