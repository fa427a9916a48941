//! Recursive bisection of the ranks along the tree of the hardware.

use super::machine::{Machine, Node};
use super::refine::Cut;
use super::traffic::Traffic;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet, VecDeque};

/// Chooses a virtual processor for each rank; each gets as many ranks as it has in `homes`.
pub(super) fn assign(traffic: &Traffic, machine: &Machine, homes: &[usize]) -> Vec<usize> {
    let mut division = Division {
        homes,
        homes_at: vec![0; homes.iter().max().map_or(0, |last| last + 1)],
        vps: homes.to_vec(),
    };
    homes.iter().for_each(|&vp| division.homes_at[vp] += 1);
    let all = Part {
        ranks: (0..homes.len()).collect(),
        traffic: traffic.clone(),
    };
    division.divide(std::slice::from_ref(machine.root()), all);
    division.vps
}

struct Division<'a> {
    homes: &'a [usize],
    /// Number of ranks that each virtual processor takes.
    homes_at: Vec<usize>,
    /// The virtual processor of each rank, once it is known.
    vps: Vec<usize>,
}

/// Some of the ranks, in the order of their numbers, and their traffic among each other, in which a rank is called by
/// its index in this part.
struct Part {
    ranks: Vec<usize>,
    traffic: Traffic,
}

impl Division<'_> {
    /// Divides the ranks of a part among the virtual processors below `nodes`, which have room for exactly as many.
    fn divide(&mut self, nodes: &[Node], part: Part) {
        match nodes {
            _ if part.ranks.is_empty() => {}
            [] => {}
            [Node::Vp(vp)] => part.ranks.into_iter().for_each(|rank| self.vps[rank] = *vp),
            [Node::Group(children)] => self.divide(children, part),
            _ => {
                let (left, right) = nodes.split_at(nodes.len() / 2);
                let room = left.iter().map(|node| self.room(node)).sum();
                let goes_left = self.cut(left, room, &part);
                self.divide(left, part.of(|place| goes_left[place]));
                self.divide(right, part.of(|place| !goes_left[place]));
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

    /// Chooses `room` ranks of a part for the virtual processors below `left`, so that there is little traffic across
    /// the cut.
    fn cut(&self, left: &[Node], room: usize, part: &Part) -> Vec<bool> {
        let count = part.ranks.len();
        if room == 0 || room == count {
            return vec![room > 0; count];
        }
        let mut is_left = vec![false; self.homes_at.len()];
        left.iter().for_each(|node| mark(node, &mut is_left));
        let lives_left: Vec<bool> = part.ranks.iter().map(|&rank| is_left[self.homes[rank]]).collect();
        let cuts = part.orders(&lives_left).into_iter();
        let cuts = cuts.map(|order| Cut::new(&part.traffic, &order[..room]).refined());
        // Of equally good cuts the first one, for which fewer ranks have to move.
        let best = cuts.min_by_key(Cut::weight);
        let mut goes_left = best.map_or_else(|| lives_left.clone(), Cut::into_left);
        let staying = goes_left
            .iter()
            .zip(&lives_left)
            .filter(|(goes, lives)| goes == lives);
        // The traffic does not depend on which half is left: choose so that more ranks stay where they are.
        if 2 * room == count && 2 * staying.count() < count {
            goes_left.iter_mut().for_each(|left| *left = !*left);
        }
        goes_left
    }
}

impl Part {
    /// The part of this part with the chosen indices.
    fn of(&self, chosen: impl Fn(usize) -> bool) -> Self {
        let places: Vec<usize> = (0..self.ranks.len()).filter(|&place| chosen(place)).collect();
        Self {
            ranks: places.iter().map(|&place| self.ranks[place]).collect(),
            traffic: self.traffic.among(&places),
        }
    }

    /// Orders of the indices whose beginning may be a good half: as the ranks live, by number, along the axes of a
    /// grid, and by connectivity.
    fn orders(&self, lives_left: &[bool]) -> Vec<Vec<usize>> {
        let by_number: Vec<usize> = (0..self.ranks.len()).collect();
        let mut living = by_number.clone();
        living.sort_by_key(|&place| !lives_left[place]);
        let along = self.traffic.axes().iter().map(|axis| {
            let mut along = by_number.clone();
            along.sort_by_key(|&place| axis[place]);
            along
        });
        let along: Vec<_> = along.collect();
        let mut orders = vec![living, by_number];
        orders.extend(along);
        orders.push(self.grown());
        orders
    }

    /// The indices in the order in which a part grows from a rank at the edge, if it always takes in the rank with the
    /// most traffic to it.
    fn grown(&self) -> Vec<usize> {
        let count = self.ranks.len();
        let (mut waiting, mut heard) = (vec![true; count], vec![0_u64; count]);
        let mut order = Vec::with_capacity(count);
        for start in 0..count {
            if !waiting[start] {
                continue;
            }
            // Entries of the heap go out of date. The newest entry of an index is its largest, so it comes first.
            let mut heap = BinaryHeap::from([(0, Reverse(self.farthest(start)))]);
            while let Some((_, Reverse(place))) = heap.pop() {
                if !std::mem::take(&mut waiting[place]) {
                    continue;
                }
                order.push(place);
                for (other, weight) in self.traffic.neighbors(place).filter(|&(other, _)| waiting[other]) {
                    heard[other] += weight;
                    heap.push((heard[other], Reverse(other)));
                }
            }
        }
        order
    }

    /// An index that is far from `start` among those connected with it.
    fn farthest(&self, start: usize) -> usize {
        let mut seen = HashSet::from([start]);
        let mut queue = VecDeque::from([start]);
        let mut last = start;
        while let Some(place) = queue.pop_front() {
            last = place;
            let others = self.traffic.neighbors(place);
            queue.extend(others.map(|(other, _)| other).filter(|&other| seen.insert(other)));
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
