//! The set of virtual processors of a process: how many of which kind, on which cores, and which of them may spin.

use std::ops::Range;

use crate::policy::Driving;
use crate::topology::Topology;

/// The virtual processors: first the common ones, which run whatever is ready, then those that are dedicated to the
/// network, and then those that are for I/O alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VpSet {
    pub(crate) common: usize,
    pub(crate) dedicated: usize,
    /// Those for I/O have no cores: they sleep in system calls for most of the time.
    pub(crate) for_io: usize,
    /// Whether contexts on the common ones poll the network, too.
    by_others: bool,
    /// Which of the two kinds may spin while idle: there are cores for them, so that spinning takes nothing from
    /// anybody.
    common_spins: bool,
    dedicated_spins: bool,
    /// The first of the machine's cores on which dedicated ones run, if the user has chosen it.
    network_core: Option<usize>,
}

impl VpSet {
    /// As many common ones as asked for, or as there are cores for, and the dedicated ones, if there is a network.
    pub(crate) fn new(asked: Option<usize>, topology: &Topology, driving: Option<Driving>) -> Self {
        let cores = topology.cores().len();
        let dedicated = driving.map_or(0, |driving| driving.dedicated);
        let has_cores = driving.is_some_and(|driving| driving.has_cores);
        let reserved = topology.reserved().len();
        let taken = if has_cores && reserved == 0 { dedicated } else { 0 };
        let common = asked.unwrap_or(cores.saturating_sub(taken).max(1));
        let by_others = dedicated == 0 || driving.is_some_and(|driving| driving.by_others);
        // Common ones that do not poll the network must not keep those from it that do, unless these have other cores.
        let apart = by_others || reserved > 0;
        let wanted = if apart { common } else { common + dedicated };
        // A single one without a network has nobody for whom it could spin.
        let fewest = if driving.is_some() { 1 } else { 2 };
        Self {
            common,
            dedicated,
            for_io: 0,
            by_others,
            common_spins: !topology.is_oversubscribed() && (fewest..=cores).contains(&wanted),
            dedicated_spins: has_cores
                && match reserved {
                    0 => !topology.is_oversubscribed() && common + dedicated <= cores,
                    _ => dedicated <= topology.own_reserved().len(),
                },
            network_core: None,
        }
    }

    /// The same, with the dedicated ones on the machine's cores from this one on. Those of other processes may be
    /// there, too, so they do not spin.
    pub(crate) fn with_network_core(self, core: usize) -> Self {
        Self {
            network_core: Some(core),
            dedicated_spins: false,
            ..self
        }
    }

    /// The same, with so many for I/O.
    pub(crate) fn with_io(self, for_io: usize) -> Self {
        Self { for_io, ..self }
    }

    pub(crate) fn all(&self) -> usize {
        self.io_vps().end
    }

    /// The indices of those for I/O.
    pub(crate) fn io_vps(&self) -> Range<usize> {
        let first = self.common + self.dedicated;
        first..first + self.for_io
    }

    /// The indices of those that may drive the network while they are idle.
    pub(crate) fn pollers(&self) -> Range<usize> {
        let first = if self.dedicated > 0 { self.common } else { 0 };
        first..self.common + self.dedicated
    }

    /// Whether it is one of those that do nothing but drive the network.
    pub(crate) fn is_dedicated(&self, vp: usize) -> bool {
        vp >= self.common && !self.is_for_io(vp)
    }

    fn is_for_io(&self, vp: usize) -> bool {
        self.io_vps().contains(&vp)
    }

    /// Whether execution contexts on the virtual processor poll the network.
    pub(crate) fn drives(&self, vp: usize) -> bool {
        self.by_others || self.is_dedicated(vp)
    }

    pub(crate) fn may_spin(&self, vp: usize) -> bool {
        if self.is_for_io(vp) {
            false
        } else if self.is_dedicated(vp) {
            self.dedicated_spins
        } else {
            self.common_spins
        }
    }

