//! Counters of the virtual processors that share a piece of hardware.

use std::collections::BTreeMap;

use crate::domain::DomainKind;
use crate::policy::Machine;
use crate::stats::VpStats;

/// The counters of the virtual processors of one domain, which run whatever is ready, together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DomainStats {
    /// The kind of the domain.
    pub kind: DomainKind,
    /// Its number among those of its kind, as the system counts them.
    pub number: usize,
    /// The number of virtual processors.
    pub vps: usize,
    /// The sums of their counters.
    pub stats: VpStats,
}

impl DomainStats {
    /// Sums the counters of virtual processors up for each domain of a kind, or of the next wider kind where the
    /// machine has none of this one. The counters are those of as many virtual processors as the machine knows; what is
    /// behind them is left out.
    #[must_use]
    pub fn of(stats: &[VpStats], machine: &Machine<'_>, kind: DomainKind) -> Vec<Self> {
        let mut domains: BTreeMap<(DomainKind, usize), Vec<VpStats>> = BTreeMap::new();
        for (vp, stats) in stats.iter().enumerate().take(machine.vps()) {
            let domain = machine.domain(vp, kind);
            domains
                .entry((domain.kind, domain.number))
                .or_default()
                .push(*stats);
        }
        let sum = |((kind, number), members): (_, Vec<VpStats>)| Self {
            kind,
            number,
            vps: members.len(),
            stats: members.into_iter().sum(),
        };
        domains.into_iter().map(sum).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::Topology;

    #[test]
    fn counters_are_summed_up_within_a_domain_or_a_wider_one() {
        let topology = Topology::synthetic("package:2 core:2 pu:1").expect("a valid description");
        let machine = Machine::new(4, &topology);
        let vp = |switches| VpStats {
            switches,
            ..VpStats::default()
        };
        // The last one drives the network.
        let stats = [1, 2, 30, 40, 500].map(vp);
        for kind in [DomainKind::Package, DomainKind::L3] {
            let domains = DomainStats::of(&stats, &machine, kind);
            let told: Vec<_> = domains
                .iter()
                .map(|domain| (domain.kind, domain.number, domain.vps, domain.stats.switches))
                .collect();
            assert_eq!(
                told,
                [(DomainKind::Package, 0, 2, 3), (DomainKind::Package, 1, 2, 70)]
            );
        }
        assert_eq!(
            DomainStats::of(&stats, &machine, DomainKind::Machine)[0]
                .stats
                .switches,
            73
        );
    }
}
