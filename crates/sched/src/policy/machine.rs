//! What a policy knows of the virtual processors that it distributes execution contexts among.

use crate::domain::{Domain, DomainKind};
use crate::topology::Topology;

/// The virtual processors that run whatever is ready, and the cores on which they run.
#[derive(Clone, Copy, Debug)]
pub struct Machine<'a> {
    vps: usize,
    topology: &'a Topology,
}

impl<'a> Machine<'a> {
    /// So many virtual processors, on the cores of this machine in turn.
    #[must_use]
    pub fn new(vps: usize, topology: &'a Topology) -> Self {
        Self { vps, topology }
    }

    /// The number of virtual processors.
    #[must_use]
    pub fn vps(&self) -> usize {
        self.vps
    }

    /// The cores.
    #[must_use]
    pub fn topology(&self) -> &'a Topology {
        self.topology
    }

    /// The distance of two virtual processors: how many levels up in the tree of domains their cores meet. It is 0 on
    /// the same core.
    #[must_use]
    pub fn distance(&self, vp: usize, other: usize) -> usize {
        self.topology.root().distance(self.core(vp), self.core(other))
    }

    /// All virtual processors but this one, the nearest first.
    #[must_use]
    pub fn nearest_first(&self, vp: usize) -> Vec<usize> {
        let mut others: Vec<usize> = (0..self.vps).filter(|&other| other != vp).collect();
        others.sort_by_key(|&other| self.distance(vp, other));
        others
    }

    /// The smallest domain around a virtual processor that is of this kind, or of a wider one where the machine has
    /// none of this kind.
    #[must_use]
    pub fn domain(&self, vp: usize, kind: DomainKind) -> &'a Domain {
        let core = self.core(vp);
        let child_of = |domain: &&'a Domain| domain.children.iter().find(|child| child.cores.contains(&core));
        // The kinds need not come in their order: a NUMA node may hold several packages.
        let around = std::iter::successors(Some(self.topology.root()), child_of);
        let fitting = around.filter(|domain| domain.kind <= kind);
        fitting.last().unwrap_or_else(|| self.topology.root())
    }

    /// Whether two virtual processors have their cores in the same [domain](Self::domain) of this kind.
    #[must_use]
    pub fn shares(&self, kind: DomainKind, vp: usize, other: usize) -> bool {
        self.domain(vp, kind).cores.contains(&self.core(other))
    }

    fn core(&self, vp: usize) -> usize {
        vp % self.topology.cores().len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_that_the_machine_lacks_stands_for_the_next_wider_one() {
        let topology = Topology::synthetic("package:2 core:4 pu:1").expect("a valid description");
        let machine = Machine::new(8, &topology);
        assert_eq!(machine.domain(5, DomainKind::L3).cores, [4, 5, 6, 7]);
        assert_eq!(machine.domain(5, DomainKind::Core).cores, [5]);
        assert_eq!(machine.domain(5, DomainKind::Machine).cores.len(), 8);
        assert_eq!(machine.domain(5, DomainKind::Package).cores, [4, 5, 6, 7]);
        assert!(machine.shares(DomainKind::L3, 4, 7) && !machine.shares(DomainKind::L3, 4, 3));
    }

    #[test]
    fn the_nearest_come_first_also_where_processors_share_cores() {
        let topology = Topology::synthetic("package:2 core:2 pu:1").expect("a valid description");
        assert_eq!(Machine::new(4, &topology).nearest_first(2), [3, 0, 1]);
        assert_eq!(Machine::new(6, &topology).nearest_first(0), [4, 1, 5, 2, 3]);
        assert_eq!(Machine::new(6, &topology).distance(0, 4), 0);
    }
}
