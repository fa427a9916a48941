//! Operations on groups.

use super::Group;
use crate::error::{Error, ErrorClass, Result};
use std::collections::HashSet;

/// Ranks from `first` to `last` (inclusive) by `stride`, as in `MPI_Group_range_incl`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankRange {
    /// The first rank.
    pub first: i32,
    /// The last rank, which is a member if the stride meets it.
    pub last: i32,
    /// The step, not zero; negative to count down.
    pub stride: i32,
}

impl RankRange {
    /// The ranks of the range, all of which are below `size`.
    fn ranks(self, size: usize) -> Result<impl Iterator<Item = i32>> {
        let Self { first, last, stride } = self;
        // Wider numbers, so that no difference overflows.
        let (start, end, step) = (i64::from(first), i64::from(last), i64::from(stride));
        if step == 0 || (end - start).signum() == -step.signum() {
            return Err(Error::new(
                ErrorClass::Arg,
                format!(
                    "the range of ranks from {first} to {last} has stride {stride}, which does not lead there"
                ),
            ));
        }
        let steps = (end - start) / step;
        let inside = |rank: i64| usize::try_from(rank).is_ok_and(|rank| rank < size);
        if let Some(outside) = [start, start + steps * step]
            .into_iter()
            .find(|&rank| !inside(rank))
        {
            return Err(not_in_group(outside, size));
        }
        Ok((0..=steps).map(move |taken| (start + taken * step) as i32))
    }
}

#[cold]
fn not_in_group(rank: i64, size: usize) -> Error {
    Error::new(
        ErrorClass::Rank,
        format!("rank {rank} is not in the group of {size} processes"),
    )
}

impl Group {
    /// The members of `self`, then those of `other` that are not in `self`.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let added = other
            .processes()
            .filter(|&process| self.rank_of(process).is_none());
        self.derive(self.processes().chain(added).collect())
    }

    /// The members of `self` that are also in `other`.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        self.derive(
            self.processes()
                .filter(|&process| other.rank_of(process).is_some())
                .collect(),
        )
    }

    /// The members of `self` that are not in `other`.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        self.derive(
            self.processes()
                .filter(|&process| other.rank_of(process).is_none())
                .collect(),
        )
    }

    /// The members with these ranks, in this order.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Rank`] for a rank outside the group or named twice.
    pub fn include(&self, ranks: &[i32]) -> Result<Self> {
        Ok(self.derive(self.select(ranks)?))
    }

    /// The members except those with these ranks.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Rank`] for a rank outside the group or named twice.
    pub fn exclude(&self, ranks: &[i32]) -> Result<Self> {
        let gone: HashSet<u32> = self.select(ranks)?.into_iter().collect();
        Ok(self.derive(
            self.processes()
                .filter(|process| !gone.contains(process))
                .collect(),
        ))
    }

    /// The members with the ranks of these ranges, in their order.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Rank`] as for [`Group::include`], [`ErrorClass::Arg`] for a stride that is zero or leads away
    /// from the last rank.
    pub fn include_ranges(&self, ranges: &[RankRange]) -> Result<Self> {
        self.include(&self.expand(ranges)?)
    }

    /// The members except those in these ranges.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Rank`] as for [`Group::exclude`], [`ErrorClass::Arg`] for a stride that is zero or leads away from
    /// the last rank.
    pub fn exclude_ranges(&self, ranges: &[RankRange]) -> Result<Self> {
        self.exclude(&self.expand(ranges)?)
    }

    /// A group of these processes that belongs to the same session.
    fn derive(&self, processes: Vec<u32>) -> Self {
        Self::from_processes(processes).in_session(self.session())
    }

    fn expand(&self, ranges: &[RankRange]) -> Result<Vec<i32>> {
        let mut ranks = Vec::new();
        for range in ranges {
            ranks.extend(range.ranks(self.size())?);
        }
        Ok(ranks)
    }

    /// The processes with these ranks, which must be different ranks of the group.
    fn select(&self, ranks: &[i32]) -> Result<Vec<u32>> {
        let mut seen = HashSet::with_capacity(ranks.len());
        let mut processes = Vec::with_capacity(ranks.len());
        for &rank in ranks {
            let process = usize::try_from(rank)
                .ok()
                .and_then(|rank| self.process(rank))
                .ok_or_else(|| not_in_group(rank.into(), self.size()))?;
            if !seen.insert(rank) {
                return Err(Error::new(
                    ErrorClass::Rank,
                    format!("rank {rank} is named twice; name each rank once"),
                ));
            }
            processes.push(process);
        }
        Ok(processes)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Comparison;
    use super::*;

    fn list(group: &Group) -> Vec<u32> {
        group.processes().collect()
    }

    fn range(first: i32, last: i32, stride: i32) -> RankRange {
        RankRange { first, last, stride }
    }

    #[test]
    fn sets_keep_the_order_the_standard_gives() {
        let (a, b) = (
            Group::from_processes(vec![5, 1, 3]),
            Group::from_processes(vec![3, 4, 5]),
        );
        assert_eq!(list(&a.union(&b)), [5, 1, 3, 4]);
        assert_eq!(list(&a.intersection(&b)), [5, 3]);
        assert_eq!(list(&a.difference(&b)), [1]);
        assert_eq!(a.difference(&a).compare(&Group::EMPTY), Comparison::Identical);
    }

    #[test]
    fn ranks_and_ranges_select_members() {
        let group = Group::run(10, 8);
        assert_eq!(list(&group.include(&[7, 0, 3]).unwrap()), [17, 10, 13]);
        assert_eq!(list(&group.exclude(&[7, 0, 3]).unwrap()), [11, 12, 14, 15, 16]);
        assert_eq!(
            list(&group.include_ranges(&[range(0, 3, 2), range(7, 5, -1)]).unwrap()),
            [10, 12, 17, 16, 15]
        );
        assert_eq!(
            list(&group.exclude_ranges(&[range(1, 7, 3)]).unwrap()),
            [10, 12, 13, 15, 16]
        );
    }

    #[test]
    fn wrong_ranks_are_errors() {
        let group = Group::run(0, 4);
        for ranks in [&[4][..], &[-1], &[2, 2]] {
            assert_eq!(group.include(ranks).unwrap_err().class(), ErrorClass::Rank);
        }
        for (first, last, stride, class) in [
            (0, 3, 0, ErrorClass::Arg),
            (0, 3, -1, ErrorClass::Arg),
            (3, 0, 1, ErrorClass::Arg),
            (0, 4, 1, ErrorClass::Rank),
            (3, -1, -1, ErrorClass::Rank),
            (i32::MIN, i32::MAX, 1, ErrorClass::Rank),
            (i32::MAX, i32::MIN, i32::MIN, ErrorClass::Rank),
        ] {
            let error = group.include_ranges(&[range(first, last, stride)]).unwrap_err();
            assert_eq!(error.class(), class, "{first} {last} {stride}");
        }
        // The last rank need not be met, nor be a rank of the group.
        assert_eq!(list(&group.include_ranges(&[range(1, 4, 2)]).unwrap()), [1, 3]);
        assert_eq!(list(&group.include_ranges(&[range(2, 2, -7)]).unwrap()), [2]);
        assert_eq!(
            group
                .exclude_ranges(&[range(0, 3, 2), range(2, 2, 1)])
                .unwrap_err()
                .class(),
            ErrorClass::Rank
        );
    }
}
