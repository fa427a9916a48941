//! The incoming edges of all ranks, for neighbourhood collectives.

use crate::edge_list::{End, unpaired};
use crate::{Cart, Topology};
use simurgh_base::{Error, ErrorClass, Result};

/// The incoming edges of all ranks.
///
/// The order of a rank's edges is the standard's (section 8.6): as the rank sees its neighbours in a graph, and in a
/// grid by dimension, towards lower coordinates before towards higher ones.
#[derive(Debug)]
pub struct InEdges {
    /// Where the incoming edges of each rank end; those of the first rank begin at 0.
    ends: Box<[usize]>,
    /// `None` for an edge from beyond the border of a grid.
    edges: Box<[Option<InEdge>]>,
}

/// The other end of an incoming edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct InEdge {
    /// The rank that sends.
    pub rank: u32,
    /// Index of the edge among the outgoing edges of that rank.
    pub out_index: u32,
}

impl InEdges {
    /// The incoming edges in a topology.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Topology`] if a rank of a graph names another as its neighbour more often than it is named by it.
    pub fn new(topology: &Topology) -> Result<Self> {
        match topology {
            Topology::Cart(cart) => Ok(Self::in_grid(cart)),
            Topology::Graph(graph) => {
                let neighbors = |rank: usize| graph.neighbors(rank as i32).unwrap_or_default();
                Self::joined(graph.index().len(), neighbors, neighbors)
            }
            Topology::DistGraph(graph) => Self::joined(
                graph.nodes(),
                |rank| graph.incoming(rank).ranks,
                |rank| graph.outgoing(rank).ranks,
            ),
        }
    }

    /// The incoming edges of a rank; `None` for an edge from beyond the border of a grid.
    pub fn of(&self, rank: usize) -> &[Option<InEdge>] {
        let first = rank.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.edges[first..self.ends[rank]]
    }

    /// The neighbour at a lower coordinate sends towards higher coordinates, and the other way round. That matters in a
    /// ring of one or two ranks, where both neighbours are the same rank.
    fn in_grid(cart: &Cart) -> Self {
        let (points, dimensions) = (cart.points(), cart.dims().len());
        let mut in_edges = Vec::with_capacity(points * 2 * dimensions);
        for rank in 0..points {
            let coords = cart.coords(rank as i32).unwrap_or_default();
            for dimension in 0..dimensions {
                for (steps, out_index) in [(-1, 2 * dimension + 1), (1, 2 * dimension)] {
                    let neighbor = cart.neighbor(&coords, dimension, steps);
                    in_edges.push(neighbor.map(|rank| InEdge {
                        rank: rank as u32,
                        out_index: out_index as u32,
                    }));
                }
            }
        }
        Self {
            ends: (1..=points).map(|ranks| ranks * 2 * dimensions).collect(),
            edges: in_edges.into(),
        }
    }

    /// Joins the two ends of each edge. If there are several edges from one rank to another, the first one is the first
    /// at both ends.
    fn joined<'a>(
        nodes: usize,
        incoming: impl Fn(usize) -> &'a [i32],
        outgoing: impl Fn(usize) -> &'a [i32],
    ) -> Result<Self> {
        let ends: Box<[usize]> = (0..nodes)
            .scan(0, |end, rank| {
                *end += incoming(rank).len();
                Some(*end)
            })
            .collect();
        let sent = edges(nodes, outgoing, |rank, neighbor| (rank, neighbor));
        let received = edges(nodes, &incoming, |rank, neighbor| (neighbor, rank));
        let ends_of_edge = |&(from, to, _): &Edge| (from, to);
        let odd = unpaired(sent.iter().map(ends_of_edge), received.iter().map(ends_of_edge));
        if let Some((edge, end)) = odd {
            return Err(one_sided(edge, end));
        }
        let mut in_edges = vec![None; received.len()];
        for (&(_, to, at), &(rank, _, out_index)) in received.iter().zip(&sent) {
            let to = to as usize;
            let first = ends[to] - incoming(to).len();
            in_edges[first + at as usize] = Some(InEdge { rank, out_index });
        }
        let edges = in_edges.into();
        Ok(Self { ends, edges })
    }
}

/// An edge as one of its ends sees it: source, destination, and its index among the edges of that end.
type Edge = (u32, u32, u32);

/// All edges as one of their ends sees them, sorted; `direct` makes source and destination of rank and neighbour.
fn edges<'a>(
    nodes: usize,
    neighbors: impl Fn(usize) -> &'a [i32],
    direct: impl Fn(u32, u32) -> (u32, u32),
) -> Vec<Edge> {
    let of_rank = |rank: usize| {
        neighbors(rank)
            .iter()
            .zip(0..)
            .map(move |(&other, out_index)| (rank, other, out_index))
    };
    let directed = |(rank, other, out_index): (usize, i32, u32)| {
        let (from, to) = direct(rank as u32, other.cast_unsigned());
        (from, to, out_index)
    };
    let mut edges: Vec<Edge> = (0..nodes).flat_map(of_rank).map(directed).collect();
    edges.sort_unstable();
    edges
}

