//! What a rank does in a collective with a root.
//!
//! In an intra-communicator all ranks name the root, and it is one of those that it exchanges data with. InterHostChoice two
//! groups the root says that it is the root, the others of its group that they stand aside, and the ranks of the other
//! group, with which it exchanges data, name it. So who stands aside does not know the root, nor the operation of a
//! reduction; the work is done by others.

use simurgh_settings::rules::Operation;

use super::call::Call;
use super::{Buffers, Collective, Task};
use crate::comm::Comm;
use crate::comm::check;
use crate::constants::{PROC_NULL, ROOT};
use crate::error::{Error, ErrorClass, Result};
use crate::members::GroupSizes;
use crate::op::Op;

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
    pub(super) fn seat(self) -> Option<usize> {
        self.seat
    }

    /// A call in this role.
    #[inline]
    pub(super) fn call(self, rooted: Rooted) -> Call {
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

/// Refuses calls with a root by ranks of two groups that do not fit together.
pub(super) fn check_between_groups(call: impl Fn(usize) -> Call, group_sizes: GroupSizes) -> Result<()> {
    if call(0).passed_root().is_none() {
        return Ok(());
    }
    let root = check_roots(|seat| call(seat).passed_root(), group_sizes)?;
    let own = call(root);
    match (0..group_sizes.seats()).find(|seat| own.combines_unlike(call(*seat))) {
        None => Ok(()),
        Some(other) => Err(own.disagreement(&group_sizes.name(root), call(other), &group_sizes.name(other))),
    }
}

/// Checks what the ranks of two groups pass as root: one rank is the root, whose seat this is, and all others know.
pub(super) fn check_roots(passed: impl Fn(usize) -> Option<i32>, group_sizes: GroupSizes) -> Result<usize> {
    let mut seats = 0..group_sizes.seats();
    let Some(root) = seats.clone().find(|seat| passed(*seat) == Some(ROOT)) else {
        return Err(no_root());
    };
    let (rank, members) = (group_sizes.rank(root) as i32, group_sizes.peers_of(root));
    let right = |seat: usize| match seat {
        _ if seat == root => ROOT,
        _ if members.contains(&seat) => rank,
        _ => PROC_NULL,
    };
    match seats.find(|seat| passed(*seat) != Some(right(*seat))) {
        None => Ok(root),
        Some(seat) => Err(wrong_root(group_sizes, root, seat)),
    }
}

#[cold]
fn no_root() -> Error {
    let reason = "no rank of the two groups passes MPI_ROOT: the root does, others of its group pass MPI_PROC_NULL, \
                  and those of the other group the root's rank";
    Error::new(ErrorClass::Root, reason)
}

#[cold]
fn wrong_root(group_sizes: GroupSizes, root: usize, seat: usize) -> Error {
    let (rank, root_name, other) = (
        group_sizes.rank(root),
        group_sizes.name(root),
        group_sizes.name(seat),
    );
    let reason = if group_sizes.peers_of(root).contains(&seat) {
        format!("{root_name} passes MPI_ROOT, but {other} does not pass root {rank}")
    } else {
        format!("{root_name} passes MPI_ROOT, but {other} does not pass MPI_PROC_NULL")
    };
    Error::new(ErrorClass::Root, reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_rank_is_the_root_and_all_others_know() {
        let check = |passed: [i32; 5]| {
            let group_sizes = GroupSizes { left: 2, right: 3 };
            check_roots(|seat| Some(passed[seat]), group_sizes).map_err(|error| error.class())
        };
        for (root, right) in [
            (0, [ROOT, PROC_NULL, 0, 0, 0]),
            (1, [PROC_NULL, ROOT, 1, 1, 1]),
            (4, [2, 2, PROC_NULL, PROC_NULL, ROOT]),
        ] {
            assert_eq!(check(right), Ok(root));
        }
        for wrong in [
            [PROC_NULL; 5],
            [0; 5],
            [ROOT; 5],
            [ROOT, PROC_NULL, 0, 1, 0],
            [ROOT, ROOT, 0, 0, 0],
            [ROOT, PROC_NULL, 0, PROC_NULL, 0],
            [1, 2, PROC_NULL, PROC_NULL, ROOT],
        ] {
            assert_eq!(check(wrong), Err(ErrorClass::Root), "{wrong:?}");
        }
    }
}
