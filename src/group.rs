//! Groups of processes (section 7.3 of the standard).

use std::fmt;
use std::marker::PhantomData;
use std::rc::Rc;

use simurgh_mpi::{Comparison, Result};

use crate::peer::raw_rank;

/// An ordered set of processes, as one rank sees it: what communicators are made of
/// ([`Communicator::create`](crate::Communicator::create), [`Session::communicator`](crate::Session::communicator)).
///
/// The operations on groups are those of sets, which keep the order that the standard gives.
///
/// ```
/// # simurgh::Builder::new().ranks(6).run(|world| {
/// let all = world.group();
/// let even = all.include((0..world.size()).step_by(2))?;
/// let odd = all.difference(&even);
/// assert_eq!((even.size(), odd.size()), (3, 3));
/// assert_eq!(odd.rank().is_some(), world.rank() % 2 == 1);
/// assert_eq!(all.translate(5, &odd), Some(2));
/// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
/// # Ok::<(), simurgh::RunError>(())
/// ```
#[derive(Clone)]
pub struct Group {
    group: simurgh_mpi::Group,
    /// The process of the rank that has the group.
    own: u32,
    /// A group stays in the thread of execution of its rank.
    of_rank: PhantomData<Rc<()>>,
}

impl Group {
    pub(crate) fn new(group: simurgh_mpi::Group, own: u32) -> Self {
        Self {
            group,
            own,
            of_rank: PhantomData,
        }
    }

    /// The group of the engine.
    pub(crate) fn engine(&self) -> &simurgh_mpi::Group {
        &self.group
    }

    /// Number of processes (`MPI_Group_size`).
    #[must_use]
    pub fn size(&self) -> usize {
        self.group.size()
    }

    /// The calling process's rank in the group, if it is a member (`MPI_Group_rank`).
    #[must_use]
    pub fn rank(&self) -> Option<usize> {
        self.group.rank_of(self.own)
    }

    /// The rank in another group of the process that has a rank in this one; none if it is in only one of them
    /// (`MPI_Group_translate_ranks`).
    #[must_use]
    pub fn translate(&self, rank: usize, other: &Self) -> Option<usize> {
        other.group.rank_of(self.group.process(rank)?)
    }

    /// How two groups relate: [`Comparison::Identical`], [`Comparison::Similar`] if only the order differs, or
    /// [`Comparison::Unequal`] (`MPI_Group_compare`).
    #[must_use]
    pub fn compare(&self, other: &Self) -> Comparison {
        self.group.compare(&other.group)
    }

    /// The members of this group, then those of the other one that are not in it (`MPI_Group_union`).
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self::new(self.group.union(&other.group), self.own)
    }

    /// The members of this group that are in the other one, too (`MPI_Group_intersection`).
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        Self::new(self.group.intersection(&other.group), self.own)
    }

    /// The members of this group that are not in the other one (`MPI_Group_difference`).
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        Self::new(self.group.difference(&other.group), self.own)
    }

    /// The members with these ranks, in this order (`MPI_Group_incl`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Rank`](crate::ErrorClass::Rank) for a rank that is not in the group, or comes twice.
    pub fn include(&self, ranks: impl IntoIterator<Item = usize>) -> Result<Self> {
        Ok(Self::new(self.group.include(&raw(ranks))?, self.own))
    }

    /// The members but those with these ranks (`MPI_Group_excl`).
    ///
    /// # Errors
    ///
    /// As [`include`](Self::include).
    pub fn exclude(&self, ranks: impl IntoIterator<Item = usize>) -> Result<Self> {
        Ok(Self::new(self.group.exclude(&raw(ranks))?, self.own))
    }
}

impl fmt::Debug for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rank, size) = (self.rank(), self.size());
        f.debug_struct("Group")
            .field("rank", &rank)
            .field("size", &size)
            .finish()
    }
}

fn raw(ranks: impl IntoIterator<Item = usize>) -> Vec<i32> {
    ranks.into_iter().map(raw_rank).collect()
}
