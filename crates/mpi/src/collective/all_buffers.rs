//! The buffers of all ranks in a collective.

use std::ops::Range;

use simurgh_core::{Contributions, PhaseValues};

use super::buffers::Buffers;
use super::inter_host::KnownBuffers;
use super::intra_host::Arrival;
use super::nonblocking::Contribution;
use crate::members::{GroupSizes, HostMap};
use crate::memory::{Target, Writer};

/// The buffers of all ranks in a collective, by seat. The seat of a rank is its rank; in an inter-communicator, the
/// ranks of the right group come after those of the left one.
#[derive(Clone, Copy)]
pub(crate) struct AllBuffers<'a> {
    source: Source<'a>,
    group_sizes: GroupSizes,
}

/// Where the buffers' descriptions are.
#[derive(Clone, Copy)]
enum Source<'a> {
    /// At a meeting of the ranks of one host, where all wait.
    Meeting(&'a Contributions<'a, Arrival>),
    /// At a split barrier, where nobody waits.
    SplitBarrier(PhaseValues<'a, Contribution>),
    /// Buffers of a collective of several hosts: those of this host, and what other hosts have sent.
    KnownBuffers(&'a KnownBuffers<'a>),
}

impl<'a> AllBuffers<'a> {
    /// The buffers brought to a meeting.
    pub(crate) fn new(contributions: &'a Contributions<'a, Arrival>, group_sizes: GroupSizes) -> Self {
        let source = Source::Meeting(contributions);
        Self { source, group_sizes }
    }

    /// The buffers brought to a nonblocking collective.
    pub(crate) fn of_nonblocking(
        contributions: PhaseValues<'a, Contribution>,
        group_sizes: GroupSizes,
    ) -> Self {
        let source = Source::SplitBarrier(contributions);
        Self { source, group_sizes }
    }

    /// The buffers that this host knows of in a collective of several hosts.
    pub(super) fn known(known_buffers: &'a KnownBuffers<'a>, group_sizes: GroupSizes) -> Self {
        let source = Source::KnownBuffers(known_buffers);
        Self { source, group_sizes }
    }

    /// Number of seats.
    pub(crate) fn len(self) -> usize {
        self.group_sizes.seats()
    }

    /// Bytes to be moved or combined on behalf of all ranks.
    pub(crate) fn work(self) -> usize {
        self.of(0..self.len())
            .fold(0, |work: usize, buffers| work.saturating_add(buffers.work()))
    }

    /// Bytes that the first rank of this host receives, for operations in which every rank receives the same number.
    pub(crate) fn bytes_here(self, host_map: &HostMap) -> usize {
        let first = host_map.local_seats().first().map_or(0, |&seat| seat as usize);
        let recv = self.at(first).recv.as_ref();
        recv.map_or(0, |recv| recv.bytes(self.len()))
    }

    /// Whether the first rank of this host receives equal parts from all ranks.
    pub(crate) fn have_even_parts(self, host_map: &HostMap) -> bool {
        let first = host_map.local_seats().first().map_or(0, |&seat| seat as usize);
        self.at(first).whole_target().is_some()
    }

    /// The writer to the buffers of a seat, when the others receive about as much.
    pub(crate) fn writer_for(self, seat: usize) -> Writer {
        Writer::new(self.at(seat).work().saturating_mul(2 * self.len()))
    }

    /// The buffers of a seat.
    pub(crate) fn at(self, seat: usize) -> &'a Buffers {
        match self.source {
            Source::Meeting(contributions) => contributions[seat].buffers(),
            Source::SplitBarrier(contributions) => contributions.of(seat).buffers(),
            Source::KnownBuffers(known_buffers) => known_buffers.at(seat),
        }
    }

    /// Whether a seat's rank lives on this host.
    pub(crate) fn is_here(self, seat: usize) -> bool {
        match self.source {
            Source::Meeting(_) | Source::SplitBarrier(_) => true,
            Source::KnownBuffers(known_buffers) => known_buffers.is_here(seat),
        }
    }

    /// The seats that prefix reductions go through: all, or those up to the last one of this host.
    pub(crate) fn scanned(self) -> Range<usize> {
        match self.source {
            Source::Meeting(_) | Source::SplitBarrier(_) => 0..self.len(),
            Source::KnownBuffers(known_buffers) => known_buffers.scanned(),
        }
    }

    /// Number of elements for which the rank at a seat has room.
    pub(crate) fn room(self, seat: usize) -> usize {
        match self.source {
            Source::Meeting(_) | Source::SplitBarrier(_) => {
                self.at(seat).whole_target().map_or(0, Target::count)
            }
            Source::KnownBuffers(known_buffers) => known_buffers.room(seat),
        }
    }

    /// The buffers of some seats.
    pub(crate) fn of(
        self,
        seats: Range<usize>,
    ) -> impl DoubleEndedIterator<Item = &'a Buffers> + ExactSizeIterator {
        seats.map(move |seat| self.at(seat))
    }

    /// The seats whose data a seat receives: all, or those of the other group.
    pub(crate) fn peers_of(self, seat: usize) -> Range<usize> {
        self.group_sizes.peers_of(seat)
    }

    /// The seats of the group of a seat.
    pub(crate) fn group_of(self, seat: usize) -> Range<usize> {
        self.group_sizes.group_of(seat)
    }

    /// The seats of each group.
    pub(crate) fn groups(self) -> impl Iterator<Item = Range<usize>> {
        self.group_sizes.groups()
    }

    /// The seats of [`AllBuffers::peers_of`], beginning with the one of the same rank or one near it, so that not all
    /// ranks begin with the same peer.
    pub(crate) fn peers_from(self, seat: usize) -> impl Iterator<Item = usize> {
        let seats = self.peers_of(seat);
        let first = seats.start + self.rank(seat) % seats.len().max(1);
        (first..seats.end).chain(seats.start..first)
    }

    /// The rank of a seat in its group.
    pub(crate) fn rank(self, seat: usize) -> usize {
        self.group_sizes.rank(seat)
    }

    /// Sizes of the groups.
    pub(crate) fn group_sizes(self) -> GroupSizes {
        self.group_sizes
    }

    /// The name of a seat's rank in messages.
    pub(crate) fn name(self, seat: usize) -> String {
        self.group_sizes.name(seat)
    }
}
