//! The layout of a job: which processes live on which host.
//!
//! Hosts that start together are a *world*; worlds that one launcher has started are a [*realm*](Realm). Hosts and
//! processes of a realm are numbered in the order in which they start, and no number is used again. A host knows all
//! hosts of its realm that were there when it started, and is told of all that come later
//! ([`Job::admit`](crate::Job::admit)). Of other realms it knows the hosts whose jobs have met its own.
//!
//! Costs: whether a process lives here is a subtraction and a comparison. To find the host of a process takes as much
//! in a world with a process on each host; otherwise a binary search, among the hosts of its own world or else among
//! those of others of its realm, without a lock.

mod host_record;
mod others;

pub use host_record::HostRecord;

use crate::error::Result;
use host_record::out_of_order;
use others::Others;
use simurgh_core::sync::SpinLock;
use simurgh_net::job::Realm;
use std::ops::Range;

/// The hosts of a universe and the processes that live on each: consecutive ones, in the order of the hosts.
#[derive(Debug)]
pub struct Layout {
    own: u32,
    realm: Realm,
    /// The first process of this host, and their number.
    first: u32,
    count: u32,
    world: u32,
    share: u32,
    /// The number of the first host of the world.
    begin: u32,
    /// Of each host of the world, its first process; then where the processes of the world end.
    firsts: Box<[u32]>,
    /// Whether each host of the world has one process.
    singles: bool,
    /// The node, by number, on which each host of the world runs.
    nodes: Box<[u32]>,
    /// The [share](HostRecord::share) of each host of the world.
    shares: Box<[u32]>,
    /// Hosts of other worlds, those of the own realm first.
    others: Others,
    adding: SpinLock<()>,
}

impl Layout {
    /// All of so many processes on one host.
    #[must_use]
    pub fn one_host(processes: u32) -> Self {
        Self::new(0, [(processes, 0)])
    }

    /// The first world: hosts with so many processes each, on the node of this number, as host `own` sees them.
    ///
    /// # Panics
    ///
    /// When there is no host `own`.
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

    /// A universe as host `own`, which is just starting, sees it: all hosts that there are now, in the order of their
    /// numbers, with its own world, which is the last of its realm. Those that have gone are left out.
    ///
    /// # Panics
    ///
    /// When there is no host `own`, or hosts or processes are not in order.
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
        // Hosts, other than processes, are few enough to be told apart in any case.
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

    /// Adds hosts that have come, those of a realm in the order of their numbers.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Intern`](crate::ErrorClass::Intern) if they do not come behind those of their realm that are
    /// known, or cannot be others.
    pub(crate) fn admit(&self, records: &[HostRecord]) -> Result<()> {
        let _adding = self.adding.lock();
        records.iter().try_for_each(|record| {
            let others = self.others.of_realm(Realm::of(record.host));
            let fits = self.may_be_another(record) && others.add(record);
            fits.then_some(()).ok_or_else(|| out_of_order(record))
        })
    }

    /// Whether a host is not of the own world, and its numbers are of one realm.
    fn may_be_another(&self, record: &HostRecord) -> bool {
        let (realm, processes) = (Realm::of(record.host), &record.processes);
        record.world != self.world
            && !self.hosts().contains(&record.host)
            && [record.world, processes.start, processes.end.saturating_sub(1)]
                .iter()
                .all(|number| realm.has(*number))
    }

    /// This host.
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

    /// Which block of context ids this host gives out.
    pub(crate) fn share(&self) -> u32 {
        self.share
    }

    /// A number of a host below [`Realm::SIZE`], which tells it from all hosts with which this one exchanges messages.
    ///
    /// # Panics
    ///
    /// When there is no such host.
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

    /// The hosts of the world.
    #[must_use]
    pub fn hosts(&self) -> Range<u32> {
        self.begin..self.begin + self.nodes.len() as u32
    }

    /// The processes of the world, on all its hosts.
    #[must_use]
    pub fn processes(&self) -> Range<u32> {
        self.firsts[0]..self.firsts[self.nodes.len()]
    }

    /// The processes of this host.
    #[must_use]
    pub fn here(&self) -> Range<u32> {
        self.first..self.first + self.count
    }

    /// The name of a process for users: its rank, and for a process of another world the number of that world before
    /// it.
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

    /// The place of a process among those of this host.
    #[inline]
    pub(crate) fn place(&self, process: u32) -> usize {
        process.wrapping_sub(self.first) as usize
    }

    /// The host of a process; none if there is no such process, as far as is known here.
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

    /// The hosts of other worlds that are of the realm of this number, a host's or a process'.
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
    /// When there is no such process.
    #[inline]
    #[must_use]
    pub fn host_of(&self, process: u32) -> u32 {
        self.find_host(process).expect("the process is known")
    }

    /// The node on which a host runs.
    ///
    /// # Panics
    ///
    /// When there is no such host.
    #[must_use]
    pub fn node_of(&self, host: u32) -> u32 {
        match self.nodes.get(host.wrapping_sub(self.begin) as usize) {
            Some(node) => *node,
            None => self.other(host).expect("the host is known").node,
        }
    }

    /// The world of a host; none if there is no such host, as far as is known here.
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

    /// The hosts of other worlds that have been known here so far, with those that have gone.
    pub fn others(&self) -> impl Iterator<Item = &HostRecord> {
        self.others.all().flat_map(Others::iter)
    }
}

#[cfg(test)]
mod tests;
