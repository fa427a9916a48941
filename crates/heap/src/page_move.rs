//! Moving pages from node to node, in small batches, while the program that uses them goes on.

use std::collections::VecDeque;
use std::ops::Range;
use std::ptr;

use rustix::param::page_size;

use crate::policy::MemoryPolicy;

/// The number of pages of a batch.
const BATCH: usize = 512;
/// The kernel's number for "the pages that only this process has" (linux/mempolicy.h).
const MPOL_MF_MOVE: libc::c_int = 2;

/// The move of some memory to a node, which is done in batches.
#[derive(Debug)]
pub struct PageMove {
    node: usize,
    /// The addresses that are left, in the order in which they will be moved.
    left: VecDeque<Range<usize>>,
}

/// The outcome of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// The pages that have been moved.
    pub moved: u64,
    /// Those that the system has left where they were: others use them, too, or the node is full.
    pub refused: u64,
}

impl PageMove {
    /// A move of these addresses to a node.
    pub(crate) fn new(node: usize, ranges: impl IntoIterator<Item = Range<usize>>) -> Self {
        Self {
            node,
            left: ranges.into_iter().collect(),
        }
    }

    /// Has pages of some neighbouring addresses, which are touched from now on, come from the node.
    pub(crate) fn prefer(node: usize, ranges: &[Range<usize>]) {
        let mut sorted = ranges.to_vec();
        sorted.sort_by_key(|range| range.start);
        // One call, and one mapping, for neighbours.
        for run in sorted.chunk_by(|a, b| a.end == b.start) {
            if let (Some(first), Some(last)) = (run.first(), run.last()) {
                MemoryPolicy::Preferred(node).apply(first.start, last.end - first.start);
            }
        }
    }

    /// The node to which the memory moves.
    #[must_use]
    pub fn node(&self) -> usize {
        self.node
    }

    /// Moves the pages of the next batch that are on other nodes; `None` if nothing is left.
    pub fn step(&mut self) -> Option<Batch> {
        let pages = self.next_pages();
        if pages.is_empty() {
            return None;
        }
        let wrong = |pages: &[usize]| -> Vec<usize> {
            let found = pages.iter().zip(nodes_of(pages));
            let is_wrong = |node: i32| usize::try_from(node).is_ok_and(|node| node != self.node);
            found
                .filter(|(_, node)| is_wrong(*node))
                .map(|(page, _)| *page)
                .collect()
        };
        let to_move = wrong(&pages);
        if to_move.is_empty() {
            return Some(Batch::default());
        }
        let target = i32::try_from(self.node).unwrap_or(0);
        let _ = move_pages(&to_move, &vec![target; to_move.len()]);
        // What the call says of the pages of one huge page is not what has become of them.
        let refused = wrong(&to_move).len();
        Some(Batch {
            moved: (to_move.len() - refused) as u64,
            refused: refused as u64,
        })
    }

    /// The addresses of the pages of the next batch.
    fn next_pages(&mut self) -> Vec<usize> {
        let mut pages = Vec::with_capacity(BATCH);
        while pages.len() < BATCH
            && let Some(range) = self.left.pop_front()
        {
            let room = (BATCH - pages.len()) * page_size();
            let end = range.end.min(range.start + room);
            pages.extend((range.start..end).step_by(page_size()));
            if end < range.end {
                self.left.push_front(end..range.end);
            }
        }
        pages
    }
}

/// The nodes of pages; a negative number for one that is not there.
pub(crate) fn nodes_of(pages: &[usize]) -> Vec<i32> {
    move_pages(pages, &[])
}

/// Moves pages to these nodes, or to none if there are none. Returns the status of each: its node, or a negative error
/// number.
fn move_pages(pages: &[usize], nodes: &[i32]) -> Vec<i32> {
    let mut status = vec![-libc::EFAULT; pages.len()];
    let nodes = match nodes.len() == pages.len() {
        true => nodes.as_ptr(),
        false => ptr::null(),
    };
    // SAFETY:
    // - there are as many addresses, nodes and results as the call is told; moving changes nothing that memory holds.
    unsafe {
        libc::syscall(
            libc::SYS_move_pages,
            0,
            pages.len(),
            pages.as_ptr(),
            nodes,
            status.as_mut_ptr(),
            MPOL_MF_MOVE,
        )
    };
    status
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::{Batch, PageMove};
    use std::iter::once;

    #[test]
    fn batches_cover_what_is_to_be_moved_in_its_order() {
        let page = rustix::param::page_size();
        let (stack, heap) = (1 << 40, 1 << 41);
        let ranges = [stack..stack + 500 * page, heap..heap + 600 * page];
        let mut pages = PageMove::new(0, ranges);
        let batches: Vec<_> = std::iter::repeat_with(|| pages.next_pages())
            .take_while(|batch| !batch.is_empty())
            .collect();
        let sizes: Vec<_> = batches.iter().map(Vec::len).collect();
        assert_eq!(sizes, [512, 512, 76]);
        assert_eq!((batches[0][0], batches[0][500]), (stack, heap));
        assert_eq!(batches.concat().last(), Some(&(heap + 599 * page)));
    }

    #[test]
    fn what_is_on_its_node_or_not_there_stays() {
        let memory = vec![1_u8; 1 << 20];
        let start = memory.as_ptr().addr().next_multiple_of(4096);
        // A machine with one node has all of it there.
        let mut pages = PageMove::new(crate::nodes::current(), once(start..start + (1 << 19)));
        let batch = pages.step().expect("there are pages");
        assert_eq!(batch.moved + batch.refused, batch.moved);
        let mut nowhere = PageMove::new(0, once(1 << 40..(1 << 40) + 8192));
        assert_eq!((nowhere.step(), nowhere.step()), (Some(Batch::default()), None));
    }
}
