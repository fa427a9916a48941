//! The topology: the cores that this process may use, and the tree of what they share.

mod hwloc;

use std::fmt;
use std::ops::Range;

use crate::domain::{Domain, DomainKind};
use crate::error::SchedError;
use simurgh_settings::{Id, Values};

/// A core, as far as this process may use it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Core {
    /// Its hardware threads, by the operating system's numbers.
    pub cpus: Vec<usize>,
}

/// The cores of the machine and what they share, as far as the scheduler knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    cores: Vec<Core>,
    root: Domain,
    binds: bool,
    /// All cores, including those of other processes' shares.
    machine: Vec<Core>,
    /// Those of them that are kept from ranks.
    reserved: Vec<Core>,
    /// Those of the latter that no other process of the node dedicates to the network.
    own_reserved: Vec<Core>,
    /// The numbers of the NUMA nodes, also of those without cores.
    nodes: Vec<usize>,
    oversubscribed: bool,
    /// For each core, the number of its group: ranks may move between cores of a group. Empty if they may move
    /// anywhere.
    groups: Vec<usize>,
}

impl Topology {
    /// Reads the topology of the machine, restricted to the cores on which this process may run (cgroup and affinity).
    ///
    /// # Errors
    ///
    /// When hwloc fails or no core is left.
    pub fn detect() -> Result<Self, SchedError> {
        hwloc::detect()
    }

    /// The system's numbers of all NUMA nodes of the machine, in the order of hwloc's names: `numa:0` is the first one.
    ///
    /// # Errors
    ///
    /// When hwloc fails.
    pub fn nodes_of_machine() -> Result<Vec<usize>, SchedError> {
        hwloc::nodes_of_machine()
    }

    /// The topology of an imaginary machine, by hwloc's description, such as `"package:2 numa:1 l3:1 core:4 pu:1"`.
    ///
    /// # Errors
    ///
    /// When hwloc does not understand it.
    pub fn synthetic(description: &str) -> Result<Self, SchedError> {
        hwloc::synthetic(description)
    }

    /// The machine for the ranks of a job: as it is, without the cores that are kept from them (`--reserve-cores`).
    ///
    /// # Errors
    ///
    /// When hwloc fails or no core is left.
    pub fn for_ranks(settings: &Values) -> Result<Self, SchedError> {
        Self::detect()?.reserving(settings.amount(Id::ReserveCores))
    }

    /// The same machine, whose last `count` cores are kept from ranks: for virtual processors that are dedicated to the
    /// network, for other threads of the library, and for the system.
    ///
    /// # Errors
    ///
    /// When no core would be left.
    pub fn reserving(self, count: usize) -> Result<Self, SchedError> {
        let cores = self.cores.len();
        if count >= cores {
            return Err(SchedError::AllReserved { count, cores });
        }
        let kept: Vec<_> = (0..cores - count).collect();
        let reserved = self.cores[cores - count..].to_vec();
        Ok(Self {
            own_reserved: reserved.clone(),
            reserved,
            ..self.restricted(&kept)
        })
    }

    /// The share of the process with this index, if `count` processes share the machine evenly: cores that are
    /// neighbours. With more processes than cores, several get the same core.
    ///
    /// # Panics
    ///
    /// When there is no process with the index.
    #[must_use]
    pub fn share(self, index: usize, count: usize) -> Self {
        let kept: Vec<_> = self.portion(index, count).collect();
        Self {
            oversubscribed: count > self.cores.len(),
            ..self.sharing_reserved(index, count).restricted(&kept)
        }
    }

    /// The same, for the process with this index of `count` on the machine: each has equally many of the reserved cores
    /// to itself, for what it dedicates to the network; none if there are fewer of them than processes.
    #[must_use]
    pub fn sharing_reserved(self, index: usize, count: usize) -> Self {
        let each = self.reserved.len() / count;
        Self {
            own_reserved: self.reserved[index * each..(index + 1) * each].to_vec(),
            ..self
        }
    }

    /// The cores of a [share](Topology::share).
    ///
    /// # Panics
    ///
    /// When there is no process with the index.
    #[must_use]
    pub fn cores_of(&self, index: usize, count: usize) -> &[Core] {
        &self.cores[self.portion(index, count)]
    }

    fn portion(&self, index: usize, count: usize) -> Range<usize> {
        assert!(index < count, "process {index} of {count}");
        let bound = |index| index * self.cores.len() / count;
        let first = bound(index);
        first..bound(index + 1).max(first + 1)
    }

    /// The topology restricted to some cores, which are in ascending order.
    fn restricted(self, kept: &[usize]) -> Self {
        Self {
            root: self.root.restricted(kept),
            cores: kept.iter().map(|&core| self.cores[core].clone()).collect(),
            ..self
        }
    }

