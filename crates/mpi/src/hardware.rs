//! The hardware of a host, and where its ranks run on it.
//!
//! The scheduling policy gives each rank a core when the job begins. Later, other virtual processors may run the rank
//! when its own is busy. So a rank is *confined* to an instance of a resource only if all virtual processors are in
//! that instance. Decisions on which ranks have to agree without communication, such as process sets, follow the cores
//! on which the ranks began.

use crate::group::Group;
use crate::info::Info;
use simurgh_sched::{Domain, DomainKind, Runtime, Topology};
use simurgh_settings::rules::Level;

/// The hardware of a host and the places of its ranks.
#[derive(Clone, Debug)]
pub struct Hardware {
    domains: Domain,
    levels: Vec<Instances>,
    /// The number of the first process of the host.
    first: u32,
    /// The virtual processor on which each process began; none for a process that runs anywhere.
    homes: Box<[Option<usize>]>,
    /// The cores on which processes run.
    used: Vec<usize>,
    /// The smallest level of the domain tree that holds them all.
    level: Level,
}

/// All instances of one kind of resource.
#[derive(Clone, Debug)]
struct Instances {
    kind: DomainKind,
    instances: usize,
    /// The instance to which each core belongs.
    of_core: Vec<Option<usize>>,
    /// The number of each instance, which is the same on all hosts of the node.
    numbers: Vec<usize>,
}

/// The kinds of resources, from the largest to the smallest. Each has a name in process sets and a name as a type of
/// hardware resource (`mpi_hw_resource_type`).
const KINDS: [(DomainKind, &str, &str); 6] = [
    (DomainKind::Machine, "machine", "hwloc://Machine"),
    (DomainKind::Package, "package", "hwloc://Package"),
    (DomainKind::Numa, "numa", "hwloc://NUMANode"),
    (DomainKind::L3, "l3", "hwloc://L3Cache"),
    (DomainKind::L2, "l2", "hwloc://L2Cache"),
    (DomainKind::Core, "core", "hwloc://Core"),
];

impl Hardware {
    /// The machine of a runtime, with as many processes, which the runtime starts as members of one group.
    #[must_use]
    pub fn of_members(runtime: &Runtime, count: usize) -> Self {
        let places = (0..count).map(|index| runtime.place_of_member((index, count)));
        Self::new(runtime.topology(), runtime.vps(), places)
    }

    /// A machine with `vps` virtual processors, and with processes that begin on the given ones.
    #[must_use]
    pub fn new(topology: &Topology, vps: usize, places: impl IntoIterator<Item = usize>) -> Self {
        let used = 0..vps.min(topology.cores().len());
        Self::with_homes(topology, places.into_iter().map(Some).collect(), used.collect())
    }

    /// A machine without virtual processors, on whose cores the given number of processes run anywhere.
    pub(crate) fn unplaced(topology: &Topology, processes: usize) -> Self {
        let homes = std::iter::repeat_n(None, processes).collect();
        Self::with_homes(topology, homes, (0..topology.cores().len()).collect())
    }

    fn with_homes(topology: &Topology, homes: Box<[Option<usize>]>, used: Vec<usize>) -> Self {
        let levels = KINDS.iter().map(|&(kind, ..)| Instances::new(topology, kind));
        let levels: Vec<_> = levels.filter(|level| level.instances > 0).collect();
        let narrowest = levels
            .iter()
            .rev()
            .find(|level| level.common_instance(&used).is_some());
        Self {
            domains: topology.root().clone(),
            level: narrowest.map_or(Level::Machine, |level| level_of(level.kind)),
            levels,
            first: 0,
            homes,
            used,
        }
    }

    /// The same hardware for a host whose processes are numbered from `first` on.
    pub(crate) fn with_first(self, first: u32) -> Self {
        Self { first, ..self }
    }

    /// The tree of the resources that cores share. Virtual processors are assigned to its cores in turn.
    #[must_use]
    pub fn domains(&self) -> &Domain {
        &self.domains
    }

    /// The smallest level of the domain tree that holds all virtual processors.
    #[inline]
    #[must_use]
    pub fn level(&self) -> Level {
        self.level
    }

    /// The bytes of the last-level caches of all cores on which processes run; none if the machine does not report
    /// them.
    pub(crate) fn caches(&self) -> Option<usize> {
        let bytes = |kind| cache_bytes(&self.domains, kind, &self.used);
        [DomainKind::L3, DomainKind::L2]
            .map(bytes)
            .into_iter()
            .find(|bytes| *bytes > 0)
    }

    /// The virtual processor on which a process began; none if the process runs anywhere.
    #[must_use]
    pub fn home(&self, process: u32) -> Option<usize> {
        self.home_of(process).flatten()
    }

    /// The home of a process; none if the process is not one of the host.
    fn home_of(&self, process: u32) -> Option<Option<usize>> {
        let place = process.checked_sub(self.first)?;
        self.homes.get(place as usize).copied()
    }

