//! Collectives whose ranks have what they bring where they get the result (`MPI_IN_PLACE`).

use super::collective::is_root;
use super::parts::{even_sources, even_targets, share, targets, total};
use super::reduction::{combining, counts_of_elements, elements_of};
use super::{Equivalence, Operator, Prepared, Received};
use simurgh_mpi::Comm;
use simurgh_mpi::{Error, ErrorClass, Result};

/// Collects equal parts at the root, whose own part is in its place already ([`Comm::gather`]). Other ranks have their
/// part only.
///
/// # Errors
///
/// As the call of the communicator; [`ErrorClass::Count`] if the root's values cannot be cut into a part for each rank.
pub fn gather_in_place<'a, T: Equivalence>(
    comm: &'a Comm,
    values: impl Into<Received<'a, T>>,
    root: i32,
) -> Result<Prepared<'a, T>> {
    Prepared::new(values.into(), |values| {
        // SAFETY:
        // - `Prepared` keeps the values lent until the collective is complete.
        unsafe {
            match is_root(comm, root) {
                true => comm.gather(None, Some(even_targets(values, comm.peers())?), root),
                false => comm.gather(Some(&values.target().as_source()), None, root),
            }
        }
    })
}

/// Gives equal parts of the root's values to the ranks; the root's own part stays in its place ([`Comm::scatter`]).
/// Other ranks have their part only.
///
/// # Errors
///
/// As [`gather_in_place`].
pub fn scatter_in_place<'a, T: Equivalence>(
    comm: &'a Comm,
    values: impl Into<Received<'a, T>>,
    root: i32,
) -> Result<Prepared<'a, T>> {
    Prepared::new(values.into(), |values| {
        // SAFETY:
        // - `Prepared` keeps the values lent until the collective is complete; the root's are read only.
        unsafe {
            match is_root(comm, root) {
                true => comm.scatter(Some(even_sources(values.as_sent(), comm.peers())?), None, root),
                false => comm.scatter(None, Some(&values.target()), root),
            }
        }
    })
}

/// Collects equal parts at all ranks, each of which has its own part in its place ([`Comm::allgather`]).
///
/// # Errors
///
/// As the call of the communicator; [`ErrorClass::Count`] if the values cannot be cut into a part for each rank.
pub fn all_gather_in_place<'a, T: Equivalence>(
    comm: &'a Comm,
    values: impl Into<Received<'a, T>>,
) -> Result<Prepared<'a, T>> {
    Prepared::new(values.into(), |values| {
        // SAFETY:
        // - `Prepared` keeps the values lent until the collective is complete.
        comm.allgather(None, unsafe { even_targets(values, comm.peers())? })
    })
}

/// [`all_gather_in_place`] with a separate number of values from each rank.
///
/// # Errors
///
/// As the call of the communicator; [`ErrorClass::Count`] if the `counts` do not fit the ranks or the values.
pub fn all_gatherv_in_place<'a, T: Equivalence>(
    comm: &'a Comm,
    values: impl Into<Received<'a, T>>,
    counts: &[usize],
) -> Result<Prepared<'a, T>> {
    Prepared::new(values.into(), |values| {
        // SAFETY:
        // - `Prepared` keeps the values lent until the collective is complete.
        comm.allgather(None, unsafe { targets(values, counts, comm.peers())? })
    })
}

/// Replaces the part for each rank by the part from it ([`Comm::alltoall`]).
///
/// # Errors
///
/// As [`all_gather_in_place`].
pub fn all_to_all_in_place<'a, T: Equivalence>(
    comm: &'a Comm,
    values: impl Into<Received<'a, T>>,
) -> Result<Prepared<'a, T>> {
    Prepared::new(values.into(), |values| {
        // SAFETY:
        // - `Prepared` keeps the values lent until the collective is complete.
        comm.alltoall(None, unsafe { even_targets(values, comm.peers())? })
    })
}

/// [`all_to_all_in_place`] with a separate number of values for, and from, each rank.
///
/// # Errors
///
/// As [`all_gatherv_in_place`].
pub fn all_to_allv_in_place<'a, T: Equivalence>(
    comm: &'a Comm,
    values: impl Into<Received<'a, T>>,
    counts: &[usize],
) -> Result<Prepared<'a, T>> {
    Prepared::new(values.into(), |values| {
        // SAFETY:
        // - `Prepared` keeps the values lent until the collective is complete.
        comm.alltoall(None, unsafe { targets(values, counts, comm.peers())? })
    })
}

