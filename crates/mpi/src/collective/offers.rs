//! What all ranks have laid on the table.

use std::ops::Range;

use simurgh_core::{Contributions, PhaseValues};

use super::board::Arrived;
use super::hosts::Everybody;
use super::offer::Offer;
use super::underway::Contribution;
use crate::members::{Seating, Span};
use crate::memory::{Target, Writer};

/// The buffers of all ranks in a collective, by seat: in an intra-communicator the rank, in an inter-communicator the
/// rank among those of the left group and then of the right one.
#[derive(Clone, Copy)]
pub(crate) struct Offers<'a> {
    table: Table<'a>,
    seating: Seating,
}

/// Where they lie.
#[derive(Clone, Copy)]
enum Table<'a> {
    /// At a meeting, where all wait.
    Meeting(&'a Contributions<'a, Arrived>),
    /// At a gathering, where nobody waits.
    Gathering(PhaseValues<'a, Contribution>),
    /// On several hosts: by seat of all, but only those of this host, and what others have sent.
    Everybody(&'a Everybody<'a>),
}

impl<'a> Offers<'a> {
    /// What was brought to a meeting of so many ranks.
    pub(super) fn new(brought: &'a Contributions<'a, Arrived>, seating: Seating) -> Self {
        let table = Table::Meeting(brought);
        Self { table, seating }
    }

    /// What was brought to a gathering of so many ranks.
    pub(super) fn gathered(gifts: PhaseValues<'a, Contribution>, seating: Seating) -> Self {
        let table = Table::Gathering(gifts);
        Self { table, seating }
    }

    /// What is known of the ranks of several hosts.
    pub(super) fn known(everybody: &'a Everybody<'a>, seating: Seating) -> Self {
        let table = Table::Everybody(everybody);
        Self { table, seating }
    }

    /// Number of seats.
    pub(crate) fn len(self) -> usize {
        self.seating.seats()
    }

    /// Bytes to be moved or combined on behalf of all.
    pub(crate) fn work(self) -> usize {
        self.of(0..self.len())
            .fold(0, |work: usize, offer| work.saturating_add(offer.work()))
    }

    /// Bytes that the first rank of this host gets, when that is the same on all.
    pub(super) fn bytes_here(self, span: &Span) -> usize {
        let first = span.local().first().map_or(0, |&seat| seat as usize);
        let recv = self.at(first).recv.as_ref();
        recv.map_or(0, |recv| recv.bytes(self.len()))
    }

    /// Whether the first rank of this host gets as much from each rank.
    pub(super) fn have_even_parts(self, span: &Span) -> bool {
        let first = span.local().first().map_or(0, |&seat| seat as usize);
        self.at(first).whole_target().is_some()
    }

    /// What writes to the buffers of a seat, when all others get about as much.
    pub(crate) fn writer_for(self, seat: usize) -> Writer {
        Writer::new(self.at(seat).work().saturating_mul(2 * self.len()))
    }

    /// What lies at a seat.
    pub(crate) fn at(self, seat: usize) -> &'a Offer {
        match self.table {
            Table::Meeting(brought) => brought[seat].offer(),
            Table::Gathering(gifts) => gifts.of(seat).offer(),
            Table::Everybody(everybody) => everybody.at(seat),
        }
    }

    /// Whether a seat is one of this host.
    pub(crate) fn is_here(self, seat: usize) -> bool {
        match self.table {
            Table::Meeting(_) | Table::Gathering(_) => true,
            Table::Everybody(everybody) => everybody.is_here(seat),
        }
    }

    /// The seats that prefix reductions go through: all, or those up to the last of this host.
    pub(crate) fn scanned(self) -> Range<usize> {
        match self.table {
            Table::Meeting(_) | Table::Gathering(_) => 0..self.len(),
            Table::Everybody(everybody) => everybody.scanned(),
        }
    }

    /// Elements for which the rank at a seat has room.
    pub(crate) fn room(self, seat: usize) -> usize {
        match self.table {
            Table::Meeting(_) | Table::Gathering(_) => self.at(seat).whole_target().map_or(0, Target::count),
            Table::Everybody(everybody) => everybody.room(seat),
        }
    }

    /// Those of some seats.
    pub(crate) fn of(
        self,
        seats: Range<usize>,
    ) -> impl DoubleEndedIterator<Item = &'a Offer> + ExactSizeIterator {
        seats.map(move |seat| self.at(seat))
    }

    /// The seats whose data a seat gets: all, or those of the other group.
    pub(crate) fn across(self, seat: usize) -> Range<usize> {
        self.seating.across(seat)
    }

    /// The seats of the group of a seat.
    pub(crate) fn beside(self, seat: usize) -> Range<usize> {
        self.seating.beside(seat)
    }

    /// The seats of each group.
    pub(crate) fn groups(self) -> impl Iterator<Item = Range<usize>> {
        self.seating.groups()
    }

    /// The same seats, beginning with the one of the same rank, or one near it, so that not all begin with the same.
    pub(crate) fn across_from(self, seat: usize) -> impl Iterator<Item = usize> {
        let seats = self.across(seat);
        let first = seats.start + self.rank(seat) % seats.len().max(1);
        (first..seats.end).chain(seats.start..first)
    }

    /// The rank of a seat in its group.
    pub(crate) fn rank(self, seat: usize) -> usize {
        self.seating.rank(seat)
    }

    /// How the ranks sit.
    pub(crate) fn seating(self) -> Seating {
        self.seating
    }

    /// What a seat's rank is called in messages.
    pub(crate) fn name(self, seat: usize) -> String {
        self.seating.name(seat)
    }
}
