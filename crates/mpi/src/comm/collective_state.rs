//! The state of a communicator's collectives on this host.

use super::Comm;
use crate::collective::{IntraHost, Outstanding, Publication};
use crate::deadlock::MeetingPoint;
use crate::members::GroupSizes;
use crate::members::HostMap;
use simurgh_core::sync::{Arc, Ordering};

impl Comm {
    /// The meetings of this host's ranks, of both groups, for blocking collectives.
    #[inline]
    #[must_use]
    pub(crate) fn intra_host(&self) -> &IntraHost {
        let make = || match self.host_map() {
            None => IntraHost::seated(self.shared.members.group_sizes()),
            Some(host_map) => IntraHost::of_hosts(self.shared.members.group_sizes(), Arc::clone(host_map)),
        };
        self.shared.intra_host.get_or_init(|| self.registered(make()))
    }

    /// The outstanding nonblocking collectives.
    pub(crate) fn outstanding(&self) -> &Arc<Outstanding> {
        self.shared.outstanding.get_or_init(|| {
            self.registered(Outstanding::new(
                self.shared.members.group_sizes(),
                self.host_map().cloned(),
            ))
        })
    }

    /// The number of the next collective that the rank starts or sets up.
    pub(crate) fn next_collective(&self) -> u64 {
        // Relaxed: the number concerns this rank alone, whose collectives on one communicator follow each other.
        self.collectives.fetch_add(1, Ordering::Relaxed)
    }

    /// Where roots publish their data.
    #[inline]
    pub(crate) fn publication(&self) -> &Publication {
        self.shared
            .publication
            .get_or_init(|| self.registered(Publication::new(self.shared.members.seats())))
    }

    /// Registers state of collectives with the job, so that a deadlock report says which ranks wait for which.
    fn registered<P: MeetingPoint + 'static>(&self, place: P) -> Arc<P> {
        let place = Arc::new(place);
        let known: Arc<dyn MeetingPoint> = Arc::clone(&place) as Arc<dyn MeetingPoint>;
        let members = &self.shared.members;
        let local = self
            .host_map()
            .map(|host_map| members.of_seats(host_map.local_seats()));
        let places = self.process.job().meeting_points();
        let elsewhere = local.is_some();
        places.add(&known, local.as_ref().unwrap_or(members), elsewhere, self.context);
        place
    }

    /// The hosts of the ranks; `None` if all are on this host.
    #[inline]
    pub(crate) fn host_map(&self) -> Option<&Arc<HostMap>> {
        self.shared.host_map()
    }

    /// Whether some of its ranks live on other hosts.
    #[inline]
    pub(crate) fn spans_hosts(&self) -> bool {
        self.spans_hosts
    }

    /// The rank's local index: its number among the seats that live on this host.
    #[inline]
    pub(crate) fn local_index(&self) -> usize {
        self.local_index as usize
    }

    /// Number of ranks, of both groups, that live on this host.
    pub(crate) fn ranks_here(&self) -> usize {
        self.host_map().map_or_else(
            || self.shared.members.seats(),
            |host_map| host_map.local_seats().len(),
        )
    }

    /// Sizes of the communicator's groups.
    pub(crate) fn group_sizes(&self) -> GroupSizes {
        self.shared.members.group_sizes()
    }
}