/// Replaces the root's values by the combination of all ranks' ([`Comm::reduce`]).
///
/// # Errors
///
/// As the call of the communicator.
pub fn reduce_in_place<'a, T: Equivalence>(
    comm: &'a Comm,
    values: impl Into<Received<'a, T>>,
    op: &Operator<T>,
    root: i32,
) -> Result<Prepared<'a, T>> {
    combining(None, values.into(), op, |_, values, op| {
        match is_root(comm, root) {
            true => comm.reduce(None, Some(values), op, root),
            false => comm.reduce(Some(&values.as_source()), None, op, root),
        }
    })
}

/// Replaces the first of the values by this rank's equal part of the combination of all ranks'
/// ([`Comm::reduce_scatter_block`]).
///
/// # Errors
///
/// As the call of the communicator; [`ErrorClass::Count`] if the values cannot be cut into a part for each rank.
pub fn reduce_scatter_block_in_place<'a, T: Equivalence>(
    comm: &'a Comm,
    values: impl Into<Received<'a, T>>,
    op: &Operator<T>,
) -> Result<Prepared<'a, T>> {
    let values = values.into();
    let part = share(comm.size(), values.len())?;
    combining(None, values, op, |_, values, op_of_engine| {
        comm.reduce_scatter_block(None, values, part * elements_of(op), op_of_engine)
    })
}

/// Replaces the first of the values by this rank's part of the combination of all ranks', of which `counts[r]` go to
/// rank `r` ([`Comm::reduce_scatter`]).
///
/// # Errors
///
/// As the call of the communicator; [`ErrorClass::Count`] unless there is a count for each rank, and they add up to the
/// number of values.
pub fn reduce_scatter_in_place<'a, T: Equivalence>(
    comm: &'a Comm,
    values: impl Into<Received<'a, T>>,
    counts: &[usize],
    op: &Operator<T>,
) -> Result<Prepared<'a, T>> {
    let values = values.into();
    if counts.len() != comm.size() || total(counts) != Some(values.len()) {
        let message = format!(
            "the counts {counts:?} do not fit {} values to be combined",
            values.len()
        );
        return Err(Error::new(ErrorClass::Count, message));
    }
    let counts = counts_of_elements(counts, op);
    combining(None, values, op, |_, values, op| {
        comm.reduce_scatter(None, values, counts, op)
    })
}

/// Replaces the values by the combination of those of the ranks up to this one ([`Comm::scan`]).
///
/// # Errors
///
/// As the call of the communicator.
pub fn scan_in_place<'a, T: Equivalence>(
    comm: &'a Comm,
    values: impl Into<Received<'a, T>>,
    op: &Operator<T>,
) -> Result<Prepared<'a, T>> {
    combining(None, values.into(), op, |_, values, op| {
        comm.scan(None, values, op)
    })
}

/// Replaces the values by the combination of those of the ranks before this one ([`Comm::exscan`]).
///
/// # Errors
///
/// As the call of the communicator.
pub fn exscan_in_place<'a, T: Equivalence>(
    comm: &'a Comm,
    values: impl Into<Received<'a, T>>,
    op: &Operator<T>,
) -> Result<Prepared<'a, T>> {
    combining(None, values.into(), op, |_, values, op| {
        comm.exscan(None, values, op)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alone::alone;
    use simurgh_datatype::op::BuiltinOp;

    #[test]
    fn the_values_of_one_rank_stay_in_their_place() {
        let values = alone(|comm| {
            let (mut values, op) = ([1_u16, 2, 3], Operator::builtin(BuiltinOp::Sum));
            gather_in_place(comm, &mut values[..], 0)?.run()?;
            scatter_in_place(comm, &mut values[..], 0)?.run()?;
            all_gather_in_place(comm, &mut values[..])?.run()?;
            all_to_allv_in_place(comm, &mut values[..], &[3])?.run()?;
            reduce_in_place(comm, &mut values[..], &op, 0)?.run()?;
            reduce_scatter_in_place(comm, &mut values[..], &[3], &op)?.run()?;
            scan_in_place(comm, &mut values[..], &op)?.run()?;
            values[1] += 1;
            Ok(values)
        });
        assert_eq!(values, Ok([1, 3, 3]));
    }
}
