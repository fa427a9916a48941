//! The group or the two groups of a communicator.

use super::GroupSizes;
use crate::error::{Error, ErrorClass, Result};
use crate::group::Group;
use crate::group::SessionId;
use crate::layout::Layout;

/// The group of an intra-communicator, or the two groups of an inter-communicator.
///
/// The ranks of both groups are numbered together as the communicator's *seats*: the ranks of the left group, then
/// those of the right one. Calls that involve all ranks use seats.
#[derive(Clone, Debug)]
pub(crate) struct Members {
    left: Group,
    right: Option<Group>,
}

impl Members {
    /// The members of an intra-communicator.
    pub(crate) fn intra(group: Group) -> Self {
        Self {
            left: of_no_session(group),
            right: None,
        }
    }

    /// The members of an inter-communicator; the groups are disjoint.
    pub(crate) fn inter(left: Group, right: Group) -> Self {
        Self {
            left: of_no_session(left),
            right: Some(of_no_session(right)),
        }
    }

    /// Refuses members that the job does not have, which another host may have named.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Intern`] for the first of them.
    pub(crate) fn check(&self, layout: &Layout) -> Result<()> {
        let stranger = self
            .processes()
            .find(|&process| layout.find_host(process).is_none());
        stranger.map_or(Ok(()), |process| Err(unknown(process)))
    }

    /// Number of members of both groups.
    pub(crate) fn seats(&self) -> usize {
        self.group_sizes().seats()
    }

    /// Number of members of each group.
    pub(crate) fn group_sizes(&self) -> GroupSizes {
        GroupSizes {
            left: self.left.size(),
            right: self.right.as_ref().map_or(0, Group::size),
        }
    }

    /// Whether there are two groups.
    pub(crate) fn is_inter(&self) -> bool {
        self.right.is_some()
    }

    /// Whether a seat is in the left group.
    pub(crate) fn is_left(&self, seat: usize) -> bool {
        seat < self.left.size()
    }

    /// The left group, and the right one if there is one.
    pub(crate) fn groups(&self) -> (&Group, Option<&Group>) {
        (&self.left, self.right.as_ref())
    }

    /// The group of a seat and the rank in it.
    pub(crate) fn local(&self, seat: usize) -> (&Group, usize) {
        match &self.right {
            Some(right) if !self.is_left(seat) => (right, seat - self.left.size()),
            _ => (&self.left, seat),
        }
    }

    /// The remote group of a seat; `None` in an intra-communicator.
    pub(crate) fn remote(&self, seat: usize) -> Option<&Group> {
        let right = self.right.as_ref()?;
        Some(if self.is_left(seat) { right } else { &self.left })
    }

    /// The process on a seat.
    pub(crate) fn process(&self, seat: usize) -> Option<u32> {
        let (group, rank) = self.local(seat);
        group.process(rank)
    }

    /// The processes by seat.
    pub(crate) fn processes(&self) -> impl Iterator<Item = u32> + '_ {
        let right = self.right.iter().flat_map(Group::processes);
        self.left.processes().chain(right)
    }

    /// The processes on some seats, as one group.
    pub(crate) fn of_seats(&self, seats: &[u32]) -> Self {
        let processes = seats.iter().filter_map(|&seat| self.process(seat as usize));
        Self::intra(Group::from_processes(processes.collect()))
    }

    /// The seat of a process.
    pub(crate) fn seat_of(&self, process: u32) -> Option<usize> {
        let right = || self.right.as_ref()?.rank_of(process);
        let left = self.left.rank_of(process);
        left.or_else(|| right().map(|rank| self.left.size() + rank))
    }

    /// The members on some seats, each group in the given order. `None` if one of two groups is empty.
    pub(crate) fn select(&self, seats: &[usize]) -> Option<Self> {
        let group_of = |left: bool| {
            let chosen = seats.iter().filter(|&&seat| self.is_left(seat) == left);
            Group::from_processes(chosen.filter_map(|&seat| self.process(seat)).collect())
        };
        let left = group_of(true);
        if !self.is_inter() {
            return Some(Self::intra(left));
        }
        let right = group_of(false);
        (left.size() > 0 && right.size() > 0).then(|| Self::inter(left, right))
    }
}

#[cold]
fn unknown(process: u32) -> Error {
    Error::new(
        ErrorClass::Intern,
        format!(
            "a group has process {process}, which the job has not; all hosts have to run the same version"
        ),
    )
}

/// Takes the session away: its number means something in one process only, and what ranks share belongs to no session.
fn of_no_session(group: Group) -> Group {
    group.in_session(SessionId::NONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seats_number_the_left_group_first() {
        let members = Members::inter(Group::from_processes(vec![5, 1]), Group::run(2, 3));
        assert_eq!(members.seats(), 5);
        let processes: Vec<_> = (0..5).filter_map(|seat| members.process(seat)).collect();
        assert_eq!(processes, [5, 1, 2, 3, 4]);
        for (seat, process) in processes.into_iter().enumerate() {
            assert_eq!(members.seat_of(process), Some(seat));
        }
        assert_eq!(members.seat_of(0), None);
        assert_eq!((members.local(1).1, members.local(4).1), (1, 2));
        assert_eq!(members.remote(0).map(Group::size), Some(3));
        assert_eq!(members.remote(2).map(Group::size), Some(2));
    }

    #[test]
    fn a_selection_needs_members_of_both_groups() {
        let members = Members::inter(Group::run(0, 2), Group::run(2, 2));
        let chosen = members.select(&[3, 1, 2]).unwrap();
        let processes: Vec<_> = (0..3).filter_map(|seat| chosen.process(seat)).collect();
        assert_eq!(processes, [1, 3, 2]);
        assert!(members.select(&[0, 1]).is_none());
        assert!(Members::intra(Group::run(0, 2)).select(&[1]).is_some());
    }
}