    /// The hardware threads on which a virtual processor runs: those of a core. One that is dedicated or for I/O, and
    /// has no core, runs on all reserved cores, or on all of the machine if none is reserved.
    pub(crate) fn cpus_of(&self, vp: usize, topology: &Topology) -> Vec<usize> {
        let (cores, machine, reserved) = (topology.cores(), topology.machine(), topology.reserved());
        match self.network_core {
            Some(first) if self.is_dedicated(vp) => {
                let core = first + (vp - self.common);
                machine[core % machine.len()].cpus.clone()
            }
            _ if self.is_for_io(vp) || self.is_dedicated(vp) && !self.dedicated_spins => {
                topology.processors_of_library()
            }
            _ if self.is_dedicated(vp) && !reserved.is_empty() => {
                topology.own_reserved()[vp - self.common].cpus.clone()
            }
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
    fn without_a_network_nothing_is_dedicated_and_a_single_one_does_not_spin() {
        let alone = VpSet::new(None, &machine(1), None);
        assert_eq!((alone.common, alone.dedicated, alone.may_spin(0)), (1, 0, false));
        let four = VpSet::new(None, &machine(4), None);
        assert_eq!((four.all(), four.may_spin(3)), (4, true));
        assert!(!VpSet::new(Some(5), &machine(4), None).may_spin(0));
    }

    #[test]
    fn dedicated_processors_take_cores_from_the_others_or_run_anywhere() {
        let nd = vp_set(None, 4, &Dedicated::alone(1));
        assert_eq!((nd.common, nd.dedicated), (3, 1));
        assert!(nd.may_spin(0) && nd.may_spin(3) && nd.drives(3) && !nd.drives(0));
        assert_eq!(nd.cpus_of(3, &machine(4)), [3]);
        let asleep = vp_set(None, 4, &Dedicated::asleep(1));
        assert_eq!((asleep.common, asleep.dedicated), (4, 1));
        assert!(asleep.may_spin(0) && !asleep.may_spin(4) && asleep.drives(0));
        assert_eq!(asleep.cpus_of(4, &machine(4)), [0, 1, 2, 3]);
        let share = machine(4).share(0, 2);
        let chosen = vp_set(Some(2), 2, &Dedicated::alone(2)).with_network_core(3);
        assert_eq!(
            (chosen.cpus_of(1, &share), chosen.cpus_of(2, &share)),
            (vec![1], vec![3])
        );
        assert_eq!((chosen.cpus_of(3, &share), chosen.may_spin(2)), (vec![0], false));
    }

    #[test]
    fn dedicated_processors_run_on_reserved_cores_and_take_no_others() {
        let machine = |reserved| machine(4).reserving(reserved).expect("some are left");
        let set = |reserved, policy: &dyn Policy| {
            VpSet::new(None, &machine(reserved), Some(policy.driving())).with_io(1)
        };
        let nd = set(2, &Dedicated::alone(2));
        assert_eq!((nd.common, nd.dedicated), (2, 2));
        assert!(nd.may_spin(0) && nd.may_spin(2) && nd.may_spin(3));
        let places = [1, 2, 3, 4].map(|vp| nd.cpus_of(vp, &machine(2)));
        assert_eq!(places, [vec![1], vec![2], vec![3], vec![2, 3]]);
        let few = set(1, &Dedicated::alone(2));
        assert!(!few.may_spin(3) && few.cpus_of(3, &machine(1)) == [3]);
        let asleep = set(2, &Dedicated::asleep(1));
        assert_eq!((asleep.common, asleep.cpus_of(2, &machine(2))), (2, vec![2, 3]));
        let chosen = nd.with_network_core(1);
        let places = [0, 1, 2, 3, 4].map(|vp| chosen.cpus_of(vp, &machine(2)));
        assert_eq!(
            places,
            [vec![0], vec![1], vec![1], vec![2], vec![2, 3]],
            "the named core counts"
        );
        assert!(chosen.may_spin(1) && !chosen.may_spin(2));
    }

    #[test]
    fn dedicated_processors_of_several_processes_spin_only_if_all_have_reserved_cores() {
        let set = |process, processes, reserved| {
            let machine = machine(4).reserving(reserved).expect("some are left");
            let share = machine.share(process, processes);
            let set = VpSet::new(None, &share, Some(Dedicated::alone(1).driving()));
            let vp = set.common;
            (set.may_spin(vp), set.cpus_of(vp, &share))
        };
        assert_eq!((set(0, 2, 2), set(1, 2, 2)), ((true, vec![2]), (true, vec![3])));
        assert_eq!((set(0, 2, 3), set(1, 2, 3)), ((true, vec![1]), (true, vec![2])));
        for process in [0, 1] {
            assert_eq!(set(process, 2, 1), (false, vec![3]), "they share the core");
        }
        assert_eq!(set(3, 4, 3), (false, vec![1, 2, 3]));
    }

    #[test]
    fn those_for_io_come_last_and_take_no_cores_nor_the_network() {
        let set = vp_set(None, 4, &Dedicated::alone(1)).with_io(2);
        assert_eq!((set.common, set.all(), set.io_vps()), (3, 6, 4..6));
        assert_eq!(
            (set.pollers(), set.is_dedicated(3), set.is_dedicated(4)),
            (3..4, true, false)
        );
        assert!(!set.may_spin(4) && !set.drives(4));
        assert_eq!(set.cpus_of(5, &machine(4)), [0, 1, 2, 3]);
        assert_eq!(vp_set(None, 4, &WorkQueue).with_io(1).pollers(), 0..4);
    }

    #[test]
    fn one_that_leaves_the_network_to_others_does_not_spin_in_their_way() {
        let alone = vp_set(Some(1), 1, &Dedicated::alone(1));
        assert!(!alone.may_spin(0) && !alone.may_spin(1));
        let both = vp_set(Some(1), 1, &Dedicated::with_work_queue(1));
        assert!(both.may_spin(0) && !both.may_spin(1));
    }

    #[test]
    fn nobody_spins_where_processes_outnumber_cores() {
        let spins = |processes| {
            let share = machine(2).share(0, processes);
            VpSet::new(None, &share, Some(WorkQueue.driving())).may_spin(0)
        };
        assert!(spins(1) && spins(2) && !spins(3));
    }
}
