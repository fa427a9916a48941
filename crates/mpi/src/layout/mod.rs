//! The layout of a job: which processes live on which host.
//!
//! Hosts that start together form a *world*. The worlds that one launcher has started form a [*realm*](Realm). Hosts
//! and processes of a realm are numbered in the order in which they start, and no number is used again. A host knows
//! all hosts of its realm that existed when it started, and is told of all later ones
//! ([`Job::admit`](crate::Job::admit)). Of other realms it knows the hosts whose jobs have been connected with its own.
//!
//! Costs: to find out whether a process lives on this host takes a subtraction and a comparison. To find the host of a
//! process takes the same in a world with one process on each host. Otherwise it takes a binary search, among the hosts
//! of the own world or else among the other hosts of the realm, without a lock.

mod host_record;
mod others;

pub use host_record::HostRecord;

use crate::error::Result;
use host_record::out_of_order;
use others::Others;
use simurgh_core::sync::SpinLock;
use simurgh_net::job::Realm;
use std::ops::Range;

/// The hosts of a universe and the processes on each. A host has consecutive processes, which follow the order of the
/// hosts.
#[derive(Debug)]
pub struct Layout {
    own: u32,
    realm: Realm,
    /// The first process of this host. The number of its processes follows.
    first: u32,
    count: u32,
    world: u32,
    share: u32,
    /// The number of the first host of the world.
    begin: u32,
    /// The first process of each host of the world, and behind them the end of the world's processes.
    firsts: Box<[u32]>,
    /// Whether each host of the world has one process.
    singles: bool,
    /// The number of the node on which each host of the world runs.
    nodes: Box<[u32]>,
    /// The [share](HostRecord::share) of each host of the world.
    shares: Box<[u32]>,
    /// The hosts of other worlds, those of the own realm first.
    others: Others,
    adding: SpinLock<()>,
}

impl Layout {
    /// A layout with `processes` processes, all on one host.
    #[must_use]
    pub fn one_host(processes: u32) -> Self {
        Self::new(0, [(processes, 0)])
    }

    /// The layout of the first world, as host `own` sees it. Each element gives the number of processes of a host and
    /// the number of its node.
    ///
    /// # Panics
    ///
    /// If there is no host `own`.
    #[must_use]
    pub fn new(own: u32, hosts: impl IntoIterator<Item = (u32, u32)>) -> Self {
        let mut end = 0;
        let hosts: Vec<_> = (0..)
            .zip(hosts)
            .map(|(host, (processes, node))| {
                let first = end;
                end += processes;
                HostRecord {
                    host,
                    node,
                    world: 0,
                    processes: first..end,
                    share: host,
                }
            })
            .collect();
        Self::among(own, &hosts)
    }

    /// The layout of a universe, as host `own` sees it when it starts. `hosts` holds all hosts that exist at that time,
    /// in the order of their numbers, including those of the own world, which is the last of its realm. Hosts that have
    /// ended are left out.
    ///
    /// # Panics
    ///
    /// If there is no host `own`, or if hosts or processes are not in order.
    #[must_use]
    pub fn among(own: u32, hosts: &[HostRecord]) -> Self {
        let me = hosts.iter().find(|host| host.host == own);
        let me = me.expect("the host is one of the universe's");
        let (world, others): (Vec<_>, Vec<_>) = hosts.iter().partition(|host| host.world == me.world);
        let (first, last) = (world[0], world[world.len() - 1]);
        let consecutive = world
            .windows(2)
            .all(|two| two[0].host + 1 == two[1].host && two[0].processes.end == two[1].processes.start);
        assert!(consecutive, "the hosts of a world are numbered consecutively");
        let firsts = world.iter().map(|host| host.processes.start);
        // Unlike processes, hosts are few enough to be told apart in any case.
        let realm = Realm::of(own);
        let layout = Self {
            own,
            realm,
            first: me.processes.start,
            count: me.processes.len() as u32,
            world: me.world,
            share: me.share,
            begin: first.host,
            singles: world.iter().all(|host| host.processes.len() == 1),
            firsts: firsts.chain([last.processes.end]).collect(),
            nodes: world.iter().map(|host| host.node).collect(),
            shares: world.iter().map(|host| host.share).collect(),
            others: Others::new(realm),
            adding: SpinLock::default(),
        };
        let admitted = layout.admit(&others.into_iter().cloned().collect::<Vec<_>>());
        admitted.expect("hosts are in order");
        layout
    }

    /// Adds hosts that have started. Those of a realm come in the order of their numbers.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Intern`](crate::ErrorClass::Intern) if they do not follow the known hosts of their realm, or
    /// cannot be hosts of another world.
    pub(crate) fn admit(&self, records: &[HostRecord]) -> Result<()> {
        let _adding = self.adding.lock();
        records.iter().try_for_each(|record| {
            let others = self.others.of_realm(Realm::of(record.host));
            let fits = self.may_be_another(record) && others.add(record);
            fits.then_some(()).ok_or_else(|| out_of_order(record))
        })
    }