    /// The kinds of resources that the machine has, from the largest to the smallest.
    pub fn kinds(&self) -> impl Iterator<Item = DomainKind> {
        self.levels.iter().map(|level| level.kind)
    }

    /// All kinds of resources, from the largest to the smallest.
    pub(crate) fn all_kinds() -> impl Iterator<Item = DomainKind> {
        KINDS.iter().map(|(kind, ..)| *kind)
    }

    /// The index of a kind among all kinds. Hosts use it to name the kind to each other.
    pub(crate) fn place_of(kind: DomainKind) -> u8 {
        let place = KINDS.iter().position(|(known, ..)| *known == kind);
        place.unwrap_or(KINDS.len()) as u8
    }

    /// The kind with this index.
    pub(crate) fn kind_at(place: u8) -> Option<DomainKind> {
        KINDS.get(usize::from(place)).map(|(kind, ..)| *kind)
    }

    /// The number of instances of a kind.
    #[must_use]
    pub fn instances(&self, kind: DomainKind) -> usize {
        self.instances_of(kind).map_or(0, |level| level.instances)
    }

    /// The instance of a kind in which a process began. None if the machine has no such resource, or if the process
    /// runs anywhere and there are several instances.
    #[must_use]
    pub fn instance(&self, kind: DomainKind, process: u32) -> Option<usize> {
        let level = self.instances_of(kind)?;
        match self.home_of(process)? {
            Some(vp) => level.of_core[vp % level.of_core.len()],
            None => level.common_instance(&self.used),
        }
    }

    /// The number of an instance, which is the same on all hosts of the node.
    pub(crate) fn number(&self, kind: DomainKind, instance: usize) -> Option<usize> {
        self.instances_of(kind)?.numbers.get(instance).copied()
    }

    /// The processes of the host that began in an instance, in the order of their numbers.
    #[must_use]
    pub fn members(&self, kind: DomainKind, instance: usize) -> Group {
        let processes = (self.first..).take(self.homes.len());
        let members = processes.filter(|&process| self.instance(kind, process) == Some(instance));
        Group::from_processes(members.collect())
    }

    /// Whether every process stays within one instance of a kind, regardless of the scheduler.
    #[must_use]
    pub fn confines(&self, kind: DomainKind) -> bool {
        let level = self.instances_of(kind);
        level.is_some_and(|level| level.common_instance(&self.used).is_some())
    }

    /// The types of hardware resources, each with whether a process is restricted to one instance of it
    /// (`MPI_Get_hw_resource_info`).
    #[must_use]
    pub fn resource_info(&self) -> Info {
        // Ranks that share memory are on one host, and no process leaves its host.
        let shared = ("mpi_shared_memory", true);
        let kinds = self
            .kinds()
            .map(|kind| (Self::resource_name(kind), self.confines(kind)));
        std::iter::once(shared)
            .chain(kinds)
            .map(|(name, restricted)| (name.as_bytes(), restricted.to_string().into_bytes()))
            .collect()
    }

    fn instances_of(&self, kind: DomainKind) -> Option<&Instances> {
        self.levels.iter().find(|level| level.kind == kind)
    }

    /// The name of a kind in process sets, such as `numa`.
    #[must_use]
    pub fn short_name(kind: DomainKind) -> &'static str {
        let found = KINDS.iter().find(|(known, ..)| *known == kind);
        found.map_or("", |(_, short, _)| short)
    }

    /// The name of a kind as a type of hardware resource, such as `hwloc://NUMANode`.
    #[must_use]
    pub fn resource_name(kind: DomainKind) -> &'static str {
        let found = KINDS.iter().find(|(known, ..)| *known == kind);
        found.map_or("", |(.., resource)| resource)
    }

    /// The kind with this name. The name may be that of a type of hardware resource, with or without its `hwloc://`, or
    /// the short name. Upper and lower case are the same.
    #[must_use]
    pub fn kind_of(name: &str) -> Option<DomainKind> {
        let same = |known: &str| known.eq_ignore_ascii_case(name);
        let found = KINDS.iter().find(|(_, short, resource)| {
            same(short) || same(resource) || resource.strip_prefix("hwloc://").is_some_and(same)
        });
        found.map(|(kind, ..)| *kind)
    }
}

/// The bytes of all caches of a kind that serve some of the cores.
fn cache_bytes(domain: &Domain, kind: DomainKind, cores: &[usize]) -> usize {
    if domain.kind == kind {
        let serves = domain.cores.iter().any(|core| cores.contains(core));
        let bytes = domain.bytes.filter(|_| serves).unwrap_or(0);
        return usize::try_from(bytes).unwrap_or(usize::MAX);
    }
    let below = domain
        .children
        .iter()
        .map(|child| cache_bytes(child, kind, cores));
    below.sum()
}

