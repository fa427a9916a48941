//! The hosts of other worlds, realm by realm. Hosts are added while other threads read.

use super::HostRecord;
use simurgh_core::HostTable;
use simurgh_core::sync::{AtomicU32, Ordering};
use simurgh_net::job::Realm;
use std::sync::OnceLock;

/// The hosts of one realm that are not of the own world, in ascending order.
#[derive(Debug)]
pub(super) struct Others {
    pub(super) realm: Realm,
    known: HostTable<HostRecord>,
    /// The number of known hosts. It is written under the lock.
    count: AtomicU32,
    /// The hosts of the next realm.
    next: OnceLock<Box<Self>>,
}

impl Others {
    /// An empty list of hosts of a realm.
    pub(super) fn new(realm: Realm) -> Self {
        Self {
            realm,
            known: HostTable::new(0..0, |_| unreachable!("it is empty")),
            count: AtomicU32::new(0),
            next: OnceLock::new(),
        }
    }

    /// The lists of all realms, beginning with this one.
    pub(super) fn all(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |others| others.next.get().map(AsRef::as_ref))
    }

    /// The list of hosts of a realm. It may be empty.
    pub(super) fn of_realm(&self, realm: Realm) -> &Self {
        let mut others = self;
        while others.realm != realm {
            others = others.next.get_or_init(|| Box::new(Self::new(realm)));
        }
        others
    }

    /// Adds a host; the caller ensures that one thread at a time does so. Returns false and changes nothing if the
    /// numbers of the host do not follow those that are known.
    pub(super) fn add(&self, record: &HostRecord) -> bool {
        let count = self.count.load(Ordering::Relaxed);
        let last = count.checked_sub(1).map(|last| &self.known[last]);
        let is_behind =
            last.is_none_or(|last| last.host < record.host && last.processes.end <= record.processes.start);
        if is_behind {
            self.known.add(count, record.clone());
            // Release pairs with the Acquire in `find` and `iter`: a thread that sees the count sees the entry.
            self.count.store(count + 1, Ordering::Release);
        }
        is_behind
    }

    /// The realm, the world and the rank of a process, if it lives on one of these hosts.
    pub(super) fn place_of(&self, process: u32) -> Option<(Realm, u32, u32)> {
        let host = self.iter().find(|host| host.processes.contains(&process))?;
        let first = self.iter().find(|first| first.world == host.world)?;
        Some((self.realm, host.world, process - first.processes.start))
    }

    /// All hosts that are known so far.
    pub(super) fn iter(&self) -> impl Iterator<Item = &HostRecord> {
        // Acquire pairs with the Release in `add`.
        let count = self.count.load(Ordering::Acquire);
        (0..count).map(|index| &self.known[index])
    }

    /// The first host for which `is_before` does not hold.
    pub(super) fn find(&self, is_before: impl Fn(&HostRecord) -> bool) -> Option<&HostRecord> {
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
