//! Edges on their way into a graph.

use crate::error::{Error, ErrorClass, Result};

/// Edges that lead from or to nodes, as one rank contributes them.
#[derive(Clone, Debug, Default)]
pub struct EdgeList {
    /// Source, destination, weight.
    edges: Vec<(i32, i32, i32)>,
    weighted: bool,
}

impl EdgeList {
    /// No edges yet; `weighted` says whether those to come have weights (otherwise each is given 1).
    #[must_use]
    pub fn new(weighted: bool) -> Self {
        Self {
            edges: Vec::new(),
            weighted,
        }
    }

    /// Adds the edge from `source` to `destination`.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Rank`] if either is not below `nodes`, [`ErrorClass::Arg`] if the weight is negative.
    pub fn push(&mut self, nodes: usize, (source, destination): (i32, i32), weight: i32) -> Result<()> {
        for (what, rank) in [("source", source), ("destination", destination)] {
            if usize::try_from(rank).map_or(true, |rank| rank >= nodes) {
                let last = nodes - 1;
                let reason = format!(
                    "the {what} {rank} of an edge is not in the communicator of {nodes} ranks (0 to {last})"
                );
                return Err(Error::new(ErrorClass::Rank, reason));
            }
        }
        if weight < 0 {
            return Err(Error::new(
                ErrorClass::Arg,
                format!("the weight {weight} of the edge from {source} to {destination} is negative"),
            ));
        }
        self.edges.push((source, destination, weight));
        Ok(())
    }

    /// Whether the edges have weights of their own.
    pub(super) fn is_weighted(&self) -> bool {
        self.weighted
    }

    /// Source, destination and weight of each edge.
    pub(super) fn iter(&self) -> impl Iterator<Item = (i32, i32, i32)> + Clone + '_ {
        self.edges.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_edges_are_refused() {
        let mut list = EdgeList::new(true);
        assert_eq!(list.push(2, (0, 2), 1).unwrap_err().class(), ErrorClass::Rank);
        assert_eq!(list.push(2, (-1, 0), 1).unwrap_err().class(), ErrorClass::Rank);
        assert_eq!(list.push(2, (0, 1), -1).unwrap_err().class(), ErrorClass::Arg);
    }
}