/// The level of the domain tree that corresponds to a kind.
fn level_of(kind: DomainKind) -> Level {
    match kind {
        DomainKind::Machine => Level::Machine,
        DomainKind::Package => Level::Package,
        DomainKind::Numa => Level::Numa,
        DomainKind::L3 => Level::L3,
        DomainKind::L2 => Level::L2,
        DomainKind::Core => Level::Core,
    }
}

impl Instances {
    fn new(topology: &Topology, kind: DomainKind) -> Self {
        let mut level = Self {
            kind,
            instances: 0,
            of_core: vec![None; topology.cores().len()],
            numbers: Vec::new(),
        };
        level.take(topology.root());
        level
    }

    /// Numbers the domains of this kind in the order of their cores.
    fn take(&mut self, domain: &Domain) {
        if domain.kind == self.kind {
            for &core in &domain.cores {
                self.of_core[core] = Some(self.instances);
            }
            self.numbers.push(domain.number);
            self.instances += 1;
        }
        domain.children.iter().for_each(|child| self.take(child));
    }

    /// The one instance to which all of these cores belong, if there is one.
    fn common_instance(&self, cores: &[usize]) -> Option<usize> {
        let instance = self.of_core[*cores.first()?]?;
        let same = |&core: &usize| self.of_core[core] == Some(instance);
        cores.iter().all(same).then_some(instance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine() -> Topology {
        Topology::synthetic("package:2 numa:1 l3:1 core:2 pu:1").expect("a valid description")
    }

    #[test]
    fn processes_are_where_their_virtual_processors_are() {
        let hardware = Hardware::new(&machine(), 4, [0, 0, 1, 2, 3]);
        assert_eq!(hardware.instances(DomainKind::Numa), 2);
        assert_eq!(hardware.instance(DomainKind::Core, 2), Some(1));
        assert_eq!(hardware.instance(DomainKind::L3, 3), Some(1));
        assert_eq!(hardware.instance(DomainKind::L2, 3), None);
        assert_eq!(hardware.instance(DomainKind::Machine, 5), None);
        let members: Vec<_> = hardware.members(DomainKind::Package, 1).processes().collect();
        assert_eq!(members, [3, 4]);
        let kinds: Vec<_> = hardware.kinds().collect();
        assert_eq!(kinds[0], DomainKind::Machine);
        assert!(!kinds.contains(&DomainKind::L2));
    }

    #[test]
    fn processes_are_confined_to_what_all_virtual_processors_share() {
        let narrow = Hardware::new(&machine(), 2, [0, 1]);
        assert!(narrow.confines(DomainKind::L3) && !narrow.confines(DomainKind::Core));
        let wide = Hardware::new(&machine(), 4, [0, 1]);
        assert!(wide.confines(DomainKind::Machine) && !wide.confines(DomainKind::Package));
        let single = Hardware::new(&machine(), 1, [0]);
        assert!(single.confines(DomainKind::Core));
        assert_eq!(
            [single.level(), narrow.level(), wide.level()],
            [Level::Core, Level::L3, Level::Machine]
        );
        let info = narrow.resource_info();
        assert_eq!(info.flag("mpi_shared_memory"), Some(true));
        assert_eq!(info.flag("hwloc://L3Cache"), Some(true));
        assert_eq!(info.flag("hwloc://Core"), Some(false));
        assert_eq!(info.flag("hwloc://L2Cache"), None);
    }

    #[test]
    fn caches_are_those_of_the_cores_in_use() {
        let topology = Topology::synthetic("package:2 l3:1(size=8388608) l2:2(size=1048576) core:1 pu:1");
        let topology = topology.expect("a valid description");
        assert_eq!(Hardware::new(&topology, 2, [0]).caches(), Some(8 << 20));
        assert_eq!(Hardware::new(&topology, 3, [0]).caches(), Some(16 << 20));
        let topology = Topology::synthetic("l2:3(size=524288) core:1 pu:1").expect("a valid description");
        assert_eq!(Hardware::new(&topology, 3, [0]).caches(), Some(3 << 19));
    }

    #[test]
    fn a_process_without_a_place_is_in_the_machine_only() {
        let hardware = Hardware::unplaced(&machine(), 1);
        assert_eq!(hardware.instance(DomainKind::Machine, 0), Some(0));
        assert_eq!(hardware.instance(DomainKind::Package, 0), None);
        assert!(!hardware.confines(DomainKind::Package));
    }

    #[test]
    fn kinds_have_names() {
        for name in ["numa", "NUMANode", "hwloc://numanode"] {
            assert_eq!(Hardware::kind_of(name), Some(DomainKind::Numa), "{name}");
        }
        assert_eq!(Hardware::kind_of("hwloc://"), None);
        assert_eq!(Hardware::resource_name(DomainKind::L3), "hwloc://L3Cache");
        assert_eq!(Hardware::short_name(DomainKind::L3), "l3");
    }
}
