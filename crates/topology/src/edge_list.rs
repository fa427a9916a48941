//! Lists of edges from which graphs are made.

use simurgh_base::portable::portable;
use simurgh_base::{Error, ErrorClass, Result};

/// Edges that lead from or to nodes, as one rank contributes them.
#[derive(Clone, Debug, Default)]
pub struct EdgeList {
    /// Source, destination, weight.
    edges: Vec<(i32, i32, i32)>,
    weighted: bool,
}

portable! { EdgeList { edges, weighted } }

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
        check_ends(nodes, source, destination)?;
        if weight < 0 {
            return Err(Error::new(
                ErrorClass::Arg,
                format!("the weight {weight} of the edge from {source} to {destination} is negative"),
            ));
        }
        self.edges.push((source, destination, weight));
        Ok(())
    }

    /// Refuses edges with ends that are not below `nodes`.
    pub fn check_ends(&self, nodes: usize) -> Result<()> {
        self.iter()
            .try_for_each(|(source, destination, _)| check_ends(nodes, source, destination))
    }

    /// Whether the edges have weights of their own.
    pub(crate) fn is_weighted(&self) -> bool {
        self.weighted
    }

    /// Source, destination and weight of each edge.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (i32, i32, i32)> + Clone + '_ {
        self.edges.iter().copied()
    }
}

fn check_ends(nodes: usize, source: i32, destination: i32) -> Result<()> {
    for (what, rank) in [("source", source), ("destination", destination)] {
        if usize::try_from(rank).map_or(true, |rank| rank >= nodes) {
            let last = nodes - 1;
            let reason = format!(
                "the {what} {rank} of an edge is not in the communicator of {nodes} ranks (0 to {last})"
            );
            return Err(Error::new(ErrorClass::Rank, reason));
        }
    }
    Ok(())
}

/// One end of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Where it leads from.
    Source,
    /// Where it leads to.
    Destination,
}

/// Compares the sorted edges as their sources know them with those as their destinations know them. Returns the first
/// edge that is known more often at one end, and that end.
pub(crate) fn unpaired<E: Ord>(
    mut sent: impl Iterator<Item = E>,
    mut received: impl Iterator<Item = E>,
) -> Option<(E, End)> {
    loop {
        // The lower one is missing on the other side.
        return match (sent.next(), received.next()) {
            (None, None) => None,
            (Some(sent), Some(received)) if sent == received => continue,
            (Some(sent), received) if received.as_ref().is_none_or(|received| sent < *received) => {
                Some((sent, End::Source))
            }
            (_, received) => received.map(|received| (received, End::Destination)),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_known_at_one_end_is_found() {
        let odd = |sent: &[i32], received: &[i32]| unpaired(sent.iter().copied(), received.iter().copied());
        assert_eq!(odd(&[], &[]), None);
        assert_eq!(odd(&[1, 1, 4], &[1, 1, 4]), None);
        assert_eq!(odd(&[1, 1], &[1]), Some((1, End::Source)));
        assert_eq!(odd(&[1, 2], &[1, 1, 2]), Some((1, End::Destination)));
        assert_eq!(odd(&[1, 2, 4], &[1, 3, 4]), Some((2, End::Source)));
        assert_eq!(odd(&[], &[5]), Some((5, End::Destination)));
    }

    #[test]
    fn impossible_edges_are_refused() {
        let mut list = EdgeList::new(true);
        assert_eq!(list.push(2, (0, 2), 1).unwrap_err().class(), ErrorClass::Rank);
        assert_eq!(list.push(2, (-1, 0), 1).unwrap_err().class(), ErrorClass::Rank);
        assert_eq!(list.push(2, (0, 1), -1).unwrap_err().class(), ErrorClass::Arg);
    }
}
