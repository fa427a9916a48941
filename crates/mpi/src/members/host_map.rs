//! The hosts on which the members of a communicator live.
//!
//! The hosts of a communicator have *positions*: 0, 1, … in the order of their numbers, hosts without members left out.
//! Algorithms between hosts count positions as those between ranks count ranks. The seats of a host are in ascending
//! order; the *local index* of a seat is its index among those of its host, by which its rank takes part in meetings of
//! the host.
//!
//! Costs 8 bytes for each seat of a communicator that spans several hosts.

use super::Members;
use crate::layout::Layout;
use simurgh_net::HostId;

/// The hosts with members of a communicator, and the seats on each of them.
#[derive(Debug)]
pub(crate) struct HostMap {
    /// The hosts with members, ascending.
    hosts: Box<[HostId]>,
    /// This host's position.
    own: usize,
    /// All seats, grouped by host.
    seats: Box<[u32]>,
    /// Where the seats of each host begin; then the number of all seats.
    starts: Box<[u32]>,
    /// The position of each seat's host.
    positions: Box<[u32]>,
    is_ordered: bool,
    is_on_one_node: bool,
}

impl HostMap {
    /// The hosts of the processes of `members`; `None` if all live on this host.
    ///
    /// # Panics
    ///
    /// When some live elsewhere and none here: a host knows of its own communicators only.
    pub(crate) fn of(members: &Members, layout: &Layout) -> Option<Self> {
        if members.processes().all(|process| layout.is_here(process)) {
            return None;
        }
        let of_seat: Vec<HostId> = members
            .processes()
            .map(|process| layout.host_of(process))
            .collect();
        let mut hosts = of_seat.clone();
        hosts.sort_unstable();
        hosts.dedup();
        let position = |host: &HostId| hosts.binary_search(host).expect("each seat's host is there") as u32;
        let positions: Box<[u32]> = of_seat.iter().map(position).collect();
        let mut seats: Vec<u32> = (0..).take(positions.len()).collect();
        // Stable: the seats of a host keep their order.
        seats.sort_by_key(|&seat| positions[seat as usize]);
        let start = |position| seats.partition_point(|&seat| positions[seat as usize] < position) as u32;
        let starts = (0..=hosts.len() as u32).map(start).collect();
        let own = hosts.binary_search(&layout.own());
        Some(Self {
            is_ordered: seats.is_sorted(),
            is_on_one_node: hosts
                .windows(2)
                .all(|two| layout.node_of(two[0]) == layout.node_of(two[1])),
            own: own.expect("a communicator has members on each host that knows it"),
            hosts: hosts.into(),
            seats: seats.into(),
            starts,
            positions,
        })
    }

    /// Number of hosts; two at least.
    pub(crate) fn hosts(&self) -> usize {
        self.hosts.len()
    }

    /// The position of this host.
    pub(crate) fn own(&self) -> usize {
        self.own
    }

    /// Whether all seats of a host come before those of the next.
    pub(crate) fn is_ordered(&self) -> bool {
        self.is_ordered
    }

    /// Whether all hosts run on the same node.
    pub(crate) fn is_on_one_node(&self) -> bool {
        self.is_on_one_node
    }

    /// The largest number of seats on one host.
    pub(crate) fn most_seats(&self) -> usize {
        let most = self.starts.windows(2).map(|two| two[1] - two[0]).max();
        most.unwrap_or(0) as usize
    }

    /// The number of the host at a position.
    pub(crate) fn host(&self, position: usize) -> HostId {
        self.hosts[position]
    }

    /// All hosts, ascending.
    pub(crate) fn all(&self) -> &[HostId] {
        &self.hosts
    }

    /// The position of a host; `None` if it has no members.
    pub(crate) fn position(&self, host: HostId) -> Option<usize> {
        self.hosts.binary_search(&host).ok()
    }

    /// The seats of the host at a position, ascending; one at least.
    pub(crate) fn seats(&self, position: usize) -> &[u32] {
        &self.seats[self.starts[position] as usize..self.starts[position + 1] as usize]
    }

    /// Number of seats on all hosts.
    pub(crate) fn seats_of_all(&self) -> usize {
        self.seats.len()
    }

    /// The seats of this host, by local index.
    pub(crate) fn local_seats(&self) -> &[u32] {
        self.seats(self.own)
    }

    /// The position of the host on which a seat lives.
    pub(crate) fn position_of(&self, seat: usize) -> usize {
        self.positions[seat] as usize
    }

    /// The local index of a seat: its index among those of its host.
    pub(crate) fn local_index_of(&self, seat: usize) -> usize {
        let seats = self.seats(self.position_of(seat));
        seats.partition_point(|&known| (known as usize) < seat)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::Group;

    /// Three hosts of two processes each, seen from the second.
    fn layout() -> Layout {
        Layout::new(1, [(2, 0), (2, 0), (2, 1)])
    }

    #[test]
    fn seats_are_found_on_their_hosts() {
        let members = Members::intra(Group::from_processes(vec![5, 2, 4, 3]));
        let host_map = HostMap::of(&members, &layout()).unwrap();
        assert_eq!(
            (host_map.hosts(), host_map.own(), host_map.is_ordered()),
            (2, 0, false)
        );
        assert_eq!((host_map.host(0), host_map.host(1)), (1, 2));
        assert_eq!(
            (host_map.local_seats(), host_map.seats(1)),
            (&[1, 3][..], &[0, 2][..])
        );
        let places = (0..4).map(|seat| (host_map.position_of(seat), host_map.local_index_of(seat)));
        assert!(places.eq([(1, 0), (0, 0), (1, 1), (0, 1)]));
    }

    #[test]
    fn both_groups_count() {
        let members = Members::inter(Group::run(4, 2), Group::run(1, 3));
        let host_map = HostMap::of(&members, &layout()).unwrap();
        assert_eq!(
            (host_map.hosts(), host_map.own(), host_map.most_seats()),
            (3, 1, 2)
        );
        assert!(!host_map.is_on_one_node());
        assert_eq!(
            [host_map.seats(0), host_map.seats(1), host_map.seats(2)],
            [&[2][..], &[3, 4], &[0, 1]]
        );
    }

    #[test]
    fn those_of_one_host_span_nothing() {
        assert!(HostMap::of(&Members::intra(Group::run(2, 2)), &layout()).is_none());
    }
}
