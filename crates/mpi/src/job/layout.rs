//! Which processes live on which host.
//!
//! Hosts that start together are a *world*; worlds that one launcher has started are a [*realm*](Realm). Hosts and
//! processes of a realm are numbered in the order in which they start, and no number is used again. A host knows all
//! hosts of its realm that were there when it started, and has been told of all that came later
//! ([`Job::admit`](super::Job::admit)); of other realms it knows those whose jobs have met its own.
//!
//! Costs: whether a process lives here is a subtraction and a comparison. To find the host of a process takes as much
//! in a world with a process on each host; otherwise a binary search, among the hosts of its own world or else among
//! those of others of its realm, without a lock.

use std::ops::Range;

use std::sync::OnceLock;

use simurgh_core::Roster;
use simurgh_core::sync::{AtomicU32, Ordering, SpinLock};
use simurgh_net::job::Realm;

/// A host of a universe, as the launcher tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Newcomer {
    /// Its number: higher than that of any host of its realm that came before.
    pub host: u32,
    /// The number of the node on which it runs.
    pub node: u32,
    /// The number of its world: the realm's first for the processes that the launcher has started first, then one for
    /// each spawn.
    pub world: u32,
    /// Its processes: behind those of the hosts of its realm with lower numbers.
    pub processes: Range<u32>,
    /// A number that no other host that is there has: of hosts of a universe of several realms, or of a world behind
    /// the first where there is one realm. It says which numbers the host gives to communicators. Those of the first
    /// world of the only realm have their own.
    pub share: u32,
}

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
    /// The [share](Newcomer::share) of each host of the world.
    shares: Box<[u32]>,
    /// Hosts of other worlds, those of the own realm first.
    others: Others,
    adding: SpinLock<()>,
}

