//! What all ranks have laid on the table.

use std::ops::Range;

use simurgh_core::{Brought, Gifts};

use super::board::Arrived;
use super::hosts::Everybody;
use super::offer::Offer;
use super::underway::Contribution;
use crate::comm::Span;
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
    Meeting(&'a Brought<'a, Arrived>),
    /// At a gathering, where nobody waits.
    Gathering(Gifts<'a, Contribution>),
    /// On several hosts: by seat of all, but only those of this host, and what others have sent.
    Everybody(&'a Everybody<'a>),
}

/// How many ranks sit on each side; an intra-communicator has no right side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seating {
    pub(crate) left: usize,
    pub(crate) right: usize,
}

impl<'a> Offers<'a> {
    /// What was brought to a meeting of so many ranks.
    pub(super) fn new(brought: &'a Brought<'a, Arrived>, seating: Seating) -> Self {
        let table = Table::Meeting(brought);
        Self { table, seating }
    }

    /// What was brought to a gathering of so many ranks.
    pub(super) fn gathered(gifts: Gifts<'a, Contribution>, seating: Seating) -> Self {
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

impl Seating {
    /// Number of seats.
    pub(crate) fn seats(self) -> usize {
        self.left + self.right
    }

    /// The seats whose data a seat gets: all, or those of the other group.
    pub(crate) fn across(self, seat: usize) -> Range<usize> {
        if self.right > 0 && seat < self.left {
            self.left..self.seats()
        } else {
            0..self.left
        }
    }

    /// The seats of the group of a seat.
    fn beside(self, seat: usize) -> Range<usize> {
        if seat < self.left {
            0..self.left
        } else {
            self.left..self.seats()
        }
    }

    /// The seats of each group.
    fn groups(self) -> impl Iterator<Item = Range<usize>> {
        let groups = [0..self.left, self.left..self.seats()];
        groups.into_iter().filter(|group| !group.is_empty())
    }

    /// The rank of a seat in its group.
    pub(crate) fn rank(self, seat: usize) -> usize {
        if seat < self.left { seat } else { seat - self.left }
    }

    /// What a seat's rank is called in messages.
    pub(crate) fn name(self, seat: usize) -> String {
        let rank = self.rank(seat);
        match (self.right, seat < self.left) {
            (0, _) => format!("rank {rank}"),
            (_, true) => format!("rank {rank} of the first group"),
            (_, false) => format!("rank {rank} of the second group"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Seating;

    #[test]
    fn data_crosses_between_the_sides_or_stays_on_the_only_one() {
        let one = Seating { left: 5, right: 0 };
        assert_eq!((one.across(0), one.across(4), one.rank(4)), (0..5, 0..5, 4));
        let two = Seating { left: 2, right: 3 };
        assert_eq!((two.across(1), two.across(2)), (2..5, 0..2));
        assert_eq!((one.beside(4), two.beside(1), two.beside(2)), (0..5, 0..2, 2..5));
        assert_eq!((one.groups().count(), two.groups().count()), (1, 2));
        assert_eq!((two.rank(1), two.rank(2), two.rank(4)), (1, 0, 2));
        assert_eq!(one.name(4), "rank 4");
        assert_eq!(
            [two.name(1), two.name(2)],
            ["rank 1 of the first group", "rank 0 of the second group"]
        );
    }
}
