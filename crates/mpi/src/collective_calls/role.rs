//! What a rank does in a collective with a root.
//!
//! In an intra-communicator all ranks name the root, and it is one of those that it exchanges data with. InterHostChoice two
//! groups the root says that it is the root, the others of its group that they stand aside, and the ranks of the other
//! group, with which it exchanges data, name it. So who stands aside does not know the root, nor the operation of a
//! reduction; the work is done by others.

use super::Collective;
use crate::collective::{Buffers, Call, Task};
use crate::comm::{Comm, check};
use crate::constants::{PROC_NULL, ROOT};
use crate::error::Result;
use crate::op::Op;
use simurgh_settings::rules::Operation;

/// What a rank does in a collective with a root.
#[derive(Clone, Copy, Debug)]
pub struct Role {
    /// What the rank passes as root.
    passed: i32,
    /// The root's seat, unless the rank stands aside.
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
    /// Whether it is the root.
    #[inline]
    #[must_use]
    pub fn is_root(self) -> bool {
        self.is_root
    }

    /// Whether it is one of those that the root exchanges data with: all, or the ranks of the other group.
    #[inline]
    #[must_use]
    pub fn is_member(self) -> bool {
        self.is_member
    }

    /// Whether it is in the root's group of an inter-communicator without being the root: it has no data.
    #[inline]
    #[must_use]
    pub fn is_proc_null(self) -> bool {
        self.seat.is_none()
    }

    /// The root's seat, unless the rank stands aside.
    #[inline]
    pub(crate) fn seat(self) -> Option<usize> {
        self.seat
    }

    /// A call in this role.
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
    /// What this rank does in a collective with this root.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Root`] unless the root is a rank of the communicator, or, for an
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

    /// Takes part as one who stands aside: in the root's group of an inter-communicator, without being the root.
    pub fn pass_proc_null(&self, rooted: Rooted, op: Option<Op>) -> Collective<'_> {
        let (call, operation) = (rooted.call().between_groups(PROC_NULL), rooted.operation());
        Collective::new(self, call, Buffers::NONE, Task::ProcNull { operation, op }).lending(false)
    }
}
