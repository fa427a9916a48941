//! The virtual processors of a process: how many of which kind, on which cores, and which of them may watch.

use crate::policy::Driving;
use crate::topology::Topology;

/// The virtual processors: first the common ones, which run whatever is ready, then those dedicated to the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VpSet {
    pub(crate) common: usize,
    pub(crate) dedicated: usize,
    /// Whether the common ones drive the network too.
    by_others: bool,
    /// Which of the two kinds may watch: there are cores for them, so watching takes nothing from anybody.
    common_watch: bool,
    dedicated_watch: bool,
    /// The first of the machine's cores on which dedicated ones run, if the user has chosen it.
    network_core: Option<usize>,
}

impl VpSet {
    /// As many common ones as asked for, or as there are cores for, and what drives the network, if there is one.
    pub(crate) fn new(asked: Option<usize>, topology: &Topology, driving: Option<Driving>) -> Self {
        let cores = topology.cores().len();
        let dedicated = driving.map_or(0, |driving| driving.dedicated);
        let has_cores = driving.is_some_and(|driving| driving.has_cores);
        let taken = if has_cores { dedicated } else { 0 };
        let common = asked.unwrap_or(cores.saturating_sub(taken).max(1));
        let by_others = dedicated == 0 || driving.is_some_and(|driving| driving.by_others);
        // Who does not look after the network itself must not keep those from it that do.
        let wanted = if by_others { common } else { common + dedicated };
        // Alone and without a network, one has nobody to wait for.
        let fewest = if driving.is_some() { 1 } else { 2 };
        Self {
            common,
            dedicated,
            by_others,
            common_watch: !topology.is_crowded() && (fewest..=cores).contains(&wanted),
            dedicated_watch: !topology.is_crowded() && has_cores && common + dedicated <= cores,
            network_core: None,
        }
    }

    /// The same, with the dedicated ones on the machine's cores from this one on. Those of other processes may be there
    /// too, so they do not watch.
    pub(crate) fn with_network_core(self, core: usize) -> Self {
        Self {
            network_core: Some(core),
            dedicated_watch: false,
            ..self
        }
    }

    pub(crate) fn all(&self) -> usize {
        self.common + self.dedicated
    }

    pub(crate) fn is_dedicated(&self, vp: usize) -> bool {
        vp >= self.common
    }

    /// Whether execution contexts on it look after the network.
    pub(crate) fn drives(&self, vp: usize) -> bool {
        self.by_others || self.is_dedicated(vp)
    }

    pub(crate) fn may_watch(&self, vp: usize) -> bool {
        if self.is_dedicated(vp) {
            self.dedicated_watch
        } else {
            self.common_watch
        }
    }

    /// The hardware threads on which a virtual processor runs: a core, or all of the machine's if it is dedicated but
    /// there is no core for it.
    pub(crate) fn cpus_of(&self, vp: usize, topology: &Topology) -> Vec<usize> {
        let (cores, machine) = (topology.cores(), topology.machine());
        match self.network_core {
            Some(first) if self.is_dedicated(vp) => {
                let core = first + (vp - self.common);
                machine[core % machine.len()].cpus.clone()
            }
            None if self.is_dedicated(vp) && !self.dedicated_watch => machine
                .iter()
                .flat_map(|core| core.cpus.iter().copied())
                .collect(),
            _ => cores[vp % cores.len()].cpus.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Dedicated, Policy, WorkQueue};

    fn machine(cores: usize) -> Topology {
        Topology::synthetic(&format!("core:{cores} pu:1")).expect("a valid description")
    }

    fn vp_set(asked: Option<usize>, cores: usize, policy: &dyn Policy) -> VpSet {
        VpSet::new(asked, &machine(cores), Some(policy.driving()))
    }

    #[test]
    fn without_a_network_nothing_is_dedicated_and_one_alone_does_not_watch() {
        let alone = VpSet::new(None, &machine(1), None);
        assert_eq!((alone.common, alone.dedicated, alone.may_watch(0)), (1, 0, false));
        let four = VpSet::new(None, &machine(4), None);
        assert_eq!((four.all(), four.may_watch(3)), (4, true));
        assert!(!VpSet::new(Some(5), &machine(4), None).may_watch(0));
    }

    #[test]
    fn dedicated_processors_take_cores_from_the_others_or_run_anywhere() {
        let nd = vp_set(None, 4, &Dedicated::alone(1));
        assert_eq!((nd.common, nd.dedicated), (3, 1));
        assert!(nd.may_watch(0) && nd.may_watch(3) && nd.drives(3) && !nd.drives(0));
        assert_eq!(nd.cpus_of(3, &machine(4)), [3]);
        let asleep = vp_set(None, 4, &Dedicated::asleep(1));
        assert_eq!((asleep.common, asleep.dedicated), (4, 1));
        assert!(asleep.may_watch(0) && !asleep.may_watch(4) && asleep.drives(0));
        assert_eq!(asleep.cpus_of(4, &machine(4)), [0, 1, 2, 3]);
        let share = machine(4).share(0, 2);
        let chosen = vp_set(Some(2), 2, &Dedicated::alone(2)).with_network_core(3);
        assert_eq!(
            (chosen.cpus_of(1, &share), chosen.cpus_of(2, &share)),
            (vec![1], vec![3])
        );
        assert_eq!((chosen.cpus_of(3, &share), chosen.may_watch(2)), (vec![0], false));
    }

    #[test]
    fn who_leaves_the_network_to_others_does_not_watch_in_their_way() {
        let alone = vp_set(Some(1), 1, &Dedicated::alone(1));
        assert!(!alone.may_watch(0) && !alone.may_watch(1));
        let both = vp_set(Some(1), 1, &Dedicated::with_work_queue(1));
        assert!(both.may_watch(0) && !both.may_watch(1));
    }

    #[test]
    fn nobody_watches_where_processes_outnumber_cores() {
        let watches = |processes| {
            let share = machine(2).share(0, processes);
            VpSet::new(None, &share, Some(WorkQueue.driving())).may_watch(0)
        };
        assert!(watches(1) && watches(2) && !watches(3));
    }
}
