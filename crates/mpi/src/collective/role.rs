//! The check of what the ranks of an inter-communicator pass as root.

use super::call::Call;
use crate::constants::{PROC_NULL, ROOT};
use crate::error::{Error, ErrorClass, Result};
use crate::members::GroupSizes;

/// Compares the calls of the ranks of an inter-communicator in a collective with a root.
///
/// # Errors
///
/// [`ErrorClass::Root`] if they do not name one root, [`ErrorClass::Op`] if they combine by different operations.
pub(crate) fn check_between_groups(call: impl Fn(usize) -> Call, group_sizes: GroupSizes) -> Result<()> {
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

/// Checks what the ranks of two groups pass as root: one rank is the root, whose seat this function returns, and the
/// others name it.
pub(crate) fn check_roots(passed: impl Fn(usize) -> Option<i32>, group_sizes: GroupSizes) -> Result<usize> {
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
    fn one_rank_is_the_root_and_all_others_name_it() {
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
