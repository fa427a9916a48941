//! Memory policies: the nodes from which the system takes the pages of some addresses.

use std::ptr;

use crate::nodes::NodeSet;

// The kernel's numbers (linux/mempolicy.h).
const MPOL_PREFERRED: libc::c_int = 1;
const MPOL_BIND: libc::c_int = 2;
const MPOL_INTERLEAVE: libc::c_int = 3;

/// The nodes from which pages come when they are touched first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryPolicy {
    /// The node of the processor that touches the page, as everywhere in the system.
    FirstTouch,
    /// This node, as long as it has memory; then others.
    Preferred(usize),
    /// These nodes alone. A page that they have no memory for ends the process.
    Bound(NodeSet),
    /// These nodes in turn.
    Interleaved(NodeSet),
}

impl MemoryPolicy {
    /// The kernel's number of the policy, and its nodes. Without nodes there is no policy.
    fn parts(self) -> (libc::c_int, NodeSet) {
        match self {
            Self::FirstTouch => (0, NodeSet::default()),
            Self::Preferred(node) => (MPOL_PREFERRED, NodeSet::of(node)),
            Self::Bound(nodes) => (MPOL_BIND, nodes),
            Self::Interleaved(nodes) => (MPOL_INTERLEAVE, nodes),
        }
    }

    /// A number for each policy: 0 for the system's own.
    pub(crate) fn code(self) -> u64 {
        match self.parts() {
            (_, nodes) if nodes.is_empty() => 0,
            (mode, nodes) => (mode as u64) << NodeSet::MOST | nodes.bits(),
        }
    }

    /// The policy with this number.
    pub(crate) fn from_code(code: u64) -> Self {
        let nodes = NodeSet::from_bits(code & ((1 << NodeSet::MOST) - 1));
        match (code >> NodeSet::MOST) as libc::c_int {
            MPOL_PREFERRED => Self::Preferred(nodes.bits().trailing_zeros() as usize),
            MPOL_BIND => Self::Bound(nodes),
            MPOL_INTERLEAVE => Self::Interleaved(nodes),
            _ => Self::FirstTouch,
        }
    }

    /// Sets the policy for pages of these addresses that are touched from now on, where no other has been set. Where
    /// the system refuses, as for nodes that the process may not use, it stays with its own.
    pub(crate) fn apply(self, start: usize, size: usize) {
        if self.code() != 0 {
            self.set(start, size);
        }
    }

    /// The same, whatever policy has been set before.
    pub(crate) fn set(self, start: usize, size: usize) {
        let (mode, nodes) = self.parts();
        let mask = nodes.bits();
        let (mask_of_nodes, bits) = match self.code() {
            0 => (ptr::null(), 0),
            _ => (&raw const mask, u64::BITS as usize + 1),
        };
        let mode = if self.code() == 0 { 0 } else { mode };
        // SAFETY:
        // - a policy changes nothing that memory holds; the mask is a variable of this function, of so many bits.
        unsafe { libc::syscall(libc::SYS_mbind, start, size, mode, mask_of_nodes, bits, 0) };
    }
}

/// Sets the policy of the calling thread, and of those that it starts, for memory without one of its own. Returns
/// whether the system has accepted it. If the policy names nodes, what the C library has free goes back to the system,
/// so that it comes anew from these.
#[must_use]
pub fn set_thread_policy(policy: MemoryPolicy) -> bool {
    let (mode, nodes) = policy.parts();
    let mask = nodes.bits();
    // SAFETY:
    // - as above.
    let result = unsafe {
        libc::syscall(
            libc::SYS_set_mempolicy,
            mode,
            &raw const mask,
            u64::BITS as usize + 1,
        )
    };
    let is_accepted = result == 0;
    if is_accepted && policy != MemoryPolicy::FirstTouch {
        // SAFETY:
        // - it has no preconditions.
        unsafe { libc::malloc_trim(0) };
    }
    is_accepted
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::MemoryPolicy;
    use crate::nodes::NodeSet;

    #[test]
    fn different_policies_have_different_numbers() {
        let both = NodeSet::new(&[0, 1]).expect("small numbers");
        let policies = [
            MemoryPolicy::FirstTouch,
            MemoryPolicy::Preferred(0),
            MemoryPolicy::Preferred(1),
            MemoryPolicy::Bound(NodeSet::of(0)),
            MemoryPolicy::Bound(both),
            MemoryPolicy::Interleaved(both),
        ];
        let codes = policies.map(MemoryPolicy::code);
        assert_eq!(codes.map(MemoryPolicy::from_code), policies);
        let different: std::collections::HashSet<_> = codes.iter().collect();
        assert_eq!((codes[0], different.len()), (0, codes.len()));
    }
}
