//! Groups: ordered sets of processes.
//!
//! A process is named by its number in the job. A group of consecutive processes, such as that of the world, stores two
//! numbers. Any other group stores its members and, when it is long, an index from processes to ranks.

mod algebra;
mod portable;

pub use algebra::RankRange;

use crate::constants::UNDEFINED;
use simurgh_core::sync::{Arc, AtomicU32, Ordering};
use std::collections::HashMap;
use std::sync::OnceLock;

/// How two groups or communicators relate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Comparison {
    /// The same object (`MPI_IDENT`); for groups: the same members in the same order.
    Identical = 201,
    /// The same members in the same order, but another context (`MPI_CONGRUENT`).
    Congruent = 202,
    /// The same members in another order (`MPI_SIMILAR`).
    Similar = 203,
    /// Different members (`MPI_UNEQUAL`).
    Unequal = 204,
}

/// The number of a session in its process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SessionId(u32);

impl SessionId {
    /// No session: the object belongs to the world.
    pub const NONE: Self = Self(0);

    /// The session with this number, which is not 0.
    #[inline]
    #[must_use]
    pub fn new(number: u32) -> Self {
        Self(number)
    }
}

/// An ordered set of processes; cheap to clone.
#[derive(Clone, Debug)]
pub struct Group {
    members: Members,
    /// The session from whose process set the group comes.
    session: SessionId,
}

#[derive(Clone, Debug)]
enum Members {
    Run { first: u32, size: u32 },
    List(Arc<List>),
}

#[derive(Debug)]
struct List {
    processes: Box<[u32]>,
    /// Number of searches without the index so far.
    searches: AtomicU32,
    /// Ranks by process, built when a long list has been searched more than a few times.
    ranks: OnceLock<HashMap<u32, u32>>,
}

/// Lists up to this length are searched without an index.
const SEARCHED: usize = 16;

/// Number of searches of a longer list before it gets an index. Most groups are asked for the caller's rank and little
/// else.
const SEARCHES: u32 = 16;

impl Group {
    /// The group without members.
    pub const EMPTY: Self = Self {
        members: Members::Run { first: 0, size: 0 },
        session: SessionId::NONE,
    };

    /// The group of `size` consecutive processes from `first` on.
    #[inline]
    pub fn run(first: u32, size: u32) -> Self {
        Members::Run { first, size }.into()
    }

    /// The group of these processes, all different, in this order.
    pub fn from_processes(processes: Vec<u32>) -> Self {
        let Some(&first) = processes.first() else {
            return Self::EMPTY;
        };
        let size = u32::try_from(processes.len()).expect("no group is larger than the job");
        if processes
            .iter()
            .zip(first..)
            .all(|(&process, expected)| process == expected)
        {
            return Self::run(first, size);
        }
        let processes = processes.into();
        let list = List {
            processes,
            searches: AtomicU32::new(0),
            ranks: OnceLock::new(),
        };
        Members::List(Arc::new(list)).into()
    }

    /// The same group, as one that comes from a session of the calling process.
    pub fn in_session(mut self, session: SessionId) -> Self {
        self.session = session;
        self
    }

    /// The session from whose process set the group comes. Its number means something in the process that asks only.
    #[inline]
    #[must_use]
    pub fn session(&self) -> SessionId {
        self.session
    }

    /// The first member and the number of members, if they are consecutive.
    #[inline]
    pub fn as_run(&self) -> Option<(u32, u32)> {
        match &self.members {
            Members::Run { first, size } => Some((*first, *size)),
            Members::List(_) => None,
        }
    }

    /// Number of members.
    #[inline]
    #[must_use]
    pub fn size(&self) -> usize {
        match &self.members {
            Members::Run { size, .. } => *size as usize,
            Members::List(list) => list.processes.len(),
        }
    }

    /// The process with this rank.
    #[inline]
    #[must_use]
    pub fn process(&self, rank: usize) -> Option<u32> {
        match &self.members {
            Members::Run { first, size } if rank < *size as usize => Some(first + rank as u32),
            Members::Run { .. } => None,
            Members::List(list) => list.processes.get(rank).copied(),
        }
    }