/// Hosts of a realm that are not of the own world, ascending.
#[derive(Debug)]
struct Others {
    realm: Realm,
    known: Roster<Newcomer>,
    /// Number of those that are known. Written under the lock.
    count: AtomicU32,
    /// Those of another realm.
    next: OnceLock<Box<Self>>,
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
                Newcomer {
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
    pub fn among(own: u32, hosts: &[Newcomer]) -> Self {
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
        layout.admit(&others.into_iter().cloned().collect::<Vec<_>>());
        layout
    }

    /// Notes hosts that have come, those of a realm in the order of their numbers.
    ///
    /// # Panics
    ///
    /// When they do not come behind those of their realm that are known.
    pub(super) fn admit(&self, newcomers: &[Newcomer]) {
        let _adding = self.adding.lock();
        for newcomer in newcomers {
            assert!(
                newcomer.world != self.world,
                "those of the own world do not come later"
            );
            self.others.shelf(Realm::of(newcomer.host)).add(newcomer);
        }
    }

    /// The host that sees it so.
    #[must_use]
    pub fn own(&self) -> u32 {
        self.own
    }

    /// The number of this host's world.
    #[must_use]
    pub fn world(&self) -> u32 {
        self.world
    }

    /// What the numbers of its launcher belong to.
    #[must_use]
    pub fn realm(&self) -> Realm {
        self.realm
    }

    /// Which numbers this host gives to communicators.
    pub(crate) fn share(&self) -> u32 {
        self.share
    }

    /// A small number that no other host has with which this one talks: below [`Realm::SIZE`].
    ///
    /// # Panics
    ///
    /// When there is no such host.
    #[inline]
    pub(crate) fn voice_of(&self, host: u32) -> u32 {
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

    /// What users call a process: its rank, and that of another world the world's number before it.
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

    fn other(&self, host: u32) -> Option<&Newcomer> {
        let other = self.others_like(host)?.find(|other| other.host < host)?;
        (other.host == host).then_some(other)
    }

    /// The hosts of other worlds that have been known here so far, with those that have gone.
    pub fn others(&self) -> impl Iterator<Item = &Newcomer> {
        self.others.all().flat_map(Others::iter)
    }
}

impl Others {
    fn new(realm: Realm) -> Self {
        Self {
            realm,
            known: Roster::new(0..0, |_| unreachable!("it is empty")),
            count: AtomicU32::new(0),
            next: OnceLock::new(),
        }
    }

    /// Those of all realms, beginning with these.
    fn all(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |others| others.next.get().map(AsRef::as_ref))
    }

    /// Those of a realm, of which there may be none yet.
    fn shelf(&self, realm: Realm) -> &Self {
        let mut others = self;
        while others.realm != realm {
            others = others.next.get_or_init(|| Box::new(Self::new(realm)));
        }
        others
    }

    /// Adds a host, for one at a time.
    fn add(&self, newcomer: &Newcomer) {
        let count = self.count.load(Ordering::Relaxed);
        let last = count.checked_sub(1).map(|last| &self.known[last]);
        let is_behind = last
            .is_none_or(|last| last.host < newcomer.host && last.processes.end <= newcomer.processes.start);
        assert!(is_behind, "hosts are numbered in the order in which they come");
        self.known.add(count, newcomer.clone());
        // Release pairs with the Acquire in `find` and `iter`: who sees the number finds the entry.
        self.count.store(count + 1, Ordering::Release);
    }

    /// The realm and world of a process that is one of theirs, and its rank there.
    fn place_of(&self, process: u32) -> Option<(Realm, u32, u32)> {
        let host = self.iter().find(|host| host.processes.contains(&process))?;
        let first = self.iter().find(|first| first.world == host.world)?;
        Some((self.realm, host.world, process - first.processes.start))
    }

    fn iter(&self) -> impl Iterator<Item = &Newcomer> {
        // Acquire pairs with the Release in `add`.
        let count = self.count.load(Ordering::Acquire);
        (0..count).map(|index| &self.known[index])
    }

    /// The first for which `is_before` does not hold.
    fn find(&self, is_before: impl Fn(&Newcomer) -> bool) -> Option<&Newcomer> {
        // Acquire pairs with the Release in `add`.
        let (mut low, mut high) = (0, self.count.load(Ordering::Acquire));
        while low < high {
            let middle = low.midpoint(high);
            match is_before(&self.known[middle]) {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        self.known.get(low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn newcomer(host: u32, world: u32, processes: Range<u32>) -> Newcomer {
        Newcomer {
            host,
            node: host % 2,
            world,
            processes,
            share: 0,
        }
    }

    #[test]
    fn processes_are_found_on_their_hosts() {
        let layout = Layout::new(1, [(3, 0), (2, 0), (4, 1)]);
        assert_eq!(
            (layout.processes(), layout.hosts(), layout.here()),
            (0..9, 0..3, 3..5)
        );
        let hosts = (0..9).map(|process| layout.host_of(process));
        assert!(hosts.eq([0, 0, 0, 1, 1, 2, 2, 2, 2]));
        assert!((0..9).all(|process| layout.is_here(process) == (3..5).contains(&process)));
        assert_eq!((layout.place(3), layout.place(4), layout.node_of(2)), (0, 1, 1));
        assert_eq!((layout.find_host(9), layout.world_of(3)), (None, None));
    }

    #[test]
    fn processes_that_have_a_host_each_are_found_too() {
        let there = [newcomer(2, 1, 5..6), newcomer(3, 1, 6..7), newcomer(4, 1, 7..8)];
        let layout = Layout::among(3, &there);
        let hosts = (4..9).map(|process| layout.find_host(process));
        assert!(hosts.eq([None, Some(2), Some(3), Some(4), None]));
        layout.admit(&[newcomer(7, 2, 9..12)]);
        assert_eq!((layout.find_host(8), layout.find_host(11)), (None, Some(7)));
    }

    #[test]
    fn other_worlds_are_known_as_far_as_they_have_been_admitted() {
        // The world of host 1 has gone.
        let there = [newcomer(0, 0, 0..2), newcomer(2, 2, 5..6), newcomer(3, 2, 6..9)];
        let layout = Layout::among(3, &there);
        assert_eq!(
            (layout.processes(), layout.hosts(), layout.here()),
            (5..9, 2..4, 6..9)
        );
        assert_eq!((layout.find_host(1), layout.find_host(3)), (Some(0), None));
        assert_eq!(layout.find_host(9), None);
        layout.admit(&[newcomer(4, 3, 9..10), newcomer(7, 5, 12..13)]);
        let hosts = [0, 5, 9, 12].map(|process| layout.host_of(process));
        assert_eq!(hosts, [0, 2, 4, 7]);
        let nowhere = [2, 10, 11, 13].map(|process| layout.find_host(process));
        assert_eq!(nowhere, [None; 4]);
        assert_eq!(
            (layout.node_of(7), layout.node_of(2), layout.world_of(4)),
            (1, 0, Some(3))
        );
        assert_eq!((layout.world_of(5), layout.others().count()), (None, 3));
    }

    #[test]
    fn other_realms_come_in_any_order() {
        let of = |realm: u32, host, world, processes: Range<u32>| {
            let realm = Realm(realm);
            let processes = realm.number(processes.start)..realm.number(processes.end);
            Newcomer {
                node: realm.number(0),
                share: realm.0 * 10 + host,
                ..newcomer(realm.number(host), realm.number(world), processes)
            }
        };
        let layout = Layout::among(Realm(2).number(1), &[of(2, 0, 0, 0..2), of(2, 1, 0, 2..4)]);
        assert_eq!(
            (layout.realm(), layout.find_host(Realm(3).number(0))),
            (Realm(2), None)
        );
        layout.admit(&[of(3, 0, 0, 0..3), of(3, 1, 0, 3..4)]);
        layout.admit(&[of(1, 4, 2, 7..9)]);
        layout.admit(&[of(3, 2, 1, 4..5), of(2, 2, 1, 4..6)]);
        let found = [(2, 3), (2, 5), (3, 2), (3, 3), (3, 4), (1, 8)]
            .map(|(realm, process)| layout.host_of(Realm(realm).number(process)));
        let expected = [(2, 1), (2, 2), (3, 0), (3, 1), (3, 2), (1, 4)];
        assert_eq!(found, expected.map(|(realm, host)| Realm(realm).number(host)));
        let nowhere = [(2, 6), (3, 5), (1, 0), (1, 9), (4, 0), (0, 0)]
            .map(|(realm, process)| layout.find_host(Realm(realm).number(process)));
        assert_eq!(nowhere, [None; 6]);
        let host = |realm: u32, host| Realm(realm).number(host);
        assert_eq!(layout.world_of(host(3, 2)), Some(host(3, 1)));
        assert_eq!(
            (layout.world_of(host(1, 3)), layout.world_of(host(5, 0))),
            (None, None)
        );
        assert_eq!(
            (layout.node_of(host(1, 4)), layout.node_of(host(2, 0))),
            (host(1, 0), host(2, 0))
        );
        let voices =
            [(2, 0), (2, 2), (3, 1), (1, 4)].map(|(realm, number)| layout.voice_of(host(realm, number)));
        assert_eq!((voices, layout.others().count()), ([20, 22, 31, 14], 5));
        let names =
            [(2, 3), (2, 5), (3, 3), (9, 0)].map(|(realm, process)| layout.name_of(host(realm, process)));
        let nobody = format!("of process {}", host(9, 0));
        assert_eq!(names, ["3", "1.1", "0.3 of another mpiexec", &nobody]);
    }
}
