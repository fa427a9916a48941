//! The modex: the exchange of data between the PMIx servers of the nodes.
//!
//! Costs: the data of each node comes here once, and goes to all nodes down the tree of their agents.

use super::RemoteNodes;
use crate::pmi::processes;
use crate::tree::message::{Down, Fragment, Modex};
use crate::tree::{Reassembly, fragments};
use simurgh_net::job::JobSpec;
use std::collections::{BTreeMap, BTreeSet};

/// The fences of ranks on several nodes.
pub(super) struct Fences {
    /// The node of each rank.
    nodes: Vec<u32>,
    coming: Reassembly,
    /// The data of nodes that have entered a fence, by the ranks of the fence.
    open: BTreeMap<Vec<u32>, BTreeMap<u32, Vec<u8>>>,
}

impl Fences {
    /// The fences of a job.
    pub(super) fn of(spec: &JobSpec) -> Self {
        Self {
            nodes: processes(spec).iter().map(|process| process.node).collect(),
            coming: Reassembly::default(),
            open: BTreeMap::new(),
        }
    }

    /// Adds the data of a node to a fence; returns the data of all nodes when all have entered it.
    fn add(&mut self, ranks: Vec<u32>, node: u32, shown: Vec<u8>) -> Option<Vec<u8>> {
        let meeting = self.open.entry(ranks.clone()).or_default();
        meeting.insert(node, shown);
        if !awaited(&self.nodes, &ranks).is_subset(&meeting.keys().copied().collect()) {
            return None;
        }
        let all = self.open.remove(&ranks)?;
        Some(all.into_values().flatten().collect())
    }
}

/// The nodes of these ranks, or of all if none are named.
fn awaited(nodes: &[u32], ranks: &[u32]) -> BTreeSet<u32> {
    match ranks {
        [] => nodes.iter().copied().collect(),
        ranks => ranks
            .iter()
            .filter_map(|&rank| nodes.get(rank as usize).copied())
            .collect(),
    }
}

impl RemoteNodes {
    /// Passes on a fragment.
    pub(super) fn exchange(&mut self, fragment: Fragment, bytes: &[u8]) {
        match fragment.about {
            Modex::Question { to, .. } | Modex::Answer { to, .. } => {
                self.send_to(to, &Down::Modex(fragment), bytes);
            }
            Modex::Shown { by, ref ranks } => {
                let Some(shown) = self.fences.coming.take(&fragment, bytes) else {
                    return;
                };
                if let Some(all) = self.fences.add(ranks.clone(), by, shown) {
                    let ranks = ranks.clone();
                    for (fragment, bytes) in fragments(&Modex::Met { ranks }, &all) {
                        self.send_all_with(&Down::Modex(fragment), bytes);
                    }
                }
            }
            // Only this process sends it.
            Modex::Met { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_ends_when_all_nodes_of_its_ranks_have_entered_it() {
        let mut fences = Fences {
            nodes: vec![0, 0, 2, 1],
            coming: Reassembly::default(),
            open: BTreeMap::new(),
        };
        for _ in 0..2 {
            assert_eq!(fences.add(vec![], 2, vec![3]), None);
            assert_eq!(fences.add(vec![0, 2], 2, vec![5]), None);
            assert_eq!(fences.add(vec![], 0, vec![1]), None);
            assert_eq!(fences.add(vec![0, 2], 0, vec![4]), Some(vec![4, 5]));
            assert_eq!(fences.add(vec![], 1, vec![2]), Some(vec![1, 2, 3]));
        }
        assert!(fences.open.is_empty());
    }
}
