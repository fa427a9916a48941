//! Graphs of which every rank knows its own edges.

use crate::edge_list::{EdgeList, End, unpaired};
use simurgh_base::{Error, ErrorClass, Result};

/// The edges of one direction at one rank, in the order of the standard's answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neighbors<'a> {
    /// The ranks at the other ends.
    pub ranks: &'a [i32],
    /// A weight for each; none if the graph has no weights.
    pub weights: Option<&'a [i32]>,
}

/// A directed graph over the ranks of a communicator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DistGraph {
    incoming: Ends,
    outgoing: Ends,
    weighted: bool,
}

/// The other ends of all nodes' edges of one direction.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Ends {
    /// Where the edges of each node end; those of the first node begin at 0.
    index: Box<[usize]>,
    ranks: Box<[i32]>,
    weights: Box<[i32]>,
}

impl Ends {
    /// Sorts edges, which are (node, other end, weight), by node; edges of one node keep their order.
    fn sorted(nodes: usize, edges: impl Iterator<Item = (i32, i32, i32)> + Clone) -> Self {
        let mut index = vec![0; nodes];
        for (node, ..) in edges.clone() {
            index[node as usize] += 1;
        }
        let mut total = 0;
        for end in &mut index {
            // Where the node's next edge goes; after the second pass, where its edges end.
            total += std::mem::replace(end, total);
        }
        let mut ranks = vec![0; total].into_boxed_slice();
        let mut weights = vec![0; total].into_boxed_slice();
        for (node, other, weight) in edges {
            let next = &mut index[node as usize];
            ranks[*next] = other;
            weights[*next] = weight;
            *next += 1;
        }
        Self {
            index: index.into(),
            ranks,
            weights,
        }
    }

    fn of(&self, node: usize, weighted: bool) -> Neighbors<'_> {
        let first = node.checked_sub(1).map_or(0, |before| self.index[before]);
        let range = first..self.index[node];
        Neighbors {
            ranks: &self.ranks[range.clone()],
            weights: weighted.then(|| &self.weights[range]),
        }
    }
}

impl DistGraph {
    /// The graph of all edges that the ranks have contributed, those of lower ranks first at each node.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Arg`] if some ranks give weights and others none.
    pub fn new(lists: &[EdgeList]) -> Result<Self> {
        let edges = lists.iter().flat_map(EdgeList::iter);
        Ok(Self {
            weighted: all_weighted(lists.iter())?,
            incoming: Ends::sorted(
                lists.len(),
                edges.clone().map(|(from, to, weight)| (to, from, weight)),
            ),
            outgoing: Ends::sorted(lists.len(), edges),
        })
    }

    /// The graph of which every rank gives its incoming and outgoing edges, in the order in which it will see them. If
    /// nothing is checked, an edge may be known at one of its ends only: such a graph answers queries but is not good
    /// for collectives.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Arg`] if some ranks give weights and others none, [`ErrorClass::Topology`] if an edge is known at
    /// one of its ends only, with any checks.
    pub fn adjacent(lists: &[(EdgeList, EdgeList)], checked: bool) -> Result<Self> {
        let incoming = lists.iter().map(|(incoming, _)| incoming);
        let outgoing = lists.iter().map(|(_, outgoing)| outgoing);
        let weighted = all_weighted(incoming.clone().chain(outgoing.clone()))?;
        if checked {
            check_both_ends(incoming.clone(), outgoing.clone())?;
        }
        let received = incoming.flat_map(EdgeList::iter);
        Ok(Self {
            weighted,
            incoming: Ends::sorted(lists.len(), received.map(|(from, to, weight)| (to, from, weight))),
            outgoing: Ends::sorted(lists.len(), outgoing.flat_map(EdgeList::iter)),
        })
    }

    /// Number of ranks.
    pub(crate) fn nodes(&self) -> usize {
        self.outgoing.index.len()
    }

    /// Whether the edges have weights.
    #[must_use]
    pub fn is_weighted(&self) -> bool {
        self.weighted
    }

    /// The edges along which a rank receives.
    ///
    /// # Panics
    ///
    /// When the graph has no such rank.
    #[must_use]
    pub fn incoming(&self, rank: usize) -> Neighbors<'_> {
        self.incoming.of(rank, self.weighted)
    }

    /// The edges along which a rank sends.
    ///
    /// # Panics
    ///
    /// When the graph has no such rank.
    #[must_use]
    pub fn outgoing(&self, rank: usize) -> Neighbors<'_> {
        self.outgoing.of(rank, self.weighted)
    }

    /// Source, destination and weight (1 without weights) of all edges.
    pub(crate) fn edges(&self) -> impl Iterator<Item = (usize, usize, u64)> + '_ {
        (0..self.nodes()).flat_map(move |source| {
            let Neighbors { ranks, .. } = self.outgoing(source);
            let weights = self.outgoing.of(source, true).weights.unwrap_or_default();
            ranks
                .iter()
                .zip(weights)
                .map(move |(&to, &weight)| (source, to as usize, weight as u64))
        })
    }
}

