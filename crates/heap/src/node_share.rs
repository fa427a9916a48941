//! How much of a rank's memory is on other nodes of the machine than the rank.
//!
//! The system tells on which node a page is. It is asked about a limited number of pages, evenly spread over the memory
//! of the rank's heaps; so the figures are estimates where there are more.

use std::ops::Range;

use rustix::param::page_size;

use crate::{RankHeaps, context, nodes, page_move};

/// The most pages that the system is asked about.
const ASKED: usize = 8192;

/// The memory of a rank's heaps that has been touched, in bytes, as seen from a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeShare {
    /// What is on that node.
    pub here: u64,
    /// What is on others, to which the way is longer.
    pub elsewhere: u64,
}

impl NodeShare {
    /// The share of these addresses, of which `nodes_of` tells the nodes: negative numbers for pages that are not
    /// there.
    fn of(memory: &[Range<usize>], node: usize, nodes_of: impl Fn(&[usize]) -> Vec<i32>) -> Self {
        let bytes: usize = memory.iter().map(Range::len).sum();
        let pages = bytes.div_ceil(page_size());
        let step = pages.div_ceil(ASKED).max(1);
        let all = memory.iter().flat_map(|range| range.clone().step_by(page_size()));
        let asked: Vec<usize> = all.step_by(step).collect();
        let mut share = Self::default();
        for found in nodes_of(&asked) {
            let place = match usize::try_from(found) {
                Ok(found) if found == node => &mut share.here,
                Ok(_) => &mut share.elsewhere,
                Err(_) => continue,
            };
            *place += (step * page_size()) as u64;
        }
        share
    }

    /// The share of what is elsewhere, from 0 to 1.
    #[must_use]
    pub fn remote(&self) -> f64 {
        self.elsewhere as f64 / (self.here + self.elsewhere).max(1) as f64
    }
}

impl RankHeaps {
    /// Where the memory of the calling context's rank is, seen from the node of the processor that runs the caller.
    /// `None` if it belongs to no rank, and on a machine with one node.
    #[must_use]
    pub fn node_share_of_caller() -> Option<NodeShare> {
        nodes::several()?;
        // SAFETY:
        // - null, or the heaps of the context's rank, which are valid for ever.
        let heaps = unsafe { context::heaps().as_ref() }?;
        let segments = heaps.source.segments();
        Some(NodeShare::of(&segments, nodes::current(), page_move::nodes_of))
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    const MIB: usize = 1 << 20;

    /// A machine on which the nodes have 64 MiB of addresses in turn, and every eighth page is not there.
    fn nodes_in_turn(pages: &[usize]) -> Vec<i32> {
        let node = |page: &usize| match (page / page_size()).is_multiple_of(8) {
            true => -libc::ENOENT,
            false => i32::try_from(page / (64 * MIB) % 4).expect("a small number"),
        };
        pages.iter().map(node).collect()
    }

    #[test]
    fn memory_is_told_by_its_nodes() {
        let share = |memory: &[Range<usize>], node| NodeShare::of(memory, node, nodes_in_turn);
        let touched = |mib: usize| (mib * MIB / 8 * 7) as u64;
        let on = |here, elsewhere| NodeShare {
            here: touched(here),
            elsewhere: touched(elsewhere),
        };
        assert_eq!(share(&[], 0), NodeShare::default());
        assert_eq!(share(&[0..4 * MIB, 4 * MIB..8 * MIB], 0), on(8, 0));
        assert_eq!(share(&[0..4 * MIB, 4 * MIB..8 * MIB], 1), on(0, 8));
        assert_eq!(share(&[0..8 * MIB, 64 * MIB..72 * MIB], 1), on(8, 8));
        assert!((share(&[56 * MIB..64 * MIB, 64 * MIB..80 * MIB], 0).remote() - 2.0 / 3.0).abs() < 1e-9);
        assert_eq!(NodeShare::default().remote(), 0.0);
    }

    #[test]
    fn much_memory_is_estimated_by_some_of_its_pages() {
        let asked = std::cell::Cell::new(0);
        let nodes_of = |pages: &[usize]| {
            asked.set(pages.len());
            pages.iter().map(|page| i32::from(*page >= 300 * MIB)).collect()
        };
        let share = NodeShare::of(&[0..100 * MIB, 200 * MIB..500 * MIB], 0, nodes_of);
        assert!(asked.get() <= ASKED && asked.get() > ASKED / 2);
        let is_about = |bytes: u64, mib: usize| bytes.abs_diff((mib * MIB) as u64) <= MIB as u64;
        assert!(
            is_about(share.here, 200) && is_about(share.elsewhere, 200),
            "{share:?}"
        );
    }

    #[test]
    fn on_a_machine_with_one_node_there_is_nothing_to_tell() {
        assert!(crate::tests::as_rank(|_| RankHeaps::node_share_of_caller()).is_none());
    }
}
