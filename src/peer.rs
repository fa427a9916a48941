//! Whom a message goes to or comes from, and which.

use simurgh_mpi::Result;
use simurgh_mpi::check;
use simurgh_mpi::constants::{ANY_SOURCE, ANY_TAG, PROC_NULL};

/// Whom a message goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destination {
    /// A rank of the communicator.
    Rank(usize),
    /// Nobody: the call does nothing (`MPI_PROC_NULL`), which spares the edges of a grid a case of their own.
    Null,
}

/// Whom a message may come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A rank of the communicator.
    Rank(usize),
    /// Any rank (`MPI_ANY_SOURCE`).
    Any,
    /// Nobody: the call brings nothing (`MPI_PROC_NULL`).
    Null,
}

/// Which tag a message may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag {
    /// This one.
    Is(i32),
    /// Any (`MPI_ANY_TAG`).
    Any,
}

impl From<usize> for Destination {
    fn from(rank: usize) -> Self {
        Self::Rank(rank)
    }
}

impl From<Option<usize>> for Destination {
    fn from(rank: Option<usize>) -> Self {
        rank.map_or(Self::Null, Self::Rank)
    }
}

impl From<usize> for Source {
    fn from(rank: usize) -> Self {
        Self::Rank(rank)
    }
}

impl From<Destination> for Source {
    fn from(peer: Destination) -> Self {
        match peer {
            Destination::Rank(rank) => Self::Rank(rank),
            Destination::Null => Self::Null,
        }
    }
}

impl From<i32> for Tag {
    fn from(tag: i32) -> Self {
        Self::Is(tag)
    }
}

/// A rank as the engine counts; one that is too large for it stays too large for any communicator.
pub(crate) fn raw_rank(rank: usize) -> i32 {
    i32::try_from(rank).unwrap_or(i32::MAX)
}

impl Destination {
    /// What the engine's number means.
    pub(crate) fn from_raw(rank: i32) -> Self {
        usize::try_from(rank).ok().into()
    }

    pub(crate) fn raw(self) -> i32 {
        match self {
            Self::Rank(rank) => raw_rank(rank),
            Self::Null => PROC_NULL,
        }
    }
}

impl Source {
    pub(crate) fn raw(self) -> i32 {
        match self {
            Self::Rank(rank) => raw_rank(rank),
            Self::Any => ANY_SOURCE,
            Self::Null => PROC_NULL,
        }
    }
}

impl Tag {
    /// A negative tag is no tag, though the engine's wildcard is a negative number.
    pub(crate) fn raw(self) -> Result<i32> {
        match self {
            Self::Is(tag) => check::tag(tag).map(|()| tag),
            Self::Any => Ok(ANY_TAG),
        }
    }
}
