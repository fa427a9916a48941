//! The role of a rank in a collective with a root.
//!
//! In an intra-communicator all ranks pass the root's rank, and the root exchanges data with all of them. In an
//! inter-communicator the root passes `MPI_ROOT`, and the other ranks of its group pass `MPI_PROC_NULL`; the ranks of
//! the other group, with which the root exchanges data, pass its rank. A rank that passes `MPI_PROC_NULL` knows neither
//! the root nor the operation of a reduction, so the other ranks do the work.

use super::Collective;
use crate::collective::{Buffers, Call, Task};
use crate::comm::{Comm, check};
use crate::constants::{PROC_NULL, ROOT};
use crate::error::Result;
use crate::op::Op;
use simurgh_settings::rules::Operation;

/// The role of a rank in a collective with a root.
#[derive(Clone, Copy, Debug)]
pub struct Role {
    /// The root as the rank passes it.
    passed: i32,
    /// The root's seat; `None` if the rank passes `MPI_PROC_NULL`.
    seat: Option<usize>,
    is_root: bool,
    is_member: bool,
    between_groups: bool,
}

/// A collective with a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rooted {
    /// `MPI_Bcast`.
    Bcast,
    /// `MPI_Gather` and `MPI_Gatherv`.
    Gather,
    /// `MPI_Scatter` and `MPI_Scatterv`.
    Scatter,
    /// `MPI_Reduce`.
    Reduce,
}

impl Role {
    /// Whether the rank is the root.
    #[inline]
    #[must_use]
    pub fn is_root(self) -> bool {
        self.is_root
    }

    /// Whether the root exchanges data with the rank: with all ranks, or with those of the other group.
    #[inline]
    #[must_use]
    pub fn is_member(self) -> bool {
        self.is_member
    }

    /// Whether the rank passes `MPI_PROC_NULL`: it is in the root's group of an inter-communicator, is not the root,
    /// and has no data.
    #[inline]
    #[must_use]
    pub fn is_proc_null(self) -> bool {
        self.seat.is_none()
    }

    /// The root's seat; `None` if the rank passes `MPI_PROC_NULL`.
    #[inline]
    pub(crate) fn seat(self) -> Option<usize> {
        self.seat
    }

    /// The call of a rank in this role.
    #[inline]
    pub(crate) fn call(self, rooted: Rooted) -> Call {
        match self.seat {
            Some(seat) if !self.between_groups => rooted.call().at(seat),
            _ => rooted.call().between_groups(self.passed),
        }
    }
}

impl Rooted {
    fn call(self) -> Call {
        match self {
            Self::Bcast => Call::BCAST,
            Self::Gather => Call::GATHER,
            Self::Scatter => Call::SCATTER,
            Self::Reduce => Call::REDUCE,
        }
    }

    fn operation(self) -> Operation {
        match self {
            Self::Bcast => Operation::Bcast,
            Self::Gather => Operation::Gather,
            Self::Scatter => Operation::Scatter,
            Self::Reduce => Operation::Reduce,
        }
    }
}

impl Comm {
    /// The role of this rank in a collective with this root.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Root`](crate::ErrorClass::Root) unless the root is a rank of the communicator, or, for an
    /// inter-communicator, a rank of the remote group, `MPI_ROOT` or `MPI_PROC_NULL`.
    #[inline]
    pub fn role(&self, root: i32) -> Result<Role> {
        check::root(root, self)?;
        if self.is_inter() {
            return Ok(self.role_between_groups(root));
        }
        Ok(Role {
            passed: root,
            seat: Some(root as usize),
            is_root: root == self.rank(),
            is_member: true,
            between_groups: false,
        })
    }

    fn role_between_groups(&self, root: i32) -> Role {
        let seat = match root {
            ROOT => Some(self.seat()),
            PROC_NULL => None,
            rank => Some(self.group_sizes().peers_of(self.seat()).start + rank as usize),
        };
        Role {
            passed: root,
            seat,
            is_root: root == ROOT,
            is_member: root >= 0,
            between_groups: true,
        }
    }

    /// Takes part as a rank that passes `MPI_PROC_NULL`: it is in the root's group of an inter-communicator without
    /// being the root.
    pub fn pass_proc_null(&self, rooted: Rooted, op: Option<Op>) -> Collective<'_> {
        let (call, operation) = (rooted.call().between_groups(PROC_NULL), rooted.operation());
        Collective::new(self, call, Buffers::NONE, Task::ProcNull { operation, op }).lending(false)
    }
}