    /// Whether a host can be one of another world: it is not of the own world, and all its numbers are of one realm.
    fn may_be_another(&self, record: &HostRecord) -> bool {
        let (realm, processes) = (Realm::of(record.host), &record.processes);
        record.world != self.world
            && !self.hosts().contains(&record.host)
            && [record.world, processes.start, processes.end.saturating_sub(1)]
                .iter()
                .all(|number| realm.has(*number))
    }

    /// The number of this host.
    #[must_use]
    pub fn own(&self) -> u32 {
        self.own
    }

    /// The number of this host's world.
    #[must_use]
    pub fn world(&self) -> u32 {
        self.world
    }

    /// The realm of this host.
    #[must_use]
    pub fn realm(&self) -> Realm {
        self.realm
    }

    /// The block of context ids that this host gives out.
    pub(crate) fn share(&self) -> u32 {
        self.share
    }

    /// A number of a host, below [`Realm::SIZE`], that no other host has with which this one exchanges messages.
    ///
    /// # Panics
    ///
    /// If there is no such host.
    #[inline]
    pub(crate) fn short_id_of(&self, host: u32) -> u32 {
        if self.realm.is_alone() {
            return host;
        }
        match self.shares.get(host.wrapping_sub(self.begin) as usize) {
            Some(share) => *share,
            None => self.other(host).expect("the host is known").share,
        }
    }

    /// The hosts of the own world.
    #[must_use]
    pub fn hosts(&self) -> Range<u32> {
        self.begin..self.begin + self.nodes.len() as u32
    }

    /// The processes of the own world, on all its hosts.
    #[must_use]
    pub fn processes(&self) -> Range<u32> {
        self.firsts[0]..self.firsts[self.nodes.len()]
    }

    /// The processes of this host.
    #[must_use]
    pub fn here(&self) -> Range<u32> {
        self.first..self.first + self.count
    }

    /// The name of a process in messages to users: its rank, and for a process of another world the number of that
    /// world before the rank.
    #[must_use]
    pub fn name_of(&self, process: u32) -> String {
        if self.processes().contains(&process) {
            return (process - self.firsts[0]).to_string();
        }
        let found = self
            .others_like(process)
            .and_then(|others| others.place_of(process));
        let Some((realm, world, rank)) = found else {
            return format!("of process {process}");
        };
        let world = realm.local(world).unwrap_or_default();
        match realm == self.realm {
            true => format!("{world}.{rank}"),
            false => format!("{world}.{rank} of another mpiexec"),
        }
    }

    /// Whether a process lives on this host.
    #[inline]
    #[must_use]
    pub fn is_here(&self, process: u32) -> bool {
        process.wrapping_sub(self.first) < self.count
    }

    /// The index of a process among those of this host.
    #[inline]
    pub(crate) fn place(&self, process: u32) -> usize {
        process.wrapping_sub(self.first) as usize
    }

    /// The host of a process; none if no such process is known here.
    #[inline]
    #[must_use]
    pub fn find_host(&self, process: u32) -> Option<u32> {
        let place = process.wrapping_sub(self.firsts[0]);
        if self.singles && (place as usize) < self.nodes.len() {
            return Some(self.begin + place);
        }
        self.search_host(process)
    }

    fn search_host(&self, process: u32) -> Option<u32> {
        if self.processes().contains(&process) {
            let place = self.firsts.partition_point(|&first| first <= process) as u32 - 1;
            return Some(self.begin + place);
        }
        let others = self.others_like(process)?;
        let other = others.find(|other| other.processes.end <= process)?;
        other.processes.contains(&process).then_some(other.host)
    }

    /// The hosts of other worlds in the realm to which this number of a host or process belongs.
    fn others_like(&self, number: u32) -> Option<&Others> {
        match self.realm.has(number) {
            true => Some(&self.others),
            false => self.others.all().find(|others| others.realm.has(number)),
        }
    }

    /// The host of a process.
    ///
    /// # Panics
    ///
    /// If there is no such process.
    #[inline]
    #[must_use]
    pub fn host_of(&self, process: u32) -> u32 {
        self.find_host(process).expect("the process is known")
    }

    /// The node on which a host runs.
    ///
    /// # Panics
    ///
    /// If there is no such host.
    #[must_use]
    pub fn node_of(&self, host: u32) -> u32 {
        match self.nodes.get(host.wrapping_sub(self.begin) as usize) {
            Some(node) => *node,
            None => self.other(host).expect("the host is known").node,
        }
    }

    /// The world of a host; none if no such host is known here.
    #[must_use]
    pub fn world_of(&self, host: u32) -> Option<u32> {
        if self.hosts().contains(&host) {
            return Some(self.world);
        }
        self.other(host).map(|other| other.world)
    }

    fn other(&self, host: u32) -> Option<&HostRecord> {
        let other = self.others_like(host)?.find(|other| other.host < host)?;
        (other.host == host).then_some(other)
    }

    /// The hosts of other worlds that have become known here so far, including those that have ended.
    pub fn others(&self) -> impl Iterator<Item = &HostRecord> {
        self.others.all().flat_map(Others::iter)
    }
}

#[cfg(test)]
mod tests;
