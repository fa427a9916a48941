//! The outstanding nonblocking collectives of a communicator, and how its ranks find the same one.
//!
//! All ranks start them in the same order, as MPI demands. Each rank numbers its own: the first one to come to a number
//! makes the shared state, the others find it by the number, and the last one takes it out of the table. States of
//! completed collectives are kept for later ones. Persistent collectives are set up in the same way, and in the same
//! order.

use super::call::Call;
use super::nonblocking::Nonblocking;
use crate::deadlock::{MeetingPoint, StalledCollective};
use crate::limits::POOLED_COLLECTIVES;
use crate::members::GroupSizes;
use crate::members::HostMap;
use simurgh_core::sync::{Arc, SpinLock};
use std::collections::VecDeque;
use std::sync::Weak;

/// The nonblocking collectives of a communicator that some rank has started and not every rank has.
#[derive(Debug)]
pub(crate) struct Outstanding {
    group_sizes: GroupSizes,
    /// `None` if all ranks are on this host.
    host_map: Option<Arc<HostMap>>,
    entries: SpinLock<Table>,
    /// The persistent collectives that some rank has set up.
    persistent: SpinLock<Vec<(Call, Weak<Nonblocking>)>>,
}

#[derive(Debug, Default)]
struct Table {
    /// Number of the first entry.
    first: u64,
    entries: VecDeque<Entry>,
    /// Collectives that all ranks of this host have started and those of other hosts may not have.
    remote: Vec<(Call, Arc<Nonblocking>)>,
    /// States of completed collectives, to be used again.
    pooled: Vec<Arc<Nonblocking>>,
}

#[derive(Debug)]
struct Entry {
    /// The call of the first rank to come.
    call: Call,
    nonblocking: Arc<Nonblocking>,
    /// Whether it is persistent: then ranks only set it up here, and start it later.
    again: bool,
    missing: usize,
}

impl Outstanding {
    pub(crate) fn new(group_sizes: GroupSizes, host_map: Option<Arc<HostMap>>) -> Self {
        Self {
            group_sizes,
            host_map,
            entries: SpinLock::default(),
            persistent: SpinLock::default(),
        }
    }

    /// The state of the collective with this number, for one of its ranks, which makes `call`.
    pub(crate) fn join(&self, number: u64, call: Call) -> Arc<Nonblocking> {
        self.find(number, call, false).0
    }

    /// The state of the collective with this number, and whether the rank is the first to come.
    fn find(&self, number: u64, call: Call, again: bool) -> (Arc<Nonblocking>, bool) {
        let mut outstanding = self.entries.lock();
        let index = usize::try_from(number - outstanding.first).expect("as many as fit in memory");
        let first = index == outstanding.entries.len();
        if first {
            let pooled = outstanding.pooled.pop();
            let make = || Nonblocking::new(self.group_sizes, self.host_map.clone());
            let nonblocking = pooled.unwrap_or_else(|| Arc::new(make()));
            let missing = self.ranks();
            outstanding.entries.push_back(Entry {
                call,
                nonblocking,
                again,
                missing,
            });
        }
        let entry = &mut outstanding.entries[index];
        entry.missing -= 1;
        let nonblocking = Arc::clone(&entry.nonblocking);
        while let Some(entry) = outstanding.entries.pop_front_if(|entry| entry.missing == 0) {
            outstanding.first += 1;
            if self.host_map.is_some() && !entry.again {
                outstanding.remote.push((entry.call, entry.nonblocking));
            }
        }
        (nonblocking, first)
    }

    /// [`Outstanding::join`] for a persistent collective.
    pub(crate) fn join_persistent(&self, number: u64, call: Call) -> Arc<Nonblocking> {
        let (nonblocking, first) = self.find(number, call, true);
        if first {
            let mut persistent = self.persistent.lock();
            if persistent.len() == persistent.capacity() {
                persistent.retain(|(_, nonblocking)| nonblocking.strong_count() > 0);
            }
            persistent.push((call, Arc::downgrade(&nonblocking)));
        }
        nonblocking
    }

    /// Keeps the state of a completed collective for a later one.
    pub(crate) fn recycle(&self, nonblocking: Arc<Nonblocking>) {
        let mut outstanding = self.entries.lock();
        outstanding
            .remote
            .retain(|(_, other)| !Arc::ptr_eq(other, &nonblocking));
        if outstanding.pooled.len() < POOLED_COLLECTIVES {
            outstanding.pooled.push(nonblocking);
        }
    }

    /// Number of ranks that live on this host.
    fn ranks(&self) -> usize {
        self.host_map
            .as_ref()
            .map_or(self.group_sizes.seats(), |host_map| host_map.local_seats().len())
    }

    fn stall(&self, call: Call, nonblocking: &Nonblocking) -> Option<StalledCollective> {
        let seats = 0..self.ranks();
        let (started, missing): (Vec<_>, Vec<_>) = seats.partition(|seat| nonblocking.has(*seat));
        // Whether ranks of other hosts are missing is not known here.
        let waits = !missing.is_empty() || self.host_map.is_some();
        (!started.is_empty() && waits).then(|| StalledCollective {
            call: call.to_string(),
            blocking: false,
            started,
            missing,
        })
    }
}

impl MeetingPoint for Outstanding {
    /// The collectives that some ranks have started and others have not.
    fn stalls(&self) -> Vec<StalledCollective> {
        let outstanding = self.entries.lock();
        let once = outstanding
            .entries
            .iter()
            .filter(|entry| !entry.again)
            .map(|entry| (entry.call, Arc::clone(&entry.nonblocking)));
        let remote = outstanding
            .remote
            .iter()
            .map(|(call, nonblocking)| (*call, Arc::clone(nonblocking)));
        let persistent = self.persistent.lock();
        let again = persistent
            .iter()
            .filter_map(|(call, nonblocking)| Some((*call, nonblocking.upgrade()?)));
        let stalls = once
            .chain(remote)
            .chain(again)
            .filter_map(|(call, nonblocking)| self.stall(call, &nonblocking));
        stalls.collect()
    }
}
