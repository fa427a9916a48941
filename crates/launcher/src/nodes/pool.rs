//! The nodes of a running job, to which spawned programs go.

use super::{Mapping, Node, RankBlock, file, is_here, list};
use crate::error::NodesError;
use std::path::PathBuf;

/// The nodes of a job, by their numbers, and how ranks are mapped to them.
#[derive(Clone, Debug)]
pub(crate) struct NodePool {
    pub(crate) nodes: Vec<Node>,
    pub(crate) mapping: Mapping,
}

/// A choice among the nodes of a job, by the info keys of `MPI_Comm_spawn`.
#[derive(Clone, Debug)]
pub(crate) enum NodeChoice {
    /// A list, in the form of `-hosts`.
    List(String),
    /// A file, in the form of `-hostfile`.
    File(PathBuf),
}

impl NodePool {
    /// This machine alone.
    pub(crate) fn here() -> Self {
        Self {
            nodes: vec![Node {
                name: "localhost".to_owned(),
                slots: 1,
            }],
            mapping: Mapping::Slots,
        }
    }

    /// The blocks of `ranks`, on all nodes or on those that are chosen.
    ///
    /// # Errors
    ///
    /// When the choice cannot be understood, or names a node that does not belong to the job.
    pub(crate) fn blocks(
        &self,
        ranks: u32,
        choice: Option<NodeChoice>,
    ) -> Result<Vec<RankBlock>, NodesError> {
        let chosen = match choice {
            None => return Ok(self.mapping.blocks(ranks, &self.nodes)),
            Some(NodeChoice::List(text)) => list::parse("info key host", &text)?,
            Some(NodeChoice::File(path)) => file::read(&path)?,
        };
        let numbers: Vec<_> = chosen
            .iter()
            .map(|node| self.number(&node.name))
            .collect::<Result<_, _>>()?;
        let blocks = self.mapping.blocks(ranks, &chosen).into_iter();
        Ok(blocks
            .map(|run| RankBlock {
                node: numbers[run.node as usize],
                ..run
            })
            .collect())
    }

    /// The number of a node.
    fn number(&self, name: &str) -> Result<u32, NodesError> {
        let is_it = |node: &Node| node.name == name || (is_here(name) && is_here(&node.name));
        let found = (0..).zip(&self.nodes).find(|(_, node)| is_it(node));
        found.map(|(number, _)| number).ok_or_else(|| {
            let names: Vec<_> = self.nodes.iter().map(|node| node.name.as_str()).collect();
            NodesError::NotOfJob {
                node: name.to_owned(),
                nodes: names.join(", "),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(choice: Option<NodeChoice>) -> Vec<(u32, u32)> {
        let nodes = list::parse("-hosts", "a,b:2,c").unwrap();
        let mapping = Mapping::Slots;
        let blocks = NodePool { nodes, mapping }.blocks(4, choice).unwrap();
        blocks.iter().map(|run| (run.node, run.ranks)).collect()
    }

    #[test]
    fn ranks_go_where_the_jobs_own_do_or_to_chosen_nodes() {
        assert_eq!(blocks(None), [(0, 1), (1, 2), (2, 1)]);
        assert_eq!(blocks(Some(NodeChoice::List("c".into()))), [(2, 4)]);
        assert_eq!(blocks(Some(NodeChoice::List("c:3,a".into()))), [(2, 3), (0, 1)]);
    }

    #[test]
    fn others_nodes_are_refused_by_name() {
        let error = NodePool::here()
            .blocks(1, Some(NodeChoice::List("far".into())))
            .unwrap_err();
        assert!(error.to_string().contains("far"), "{error}");
        assert_eq!(
            NodePool::here()
                .blocks(1, Some(NodeChoice::List("127.0.0.1".into())))
                .unwrap()
                .len(),
            1
        );
    }
}
