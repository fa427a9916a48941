//! Cutting the ranks in two, again and again, along the tree of the hardware.

use super::machine::{Machine, Node};
use super::refine::Cut;
use super::traffic::Traffic;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet, VecDeque};

/// A virtual processor for each rank: as many ranks on each as `homes` has there.
pub(super) fn assign(traffic: &Traffic, machine: &Machine, homes: &[usize]) -> Vec<usize> {
    let mut division = Division {
        traffic,
        homes,
        homes_at: vec![0; homes.iter().max().map_or(0, |last| last + 1)],
        vps: homes.to_vec(),
    };
    homes.iter().for_each(|&vp| division.homes_at[vp] += 1);
    division.divide(std::slice::from_ref(machine.root()), (0..homes.len()).collect());
    division.vps
}

struct Division<'a> {
    traffic: &'a Traffic,
    homes: &'a [usize],
    /// Number of ranks that each virtual processor takes.
    homes_at: Vec<usize>,
    /// The virtual processor of each rank, once it is known.
    vps: Vec<usize>,
}

impl Division<'_> {
    /// Lays `ranks` over the virtual processors below `nodes`, which have room for exactly as many.
    fn divide(&mut self, nodes: &[Node], ranks: Vec<usize>) {
        if ranks.is_empty() {
            return;
        }
        match nodes {
            [] => {}
            [Node::Vp(vp)] => ranks.into_iter().for_each(|rank| self.vps[rank] = *vp),
            [Node::Group(children)] => self.divide(children, ranks),
            _ => {
                let (left, right) = nodes.split_at(nodes.len() / 2);
                let room = left.iter().map(|node| self.room(node)).sum();
                let (near, far) = self.cut(left, room, &ranks);
                self.divide(left, near);
                self.divide(right, far);
            }
        }
    }

    /// Number of ranks that find room below a node.
    fn room(&self, node: &Node) -> usize {
        match node {
            Node::Vp(vp) => self.homes_at.get(*vp).copied().unwrap_or(0),
            Node::Group(children) => children.iter().map(|child| self.room(child)).sum(),
        }
    }

    /// Chooses `room` of the ranks for the virtual processors below `left`, so that little is said across the cut; both
    /// parts in the order of their numbers.
    fn cut(&self, left: &[Node], room: usize, ranks: &[usize]) -> (Vec<usize>, Vec<usize>) {
        if room == 0 || room == ranks.len() {
            let (left, right) = ranks.split_at(room);
            return (left.to_vec(), right.to_vec());
        }
        let mut is_left = vec![false; self.homes_at.len()];
        left.iter().for_each(|node| mark(node, &mut is_left));
        let lives_left = |rank: usize| is_left[self.homes[rank]];
        let cuts = self.orders(ranks, lives_left).into_iter();
        let cuts = cuts.map(|order| Cut::new(self.traffic, ranks, &order[..room]).refined());
        // Of equally good ones the first, for which fewer ranks had to move.
        let Some(mut cut) = cuts.min_by_key(Cut::weight) else {
            return (ranks.to_vec(), Vec::new());
        };
        let staying = ranks
            .iter()
            .filter(|&&rank| cut.is_left(rank) == lives_left(rank));
        // Which half is which does not matter to the cut: let the more ranks stay where they are.
        if 2 * room == ranks.len() && 2 * staying.count() < ranks.len() {
            cut.swap();
        }
        ranks.iter().partition(|&&rank| cut.is_left(rank))
    }

    /// Orders of the ranks whose first part may be a good half: as they live, by number, along the axes, as they hang
    /// together.
    fn orders(&self, ranks: &[usize], lives_left: impl Fn(usize) -> bool) -> Vec<Vec<usize>> {
        let mut living = ranks.to_vec();
        living.sort_by_key(|&rank| !lives_left(rank));
        let mut orders = vec![living, ranks.to_vec()];
        for axis in self.traffic.axes() {
            let mut along = ranks.to_vec();
            along.sort_by_key(|&rank| axis[rank]);
            orders.push(along);
        }
        orders.push(self.grown(ranks));
        orders
    }

    /// The ranks in the order in which a part grows that always takes in whom it hears most of, from the edge on.
    fn grown(&self, ranks: &[usize]) -> Vec<usize> {
        let mut waiting = vec![false; self.homes.len()];
        ranks.iter().for_each(|&rank| waiting[rank] = true);
        let mut heard = vec![0_u64; self.homes.len()];
        let mut order = Vec::with_capacity(ranks.len());
        for &seed in ranks {
            if !waiting[seed] {
                continue;
            }
            let seed = self.farthest(seed, &waiting);
            // Entries of the heap go out of date; the newest of a rank is its largest, so it comes first.
            let mut heap = BinaryHeap::from([(0, Reverse(seed))]);
            while let Some((_, Reverse(rank))) = heap.pop() {
                if !std::mem::take(&mut waiting[rank]) {
                    continue;
                }
                order.push(rank);
                for (other, weight) in self.traffic.neighbors(rank).filter(|&(other, _)| waiting[other]) {
                    heard[other] += weight;
                    heap.push((heard[other], Reverse(other)));
                }
            }
        }
        order
    }

    /// A rank that is far from `start` among those that wait and hang together with it.
    fn farthest(&self, start: usize, waiting: &[bool]) -> usize {
        let mut seen = HashSet::from([start]);
        let mut queue = VecDeque::from([start]);
        let mut last = start;
        while let Some(rank) = queue.pop_front() {
            last = rank;
            for (other, _) in self.traffic.neighbors(rank) {
                if waiting[other] && seen.insert(other) {
                    queue.push_back(other);
                }
            }
        }
        last
    }
}

/// Marks the virtual processors below a node.
fn mark(node: &Node, marks: &mut [bool]) {
    match node {
        Node::Vp(vp) => {
            if let Some(mark) = marks.get_mut(*vp) {
                *mark = true;
            }
        }
        Node::Group(children) => children.iter().for_each(|child| mark(child, marks)),
    }
}
