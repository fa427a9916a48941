//! The sizes of a communicator's groups, and the numbering of all ranks across them: seats.

use std::ops::Range;

/// Number of ranks in each group; an intra-communicator has no right group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GroupSizes {
    pub(crate) left: usize,
    pub(crate) right: usize,
}

impl GroupSizes {
    /// Number of seats.
    pub(crate) fn seats(self) -> usize {
        self.left + self.right
    }

    /// The seats whose data a seat receives: all, or those of the other group.
    pub(crate) fn peers_of(self, seat: usize) -> Range<usize> {
        if self.right > 0 && seat < self.left {
            self.left..self.seats()
        } else {
            0..self.left
        }
    }

    /// The seats of the group of a seat.
    pub(crate) fn group_of(self, seat: usize) -> Range<usize> {
        if seat < self.left {
            0..self.left
        } else {
            self.left..self.seats()
        }
    }

    /// The seats of each group.
    pub(crate) fn groups(self) -> impl Iterator<Item = Range<usize>> {
        let groups = [0..self.left, self.left..self.seats()];
        groups.into_iter().filter(|group| !group.is_empty())
    }

    /// The rank of a seat in its group.
    pub(crate) fn rank(self, seat: usize) -> usize {
        if seat < self.left { seat } else { seat - self.left }
    }

    /// The name of a seat's rank in messages.
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
    use super::GroupSizes;

    #[test]
    fn data_crosses_between_the_groups_or_stays_in_the_only_one() {
        let one = GroupSizes { left: 5, right: 0 };
        assert_eq!((one.peers_of(0), one.peers_of(4), one.rank(4)), (0..5, 0..5, 4));
        let two = GroupSizes { left: 2, right: 3 };
        assert_eq!((two.peers_of(1), two.peers_of(2)), (2..5, 0..2));
        assert_eq!(
            (one.group_of(4), two.group_of(1), two.group_of(2)),
            (0..5, 0..2, 2..5)
        );
        assert_eq!((one.groups().count(), two.groups().count()), (1, 2));
        assert_eq!((two.rank(1), two.rank(2), two.rank(4)), (1, 0, 2));
        assert_eq!(one.name(4), "rank 4");
        assert_eq!(
            [two.name(1), two.name(2)],
            ["rank 1 of the first group", "rank 0 of the second group"]
        );
    }
}