    /// The rank of a process, or `None` if it is not a member.
    #[inline]
    #[must_use]
    pub fn rank_of(&self, process: u32) -> Option<usize> {
        match &self.members {
            Members::Run { first, size } => process
                .checked_sub(*first)
                .filter(|rank| rank < size)
                .map(|rank| rank as usize),
            Members::List(list) => list.rank_of(process),
        }
    }

    /// The members in order of rank.
    #[inline]
    pub fn processes(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        (0..self.size()).map(|rank| self.process(rank).expect("the rank is below the size"))
    }

    /// Whether the members and their order are the same.
    #[inline]
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        match (&self.members, &other.members) {
            (Members::List(mine), Members::List(theirs)) => {
                Arc::ptr_eq(mine, theirs) || mine.processes == theirs.processes
            }
            // Consecutive members are always a run.
            (Members::Run { .. }, Members::Run { .. }) => {
                self.size() == other.size() && self.process(0) == other.process(0)
            }
            _ => false,
        }
    }

    /// Compares members and order.
    #[must_use]
    pub fn compare(&self, other: &Self) -> Comparison {
        if self.size() != other.size() {
            Comparison::Unequal
        } else if self.is_same(other) {
            Comparison::Identical
        } else if self.processes().all(|process| other.rank_of(process).is_some()) {
            Comparison::Similar
        } else {
            Comparison::Unequal
        }
    }

    /// The rank in `other` of the process that has `rank` here, `UNDEFINED` if it is not a member there.
    #[must_use]
    pub fn translate(&self, rank: usize, other: &Self) -> i32 {
        let there = self.process(rank).and_then(|process| other.rank_of(process));
        there
            .and_then(|rank| i32::try_from(rank).ok())
            .unwrap_or(UNDEFINED)
    }
}

impl From<Members> for Group {
    fn from(members: Members) -> Self {
        Self {
            members,
            session: SessionId::NONE,
        }
    }
}

impl List {
    fn rank_of(&self, process: u32) -> Option<usize> {
        // Relaxed: a few searches more or less make no difference.
        let few = || self.searches.fetch_add(1, Ordering::Relaxed) < SEARCHES;
        if self.processes.len() <= SEARCHED || (self.ranks.get().is_none() && few()) {
            return self.processes.iter().position(|&member| member == process);
        }
        let index = self
            .ranks
            .get_or_init(|| self.processes.iter().copied().zip(0..).collect());
        index.get(&process).map(|&rank| rank as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consecutive_processes_are_a_run() {
        let group = Group::from_processes(vec![4, 5, 6]);
        assert!(matches!(group.members, Members::Run { first: 4, size: 3 }));
        assert_eq!((group.process(2), group.process(3)), (Some(6), None));
        assert_eq!(
            (group.rank_of(5), group.rank_of(3), group.rank_of(7)),
            (Some(1), None, None)
        );
    }

    #[test]
    fn long_lists_find_their_members() {
        let group = Group::from_processes((0..100).rev().collect());
        for process in 0..100 {
            assert_eq!(group.rank_of(process), Some(99 - process as usize));
        }
        assert_eq!(group.rank_of(100), None);
    }

    #[test]
    fn comparison_sees_members_and_order() {
        let group = Group::from_processes(vec![3, 1, 2]);
        assert_eq!(
            group.compare(&Group::from_processes(vec![3, 1, 2])),
            Comparison::Identical
        );
        assert_eq!(group.compare(&Group::run(1, 3)), Comparison::Similar);
        assert_eq!(group.compare(&Group::run(0, 3)), Comparison::Unequal);
        assert_eq!(group.compare(&Group::EMPTY), Comparison::Unequal);
        assert_eq!(Group::EMPTY.compare(&Group::EMPTY), Comparison::Identical);
    }

    #[test]
    fn ranks_translate_to_another_group() {
        let group = Group::from_processes(vec![3, 1, 2]);
        assert_eq!(group.translate(0, &Group::run(2, 5)), 1);
        assert_eq!(group.translate(1, &Group::run(2, 5)), UNDEFINED);
    }
}
