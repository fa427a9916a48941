//! The nodes of a machine: groups of processors with memory of their own (NUMA).

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// The nodes that ranks may have memory of; empty where there is only one.
static NODES: AtomicU64 = AtomicU64::new(0);

/// Some nodes, by the system's numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeSet(u64);

impl NodeSet {
    /// The numbers of nodes are below this one.
    pub const MOST: usize = 60;

    /// The set of these nodes; `None` if a number is too large.
    #[must_use]
    pub fn new(nodes: &[usize]) -> Option<Self> {
        nodes.iter().try_fold(Self(0), |set, &node| {
            (node < Self::MOST).then(|| Self(set.0 | 1 << node))
        })
    }

    /// The set of this node. A node whose number is too large is in no set.
    #[must_use]
    pub const fn of(node: usize) -> Self {
        match node < Self::MOST {
            true => Self(1 << node),
            false => Self(0),
        }
    }

    pub(crate) const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    pub(crate) const fn bits(self) -> u64 {
        self.0
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The number of nodes.
    #[must_use]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether all of its nodes are among the others.
    #[must_use]
    pub const fn is_within(self, others: Self) -> bool {
        self.0 & !others.0 == 0
    }

    /// Its nodes, in ascending order.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..Self::MOST).filter(move |node| self.0 >> node & 1 != 0)
    }
}

impl fmt::Display for NodeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nodes: Vec<_> = self.iter().map(|node| node.to_string()).collect();
        f.write_str(&nodes.join(","))
    }
}

/// Says which nodes ranks may have memory of. It is called before any rank allocates memory. Where there is only one,
/// the system is never asked for memory of a certain node.
pub fn set_nodes(nodes: NodeSet) {
    let several = if nodes.len() > 1 {
        nodes
    } else {
        NodeSet::default()
    };
    // Relaxed: the ranks are started later, which passes it on.
    NODES.store(several.bits(), Ordering::Relaxed);
}

/// The nodes, if there are several.
#[inline]
pub(crate) fn several() -> Option<NodeSet> {
    let nodes = NodeSet(NODES.load(Ordering::Relaxed));
    (!nodes.is_empty()).then_some(nodes)
}

/// The node of the processor that runs the caller.
#[must_use]
pub fn current() -> usize {
    let mut node: libc::c_uint = 0;
    // SAFETY:
    // - the second result is a variable of this function; the others are not wanted.
    let result = unsafe {
        libc::syscall(
            libc::SYS_getcpu,
            std::ptr::null_mut::<libc::c_uint>(),
            &raw mut node,
            std::ptr::null_mut::<libc::c_void>(),
        )
    };
    if result == 0 { node as usize } else { 0 }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::NodeSet;

    #[test]
    fn sets_have_the_nodes_that_they_are_made_of() {
        let set = NodeSet::new(&[3, 0, 7]).expect("small numbers");
        assert_eq!((set.len(), set.to_string()), (3, "0,3,7".to_owned()));
        assert!(NodeSet::of(3).is_within(set) && !NodeSet::of(1).is_within(set));
        assert!(NodeSet::new(&[NodeSet::MOST]).is_none() && NodeSet::of(NodeSet::MOST).is_empty());
    }
}