    /// The cores that have some of these hardware threads. Ranks may move between cores of the same `group`.
    /// `oversubscribed` tells whether other processes use some of the cores, too.
    pub(crate) fn part(self, cpus: &[usize], group: impl Fn(&Core) -> usize, oversubscribed: bool) -> Self {
        let is_kept = |core: &Core| core.cpus.iter().any(|cpu| cpus.contains(cpu));
        let kept: Vec<_> = (0..self.cores.len())
            .filter(|&core| is_kept(&self.cores[core]))
            .collect();
        let part = self.restricted(&kept);
        Self {
            groups: part.cores.iter().map(group).collect(),
            oversubscribed,
            ..part
        }
    }

    /// The same machine, with each hardware thread as a core.
    #[must_use]
    pub fn by_threads(self) -> Self {
        let split = |cores: &[Core]| -> Vec<Core> {
            let cpus = cores.iter().flat_map(|core| core.cpus.iter());
            cpus.map(|&cpu| Core { cpus: vec![cpu] }).collect()
        };
        let mut next = 0;
        let threads: Vec<_> = self
            .cores
            .iter()
            .map(|core| {
                let first = next;
                next += core.cpus.len();
                first..next
            })
            .collect();
        Self {
            root: self.root.split(&threads),
            cores: split(&self.cores),
            machine: split(&self.machine),
            reserved: split(&self.reserved),
            own_reserved: split(&self.own_reserved),
            ..self
        }
    }

    /// Whether ranks may move between two cores.
    #[must_use]
    pub fn joins(&self, core: usize, other: usize) -> bool {
        self.groups.get(core) == self.groups.get(other)
    }

    /// The hardware threads to which ranks may move from the core with this index, modulo the number of cores.
    #[must_use]
    pub fn reach(&self, core: usize) -> Vec<usize> {
        let own = core % self.cores.len();
        let others = (0..self.cores.len()).filter(|&other| self.joins(own, other));
        others
            .flat_map(|other| self.cores[other].cpus.iter().copied())
            .collect()
    }

    /// The cores, in an order in which neighbours share the most.
    #[must_use]
    pub fn cores(&self) -> &[Core] {
        &self.cores
    }

    /// The numbers of the hardware threads of all cores, ascending.
    #[must_use]
    pub fn processors(&self) -> Vec<usize> {
        let mut all: Vec<_> = self.cores.iter().flat_map(|core| core.cpus.clone()).collect();
        all.sort_unstable();
        all
    }

    /// The root of the domain tree.
    #[must_use]
    pub fn root(&self) -> &Domain {
        &self.root
    }

    /// All cores, including those of other processes' [shares](Topology::share).
    #[must_use]
    pub fn machine(&self) -> &[Core] {
        &self.machine
    }

    /// The cores that are [kept from ranks](Topology::reserving).
    #[must_use]
    pub fn reserved(&self) -> &[Core] {
        &self.reserved
    }

    /// The part of the [reserved](Topology::reserved) cores that is this process's [own](Topology::sharing_reserved).
    #[must_use]
    pub fn own_reserved(&self) -> &[Core] {
        &self.own_reserved
    }

    /// The numbers of the hardware threads that threads of the library other than virtual processors may use: those of
    /// the reserved cores, or of all if there are none.
    #[must_use]
    pub fn processors_of_library(&self) -> Vec<usize> {
        let cores = match &self.reserved[..] {
            [] => &self.machine,
            reserved => reserved,
        };
        cores.iter().flat_map(|core| core.cpus.iter().copied()).collect()
    }

    /// The system's numbers of the NUMA nodes whose memory this process may use, ascending, also of those that have no
    /// cores.
    #[must_use]
    pub fn nodes(&self) -> &[usize] {
        &self.nodes
    }

    /// The number of the NUMA node to which a core belongs, if the system says that.
    #[must_use]
    pub fn node_of(&self, core: usize) -> Option<usize> {
        let nodes = self.root.all(DomainKind::Numa);
        let own = nodes.into_iter().find(|node| node.cores.contains(&core));
        own.map(|node| node.number)
    }

    /// Whether more processes share the machine than it has cores, so that spinning keeps others from running.
    #[must_use]
    pub fn is_oversubscribed(&self) -> bool {
        self.oversubscribed
    }

    /// The same, for threads that run where the system puts them.
    #[must_use]
    pub fn unbound(self) -> Self {
        Self { binds: false, ..self }
    }

    /// Whether threads are to be bound to its cores. False for an imaginary machine.
    #[must_use]
    pub fn binds(&self) -> bool {
        self.binds
    }
}

