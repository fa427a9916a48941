//! Destinations, sources and tags of messages.

use simurgh_mpi::Result;
use simurgh_mpi::check;
use simurgh_mpi::constants::{ANY_SOURCE, ANY_TAG, PROC_NULL};

/// The destination of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destination {
    /// A rank of the communicator.
    Rank(usize),
    /// No rank: the call does nothing (`MPI_PROC_NULL`). The edges of a grid need no special case then.
    Null,
}

/// The source of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A rank of the communicator.
    Rank(usize),
    /// Any rank (`MPI_ANY_SOURCE`).
    Any,
    /// No rank: the call receives nothing (`MPI_PROC_NULL`).
    Null,
}

/// The tag of a message to be received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag {
    /// This tag.
    Is(i32),
    /// Any tag (`MPI_ANY_TAG`).
    Any,
}

impl From<usize> for Destination {
    #[inline]
    fn from(rank: usize) -> Self {
        Self::Rank(rank)
    }
}

impl From<Option<usize>> for Destination {
    #[inline]
    fn from(rank: Option<usize>) -> Self {
        rank.map_or(Self::Null, Self::Rank)
    }
}

impl From<usize> for Source {
    #[inline]
    fn from(rank: usize) -> Self {
        Self::Rank(rank)
    }
}

impl From<Destination> for Source {
    #[inline]
    fn from(peer: Destination) -> Self {
        match peer {
            Destination::Rank(rank) => Self::Rank(rank),
            Destination::Null => Self::Null,
        }
    }
}

impl From<i32> for Tag {
    #[inline]
    fn from(tag: i32) -> Self {
        Self::Is(tag)
    }
}

/// A rank as a number of the engine. A rank that is too large for the engine stays larger than any communicator.
#[inline]
pub(crate) fn raw_rank(rank: usize) -> i32 {
    i32::try_from(rank).unwrap_or(i32::MAX)
}

impl Destination {
    /// The rank of an engine's number; `None` for its special values.
    pub(crate) fn from_raw(rank: i32) -> Self {
        usize::try_from(rank).ok().into()
    }

    #[inline]
    pub(crate) fn raw(self) -> i32 {
        match self {
            Self::Rank(rank) => raw_rank(rank),
            Self::Null => PROC_NULL,
        }
    }
}

impl Source {
    #[inline]
    pub(crate) fn raw(self) -> i32 {
        match self {
            Self::Rank(rank) => raw_rank(rank),
            Self::Any => ANY_SOURCE,
            Self::Null => PROC_NULL,
        }
    }
}

impl Tag {
    /// A negative tag is an error, though the engine's wildcard is a negative number.
    #[inline]
    pub(crate) fn raw(self) -> Result<i32> {
        match self {
            Self::Is(tag) => check::tag(tag).map(|()| tag),
            Self::Any => Ok(ANY_TAG),
        }
    }
}
