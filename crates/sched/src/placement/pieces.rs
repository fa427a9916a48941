//! A machine cut into pieces of one kind.

use crate::domain::DomainKind;
use crate::error::SchedError;
use crate::topology::Topology;
use simurgh_settings::placement::{Unit, show_processors};

/// The pieces of one kind of hardware, in an order in which neighbours share the most.
pub(super) struct Pieces {
    unit: Unit,
    /// The hardware threads of each.
    cpus: Vec<Vec<usize>>,
}

/// Kinds of hardware that not every machine has.
const CACHES: [(Unit, DomainKind); 2] = [(Unit::L2, DomainKind::L2), (Unit::L3, DomainKind::L3)];

impl Pieces {
    /// Cuts a machine into pieces of a kind. Where nothing is known of packages or of NUMA nodes, there is one.
    pub(super) fn of(topology: &Topology, unit: Unit) -> Result<Self, SchedError> {
        let cores = topology.cores();
        let domains = |kind| -> Vec<Vec<usize>> {
            let domains = topology.root().all(kind).into_iter();
            let cpus = |core: &usize| cores[*core].cpus.clone();
            domains
                .map(|domain| domain.cores.iter().flat_map(cpus).collect())
                .collect()
        };
        let whole = || vec![topology.processors()];
        let cpus = match unit {
            Unit::HwThread => cores
                .iter()
                .flat_map(|core| core.cpus.iter().map(|&cpu| vec![cpu]))
                .collect(),
            Unit::Core | Unit::L1 => cores.iter().map(|core| core.cpus.clone()).collect(),
            Unit::L2 => domains(DomainKind::L2),
            Unit::L3 => domains(DomainKind::L3),
            Unit::Numa => domains(DomainKind::Numa),
            Unit::Package => domains(DomainKind::Package),
            Unit::Machine => whole(),
        };
        match (cpus.is_empty(), unit) {
            (false, _) => Ok(Self { unit, cpus }),
            (true, Unit::L2 | Unit::L3) => Err(SchedError::NoSuchUnit {
                unit: unit.name(),
                known: known(topology),
            }),
            (true, _) => Ok(Self { unit, cpus: whole() }),
        }
    }

    /// The chosen hardware threads, one piece each.
    pub(super) fn chosen(topology: &Topology, chosen: &[usize]) -> Result<Self, SchedError> {
        let allowed = topology.processors();
        if let Some(&cpu) = chosen.iter().find(|cpu| !allowed.contains(cpu)) {
            let allowed = show_processors(&allowed);
            return Err(SchedError::NoSuchProcessor { cpu, allowed });
        }
        Ok(Self {
            unit: Unit::HwThread,
            cpus: chosen.iter().map(|&cpu| vec![cpu]).collect(),
        })
    }

    pub(super) fn len(&self) -> usize {
        self.cpus.len()
    }

    pub(super) fn cpus(&self, piece: usize) -> &[usize] {
        &self.cpus[piece]
    }

    pub(super) fn first_cpu(&self, piece: usize) -> usize {
        self.cpus[piece][0]
    }

    pub(super) fn has(&self, piece: usize, cpu: usize) -> bool {
        self.cpus[piece].contains(&cpu)
    }

    /// Some of the pieces in words, counted from 0: `cores 0-1`.
    pub(super) fn words(&self, pieces: &[usize]) -> String {
        let plural = if pieces.len() == 1 { "" } else { "s" };
        format!("{}{plural} {}", self.unit.name(), show_processors(pieces))
    }
}

/// The kinds of pieces into which a machine can be cut.
fn known(topology: &Topology) -> String {
    let always = [Unit::HwThread, Unit::Core, Unit::L1];
    let caches = CACHES.into_iter();
    let caches = caches.filter(|(_, kind)| !topology.root().all(*kind).is_empty());
    let large = [Unit::Numa, Unit::Package, Unit::Machine];
    let all = always
        .into_iter()
        .chain(caches.map(|(unit, _)| unit))
        .chain(large);
    all.map(Unit::name).collect::<Vec<_>>().join(", ")
}
