//! Traffic between parts of the hardware.

use crate::domain::DomainKind;
use crate::topology::Topology;

/// The kinds of hardware between which traffic is counted.
const KINDS: [DomainKind; 4] = [
    DomainKind::L2,
    DomainKind::L3,
    DomainKind::Numa,
    DomainKind::Package,
];

/// The bytes that go from one virtual processor to another, and from one piece of hardware to another of its kind, for
/// each kind of which the machine has several pieces that differ from those of the kind before.
///
/// `edges` are the virtual processors of senders and receivers, and bytes.
#[must_use]
pub fn crossings(
    topology: &Topology,
    edges: impl Iterator<Item = (usize, usize, u64)> + Clone,
) -> Vec<(&'static str, u64)> {
    let bytes = |crosses: &dyn Fn(usize, usize) -> bool| {
        let crossing = edges.clone().filter(|&(from, to, _)| crosses(from, to));
        crossing.map(|(.., bytes)| bytes).sum()
    };
    let core = |vp: usize| vp % topology.cores().len();
    let mut all = vec![("virtual processors", bytes(&|from, to| from != to))];
    let mut finer = topology.cores().len();
    for kind in KINDS {
        let domains = topology.root().all(kind);
        if domains.len() < 2 || domains.len() == finer {
            continue;
        }
        finer = domains.len();
        let of_core = |core: usize| domains.iter().position(|domain| domain.cores.contains(&core));
        all.push((
            words(kind),
            bytes(&|from, to| of_core(core(from)) != of_core(core(to))),
        ));
    }
    all
}

fn words(kind: DomainKind) -> &'static str {
    match kind {
        DomainKind::L2 => "L2 caches",
        DomainKind::L3 => "L3 caches",
        DomainKind::Numa => "NUMA nodes",
        DomainKind::Package => "packages",
        DomainKind::Machine | DomainKind::Core => "cores",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traffic_is_counted_by_the_hardware_that_it_leaves() {
        let topology = Topology::synthetic("package:2 l3:2 core:2 pu:1").expect("a valid description");
        let edges = [(0, 0, 1), (0, 1, 10), (0, 2, 100), (0, 4, 1000), (8, 1, 10_000)];
        assert_eq!(
            crossings(&topology, edges.into_iter()),
            [
                ("virtual processors", 11_110),
                ("L3 caches", 1100),
                ("packages", 1000)
            ]
        );
    }

    #[test]
    fn a_kind_that_says_nothing_new_is_left_out() {
        let topology = Topology::synthetic("package:2 core:1 pu:1").expect("a valid description");
        assert_eq!(
            crossings(&topology, [(0, 1, 7)].into_iter()),
            [("virtual processors", 7)]
        );
    }
}
