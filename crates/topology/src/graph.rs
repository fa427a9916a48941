//! Graphs that every rank knows as a whole.

use simurgh_base::{Error, ErrorClass, Result};

/// A graph in the standard's form: the neighbours of all nodes one after another, and for each node where its
/// neighbours end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    index: Box<[i32]>,
    edges: Box<[i32]>,
}

impl Graph {
    /// A graph of as many nodes as `index` is long. A node may be its own neighbour, and have a neighbour several
    /// times.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Arg`] if `index` falls or is negative, [`ErrorClass::Rank`] if an edge leads to no node.
    pub fn new(index: &[i32], edges: &[i32]) -> Result<Self> {
        let mut last = 0;
        for (node, &end) in index.iter().enumerate() {
            if end < last {
                return Err(Error::new(
                    ErrorClass::Arg,
                    format!(
                        "index[{node}] is {end}, less than {last} before it; it counts the edges up to a node"
                    ),
                ));
            }
            last = end;
        }
        let nodes = index.len();
        let edges = edges.get(..last as usize).ok_or_else(|| {
            let given = edges.len();
            Error::new(
                ErrorClass::Arg,
                format!("the last index says {last} edges, but there are {given}"),
            )
        })?;
        let is_node = |&edge: &i32| usize::try_from(edge).is_ok_and(|edge| edge < nodes);
        if let Some(wrong) = edges.iter().position(|edge| !is_node(edge)) {
            let edge = edges[wrong];
            return Err(Error::new(
                ErrorClass::Rank,
                format!("edges[{wrong}] is {edge}, which is not one of the graph's {nodes} nodes"),
            ));
        }
        Ok(Self {
            index: index.into(),
            edges: edges.into(),
        })
    }

    /// Where the neighbours of each node end.
    #[must_use]
    pub fn index(&self) -> &[i32] {
        &self.index
    }

    /// The neighbours of all nodes.
    #[must_use]
    pub fn edges(&self) -> &[i32] {
        &self.edges
    }

    /// The neighbours of a rank, in the order in which they were given (`MPI_Graph_neighbors`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Rank`] if the graph has no such rank.
    pub fn neighbors(&self, rank: i32) -> Result<&[i32]> {
        let nodes = self.index.len();
        let node = usize::try_from(rank)
            .ok()
            .filter(|&node| node < nodes)
            .ok_or_else(|| {
                Error::new(
                    ErrorClass::Rank,
                    format!("rank {rank} is not one of the graph's {nodes} nodes"),
                )
            })?;
        let first = node.checked_sub(1).map_or(0, |before| self.index[before]);
        Ok(&self.edges[first as usize..self.index[node] as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_keep_their_order() {
        let graph = Graph::new(&[2, 3, 3, 6], &[1, 3, 0, 2, 3, 2]).unwrap();
        assert_eq!(graph.neighbors(0).unwrap(), [1, 3]);
        assert_eq!(graph.neighbors(1).unwrap(), [0]);
        assert!(graph.neighbors(2).unwrap().is_empty());
        assert_eq!(graph.neighbors(3).unwrap(), [2, 3, 2]);
        assert_eq!(graph.neighbors(4).unwrap_err().class(), ErrorClass::Rank);
    }

    #[test]
    fn broken_graphs_are_refused() {
        assert_eq!(Graph::new(&[1, 0], &[1]).unwrap_err().class(), ErrorClass::Arg);
        assert_eq!(Graph::new(&[-1], &[]).unwrap_err().class(), ErrorClass::Arg);
        assert_eq!(Graph::new(&[1], &[]).unwrap_err().class(), ErrorClass::Arg);
        assert_eq!(Graph::new(&[1, 1], &[2]).unwrap_err().class(), ErrorClass::Rank);
        assert_eq!(Graph::new(&[1, 1], &[-1]).unwrap_err().class(), ErrorClass::Rank);
    }
}