impl fmt::Display for Topology {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.root.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_synthetic_machine_becomes_a_tree() {
        let topology = Topology::synthetic("package:2 numa:1 l3:1 core:4 pu:2").expect("a valid description");
        assert_eq!(topology.cores().len(), 8);
        assert!(topology.cores().iter().all(|core| core.cpus.len() == 2));
        let packages = &topology.root().children;
        assert_eq!(packages.len(), 2);
        assert!(
            packages
                .iter()
                .all(|package| package.kind == DomainKind::Package && package.cores.len() == 4)
        );
        let root = topology.root();
        assert_eq!(root.distance(1, 1), 0);
        assert!(root.distance(0, 1) < root.distance(0, 4));
        assert_eq!(topology.nodes(), [0, 1]);
        assert_eq!((topology.node_of(3), topology.node_of(4)), (Some(0), Some(1)));
        assert_eq!(topology.clone().share(1, 2).nodes(), [0, 1]);
        assert!(!topology.binds());
    }

    #[test]
    fn ranks_move_between_cores_of_the_same_group() {
        let machine = || Topology::synthetic("core:4 pu:1").expect("a valid description");
        assert_eq!(machine().reach(5), [0, 1, 2, 3]);
        let halves = machine().part(&[0, 1, 2, 3], |core| core.cpus[0] / 2, false);
        assert_eq!((halves.reach(1), halves.reach(6)), (vec![0, 1], vec![2, 3]));
    }

    #[test]
    fn this_machine_has_the_cores_the_kernel_gives() {
        let topology = Topology::detect().expect("this machine");
        let cpus: usize = topology.cores().iter().map(|core| core.cpus.len()).sum();
        let allowed = rustix::thread::sched_getaffinity(None).expect("our own affinity");
        assert_eq!(cpus, allowed.count() as usize);
        let nodes = Topology::nodes_of_machine().expect("this machine");
        assert!(!topology.nodes().is_empty() && topology.nodes().iter().all(|node| nodes.contains(node)));
    }

    #[test]
    fn processes_share_the_cores_out_evenly() {
        let machine = Topology::synthetic("package:2 core:3 pu:1").expect("a valid description");
        let cpus = |index, count| -> Vec<usize> {
            let share = machine.clone().share(index, count);
            assert_eq!(share.root().cores.len(), share.cores().len());
            assert_eq!(share.cores(), machine.cores_of(index, count));
            share.cores().iter().flat_map(|core| core.cpus.clone()).collect()
        };
        assert_eq!((cpus(0, 1), cpus(1, 2)), (vec![0, 1, 2, 3, 4, 5], vec![3, 4, 5]));
        assert_eq!(
            (cpus(0, 4), cpus(1, 4), cpus(3, 4)),
            (vec![0], vec![1, 2], vec![4, 5])
        );
        assert_eq!(
            (cpus(0, 12), cpus(1, 12), cpus(11, 12)),
            (vec![0], vec![0], vec![5])
        );
        let middle = machine.clone().share(1, 3);
        assert_eq!(middle.root().distance(0, 1), machine.root().distance(2, 3));
        assert_eq!(middle.machine(), machine.cores());
    }

    #[test]
    fn reserved_cores_are_the_last_ones_and_no_share_has_them() {
        let machine = || Topology::synthetic("package:2 core:3 pu:2").expect("a valid description");
        let less = machine().reserving(2).expect("four are left");
        assert_eq!((less.cores().len(), less.machine().len()), (4, 6));
        assert_eq!(less.reserved(), &machine().cores()[4..]);
        assert_eq!(less.processors(), (0..8).collect::<Vec<_>>());
        assert_eq!(less.processors_of_library(), [8, 9, 10, 11]);
        let second = less.clone().share(1, 2);
        assert_eq!(
            (second.processors(), second.reserved()),
            (vec![4, 5, 6, 7], less.reserved())
        );
        assert_eq!(less.clone().by_threads().own_reserved().len(), 4);
        let own = |index, count| less.clone().share(index, count).own_reserved().to_vec();
        assert_eq!(
            (own(0, 1), own(1, 2)),
            (less.reserved().to_vec(), less.reserved()[1..].to_vec())
        );
        assert_eq!(
            (own(0, 3), own(2, 3)),
            (Vec::new(), Vec::new()),
            "nobody has a core that others lack"
        );
        assert_eq!(machine().processors_of_library().len(), 12);
        let all = machine().reserving(6);
        assert!(
            matches!(all, Err(SchedError::AllReserved { count: 6, cores: 6 })),
            "{all:?}"
        );
    }

    #[test]
    fn a_bad_description_is_an_error() {
        assert!(matches!(
            Topology::synthetic("cores:many"),
            Err(SchedError::Topology(_))
        ));
    }
}