/// Whether the ranks give weights.
fn all_weighted<'a>(lists: impl Iterator<Item = &'a EdgeList> + Clone) -> Result<bool> {
    let weighted = lists.clone().any(EdgeList::is_weighted);
    if weighted && !lists.clone().all(EdgeList::is_weighted) {
        return Err(Error::new(
            ErrorClass::Arg,
            "some ranks give MPI_UNWEIGHTED and others weights; all have to do the same",
        ));
    }
    Ok(weighted)
}

/// Checks that the receiver of each edge has named it as often as its sender.
fn check_both_ends<'a>(
    incoming: impl Iterator<Item = &'a EdgeList>,
    outgoing: impl Iterator<Item = &'a EdgeList>,
) -> Result<()> {
    let mut received: Vec<_> = incoming
        .flat_map(EdgeList::iter)
        .map(|(from, to, _)| (from, to))
        .collect();
    let mut sent: Vec<_> = outgoing
        .flat_map(EdgeList::iter)
        .map(|(from, to, _)| (from, to))
        .collect();
    received.sort_unstable();
    sent.sort_unstable();
    let Some(((from, to), end)) = unpaired(sent.into_iter(), received.into_iter()) else {
        return Ok(());
    };
    let missing = match end {
        End::Source => "sources of its destination",
        End::Destination => "destinations of its source",
    };
    Err(Error::new(
        ErrorClass::Topology,
        format!("the edge from rank {from} to rank {to} is missing from the {missing}; name it at both ends"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(edges: &[(i32, i32, i32)]) -> EdgeList {
        let mut list = EdgeList::new(true);
        for &(from, to, weight) in edges {
            list.push(4, (from, to), weight).unwrap();
        }
        list
    }

    #[test]
    fn edges_given_by_anybody_come_to_their_ends() {
        let lists = [
            list(&[(1, 2, 5), (1, 1, 6), (3, 2, 7)]),
            list(&[]),
            list(&[(1, 2, 8)]),
            list(&[]),
        ];
        let graph = DistGraph::new(&lists).unwrap();
        assert_eq!(graph.outgoing(1).ranks, [2, 1, 2]);
        assert_eq!(graph.outgoing(1).weights, Some(&[5, 6, 8][..]));
        assert_eq!(graph.incoming(2).ranks, [1, 3, 1]);
        assert_eq!(graph.incoming(2).weights, Some(&[5, 7, 8][..]));
        assert_eq!(graph.incoming(1).ranks, [1]);
        assert!(graph.incoming(0).ranks.is_empty() && graph.outgoing(0).ranks.is_empty());
        let edges: Vec<_> = graph.edges().collect();
        assert_eq!(edges, [(1, 2, 5), (1, 1, 6), (1, 2, 8), (3, 2, 7)]);
    }

    #[test]
    fn an_edge_known_at_one_end_is_an_error() {
        let nobody = || (list(&[]), list(&[]));
        let complete = [
            (list(&[]), list(&[(0, 1, 1)])),
            (list(&[(0, 1, 1)]), list(&[])),
            nobody(),
            nobody(),
        ];
        assert!(DistGraph::adjacent(&complete, true).is_ok());
        let half = [(list(&[]), list(&[(0, 1, 1)])), nobody(), nobody(), nobody()];
        let error = DistGraph::adjacent(&half, true).unwrap_err();
        assert_eq!(error.class(), ErrorClass::Topology);
        assert!(
            error
                .message()
                .contains("from rank 0 to rank 1 is missing from the sources")
        );
        let half = [nobody(), (list(&[(0, 1, 1)]), list(&[])), nobody(), nobody()];
        let error = DistGraph::adjacent(&half, true).unwrap_err();
        assert!(error.message().contains("missing from the destinations"));
        let unchecked = DistGraph::adjacent(&half, false).unwrap();
        assert!(unchecked.incoming(1).ranks == [0] && unchecked.outgoing(0).ranks.is_empty());
    }

    #[test]
    fn weights_are_given_by_all_or_none() {
        let lists = [list(&[]), EdgeList::new(false)];
        assert_eq!(DistGraph::new(&lists).unwrap_err().class(), ErrorClass::Arg);
        let bare = [EdgeList::new(false), EdgeList::new(false)];
        assert!(!DistGraph::new(&bare).unwrap().is_weighted());
    }
}
