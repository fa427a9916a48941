//! The traffic between ranks: the weighted graph of their communication.

use crate::{Cart, DistGraph, Graph};

/// The neighbours of all ranks with weights, the same from both sides. Traffic of a rank with itself does not count.
#[derive(Clone, Debug)]
pub struct Traffic {
    /// Where the neighbours of each rank end.
    index: Vec<usize>,
    neighbors: Vec<(u32, u64)>,
    /// The coordinates of the ranks in a grid, along each axis: orders along which they may be cut.
    axes: Vec<Vec<u32>>,
}

impl Traffic {
    /// The traffic of directed edges (from, to, weight) among so many ranks.
    pub fn new(ranks: usize, edges: impl IntoIterator<Item = (usize, usize, u64)>) -> Self {
        let mut both: Vec<(u32, u32, u64)> = Vec::new();
        for (from, to, weight) in edges {
            if from != to && weight > 0 {
                both.push((from as u32, to as u32, weight));
                both.push((to as u32, from as u32, weight));
            }
        }
        both.sort_unstable_by_key(|&(from, to, _)| (from, to));
        both.dedup_by(|next, kept| {
            let same = (next.0, next.1) == (kept.0, kept.1);
            if same {
                kept.2 += next.2;
            }
            same
        });
        let mut index = vec![0; ranks];
        both.iter().for_each(|&(from, ..)| index[from as usize] += 1);
        let mut total = 0;
        for end in &mut index {
            total += *end;
            *end = total;
        }
        Self {
            index,
            neighbors: both.into_iter().map(|(_, to, weight)| (to, weight)).collect(),
            axes: Vec::new(),
        }
    }

    /// The traffic among these ranks, which are in rising order and are renamed by their index.
    pub(super) fn among(&self, ranks: &[usize]) -> Self {
        let mut places = vec![None; self.ranks()];
        (0..)
            .zip(ranks)
            .for_each(|(place, &rank)| places[rank] = Some(place));
        let mut index = Vec::with_capacity(ranks.len());
        let mut neighbors = Vec::new();
        for &rank in ranks {
            let others = self.neighbors(rank);
            neighbors.extend(others.filter_map(|(other, weight)| places[other].map(|place| (place, weight))));
            index.push(neighbors.len());
        }
        let pick = |axis: &Vec<u32>| ranks.iter().map(|&rank| axis[rank]).collect();
        Self {
            index,
            neighbors,
            axes: self.axes.iter().map(pick).collect(),
        }
    }

    /// Number of ranks.
    pub fn ranks(&self) -> usize {
        self.index.len()
    }

    /// The neighbours of a rank, each with its weight.
    pub(super) fn neighbors(&self, rank: usize) -> impl Iterator<Item = (usize, u64)> + '_ {
        let first = rank.checked_sub(1).map_or(0, |before| self.index[before]);
        let range = first..self.index[rank];
        self.neighbors[range]
            .iter()
            .map(|&(other, weight)| (other as usize, weight))
    }

    /// The coordinates of all ranks along each axis.
    pub(super) fn axes(&self) -> &[Vec<u32>] {
        &self.axes
    }
}

impl From<&Cart> for Traffic {
    /// Each point exchanges data with the next one in each dimension.
    fn from(cart: &Cart) -> Self {
        let (points, dimensions) = (cart.points(), cart.dims().len());
        let mut axes = vec![Vec::with_capacity(points); dimensions];
        let mut edges = Vec::with_capacity(points * dimensions);
        for rank in 0..points {
            let coords = cart.coords(rank as i32).unwrap_or_default();
            for (dimension, axis) in axes.iter_mut().enumerate() {
                axis.push(coords[dimension] as u32);
                if let Some(next) = cart.neighbor(&coords, dimension, 1) {
                    edges.push((rank, next as usize, 1));
                }
            }
        }
        Self {
            axes,
            ..Self::new(points, edges)
        }
    }
}

impl From<&Graph> for Traffic {
    /// Each node exchanges data with each of its neighbours once for every time it is named.
    fn from(graph: &Graph) -> Self {
        let nodes = graph.index().len();
        let edges = (0..nodes).flat_map(|node| {
            let neighbors = graph.neighbors(node as i32).unwrap_or_default();
            neighbors.iter().map(move |&other| (node, other as usize, 1))
        });
        Self::new(nodes, edges)
    }
}

impl From<&DistGraph> for Traffic {
    /// Each edge counts with its weight.
    fn from(graph: &DistGraph) -> Self {
        Self::new(graph.nodes(), graph.edges())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn neighbors(traffic: &Traffic, rank: usize) -> Vec<(usize, u64)> {
        traffic.neighbors(rank).collect()
    }

    #[test]
    fn edges_between_two_ranks_add_up() {
        let traffic = Traffic::new(3, [(0, 1, 2), (1, 0, 3), (2, 2, 9), (1, 2, 0), (2, 0, 1)]);
        assert_eq!(neighbors(&traffic, 0), [(1, 5), (2, 1)]);
        assert_eq!(neighbors(&traffic, 1), [(0, 5)]);
        assert_eq!(neighbors(&traffic, 2), [(0, 1)]);
    }

    #[test]
    fn some_ranks_talk_among_themselves() {
        let square = Traffic::from(&Cart::new(&[2, 2], &[false, false]).unwrap());
        let part = square.among(&[1, 2, 3]);
        assert_eq!(neighbors(&part, 0), [(2, 1)]);
        assert_eq!(neighbors(&part, 2), [(0, 1), (1, 1)]);
        assert_eq!(part.axes(), [[0, 1, 1], [1, 0, 1]]);
    }

    #[test]
    fn a_ring_of_two_talks_twice() {
        let ring = Cart::new(&[2], &[true]).unwrap();
        assert_eq!(neighbors(&Traffic::from(&ring), 0), [(1, 2)]);
        let alone = Cart::new(&[1], &[true]).unwrap();
        assert!(neighbors(&Traffic::from(&alone), 0).is_empty());
    }
}