/// The error of a rank that has a neighbour by which it is not named as often.
#[cold]
fn one_sided((from, to): (u32, u32), end: End) -> Error {
    let (naming, named) = match end {
        End::Source => (from, to),
        End::Destination => (to, from),
    };
    Error::new(
        ErrorClass::Topology,
        format!(
            "rank {naming} has rank {named} as its neighbour more often than the other way round: a collective of \
             neighbours needs a symmetric graph, or one of directed edges that MPI_Dist_graph_create_adjacent is told \
             of at both ends"
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DistGraph, EdgeList, Graph};
    use proptest::prelude::*;
    use std::collections::{HashMap, VecDeque};

    fn at(rank: u32, out_index: u32) -> Option<InEdge> {
        Some(InEdge { rank, out_index })
    }

    fn grid(dims: &[i32], periods: &[bool]) -> InEdges {
        InEdges::new(&Topology::Cart(Cart::new(dims, periods).unwrap())).unwrap()
    }

    #[test]
    fn a_line_ends() {
        let line = grid(&[3], &[false]);
        assert_eq!(line.of(0), [None, at(1, 0)]);
        assert_eq!(line.of(1), [at(0, 1), at(2, 0)]);
        assert_eq!(line.of(2), [at(1, 1), None]);
        assert_eq!(grid(&[1], &[false]).of(0), [None, None]);
        assert!(grid(&[], &[]).of(0).is_empty());
    }

    #[test]
    fn short_rings_tell_directions_apart() {
        assert_eq!(grid(&[1], &[true]).of(0), [at(0, 1), at(0, 0)]);
        let two = grid(&[2], &[true]);
        assert_eq!(two.of(0), [at(1, 1), at(1, 0)]);
        assert_eq!(two.of(1), [at(0, 1), at(0, 0)]);
    }

    #[test]
    fn dimensions_follow_each_other() {
        let in_edges = grid(&[2, 3], &[false, true]);
        assert_eq!(in_edges.of(0), [None, at(3, 0), at(2, 3), at(1, 2)]);
        assert_eq!(in_edges.of(4), [at(1, 1), None, at(3, 3), at(5, 2)]);
    }

    #[test]
    fn graphs_have_to_be_symmetric() {
        let in_edges =
            |index: &[i32], edges: &[i32]| InEdges::new(&Topology::Graph(Graph::new(index, edges).unwrap()));
        // Node 0 is its own neighbour, and twice that of node 1.
        let loops = in_edges(&[3, 5, 5], &[1, 0, 1, 0, 0]).unwrap();
        assert_eq!(loops.of(0), [at(1, 0), at(0, 1), at(1, 1)]);
        assert_eq!(loops.of(1), [at(0, 0), at(0, 2)]);
        assert!(loops.of(2).is_empty());
        for (index, edges, naming) in [
            (&[1, 1][..], &[1][..], "rank 0 has rank 1"),
            (&[0, 1], &[0], "rank 1 has rank 0"),
            (&[2, 3], &[1, 1, 0], "rank 0 has rank 1"),
            (&[1, 3], &[1, 0, 0], "rank 1 has rank 0"),
        ] {
            let error = in_edges(index, edges).unwrap_err();
            assert_eq!(error.class(), ErrorClass::Topology);
            assert!(error.message().starts_with(naming), "{index:?}: {error}");
        }
    }

    /// The edges as messages would be matched: of those from one rank to another, the first goes to the first receive.
    fn by_messages(nodes: usize, graph: &DistGraph) -> Vec<Vec<Option<InEdge>>> {
        let mut under_way: HashMap<(usize, i32), VecDeque<InEdge>> = HashMap::new();
        for from in 0..nodes {
            for (out_index, &to) in graph.outgoing(from).ranks.iter().enumerate() {
                let (rank, out_index) = (from as u32, out_index as u32);
                under_way
                    .entry((from, to))
                    .or_default()
                    .push_back(InEdge { rank, out_index });
            }
        }
        let mut receive = |to: usize| {
            let sources = graph.incoming(to).ranks.iter();
            let matched = sources.map(|&from| under_way.get_mut(&(from as usize, to as i32))?.pop_front());
            matched.collect()
        };
        (0..nodes).map(&mut receive).collect()
    }

    type Edges = Vec<(i32, i32)>;

    /// The same edges as seen from both ends, in orders of their own.
    fn multigraph() -> impl Strategy<Value = (usize, Edges, Edges)> {
        (1..6_usize).prop_flat_map(|nodes| {
            let node = 0..nodes as i32;
            let edges = proptest::collection::vec((node.clone(), node), 0..20);
            edges.prop_flat_map(move |edges| (Just(nodes), Just(edges.clone()), Just(edges).prop_shuffle()))
        })
    }

    proptest! {
        #[test]
        fn edges_are_joined_as_messages_are_matched((nodes, sent, received) in multigraph()) {
            let empty = || EdgeList::new(false);
            let mut lists: Vec<_> = (0..nodes).map(|_| (empty(), empty())).collect();
            for edge in received {
                lists[edge.1 as usize].0.push(nodes, edge, 1).unwrap();
            }
            for edge in sent {
                lists[edge.0 as usize].1.push(nodes, edge, 1).unwrap();
            }
            let graph = DistGraph::adjacent(&lists, true).unwrap();
            let expected = by_messages(nodes, &graph);
            let in_edges = InEdges::new(&Topology::DistGraph(graph)).unwrap();
            for (rank, expected) in expected.iter().enumerate() {
                prop_assert_eq!(in_edges.of(rank), &expected[..]);
            }
        }
    }
}
