//! Collective calls that move data.

use super::{Equivalence, source, target, together};
use crate::comm::Comm;
use crate::error::{Error, ErrorClass, Result};
use crate::memory::{Parts, Source, Target};

/// Gives the root's values to all ([`Comm::bcast`]).
///
/// # Errors
///
/// As the call of the communicator.
pub fn broadcast<T: Equivalence>(comm: &Comm, values: &mut [T], root: i32) -> Result<()> {
    // SAFETY:
    // - the call is complete when it returns.
    let values = unsafe { target(values) };
    together(|| comm.bcast(&values, root)?.run())
}

/// Collects equal parts at the root ([`Comm::gather`]).
///
/// # Errors
///
/// As the call of the communicator; [`ErrorClass::Count`] if the root's `received` cannot be cut into a part
/// for each rank.
pub fn gather<T: Equivalence>(comm: &Comm, sent: &[T], received: &mut [T], root: i32) -> Result<()> {
    let received = at_root(comm, root, || even_targets(comm, received))?;
    // SAFETY:
    // - the call is complete when it returns.
    let sent = unsafe { source(sent) };
    together(|| comm.gather(Some(&sent), received, root)?.run())
}

/// Collects parts at the root, `counts[r]` values from rank `r` ([`Comm::gather`]).
///
/// # Errors
///
/// As the call of the communicator; [`ErrorClass::Count`] if the root's `counts` do not fit its ranks or `received`.
pub fn gatherv<T: Equivalence>(
    comm: &Comm,
    sent: &[T],
    received: &mut [T],
    counts: &[usize],
    root: i32,
) -> Result<()> {
    let received = at_root(comm, root, || targets(comm, received, counts))?;
    // SAFETY:
    // - the call is complete when it returns.
    let sent = unsafe { source(sent) };
    together(|| comm.gather(Some(&sent), received, root)?.run())
}

/// Collects equal parts at all ranks ([`Comm::allgather`]).
///
/// # Errors
///
/// As the call of the communicator; [`ErrorClass::Count`] if `received` cannot be cut into a part for each rank.
pub fn all_gather<T: Equivalence>(comm: &Comm, sent: &[T], received: &mut [T]) -> Result<()> {
    let received = even_targets(comm, received)?;
    // SAFETY:
    // - the call is complete when it returns.
    let sent = unsafe { source(sent) };
    together(|| comm.allgather(Some(&sent), received)?.run())
}

/// Collects parts at all ranks, `counts[r]` values from rank `r` ([`Comm::allgather`]).
///
/// # Errors
///
/// As the call of the communicator; [`ErrorClass::Count`] if the `counts` do not fit the ranks or `received`.
pub fn all_gatherv<T: Equivalence>(
    comm: &Comm,
    sent: &[T],
    received: &mut [T],
    counts: &[usize],
) -> Result<()> {
    let received = targets(comm, received, counts)?;
    // SAFETY:
    // - the call is complete when it returns.
    let sent = unsafe { source(sent) };
    together(|| comm.allgather(Some(&sent), received)?.run())
}

/// Gives equal parts of the root's values to the ranks ([`Comm::scatter`]).
///
/// # Errors
///
/// As the call of the communicator; [`ErrorClass::Count`] if the root's `sent` cannot be cut into a part for each rank.
pub fn scatter<T: Equivalence>(comm: &Comm, sent: &[T], received: &mut [T], root: i32) -> Result<()> {
    let sent = at_root(comm, root, || even_sources(comm, sent))?;
    // SAFETY:
    // - the call is complete when it returns.
    let received = unsafe { target(received) };
    together(|| comm.scatter(sent, Some(&received), root)?.run())
}

/// Gives parts of the root's values to the ranks, `counts[r]` values to rank `r` ([`Comm::scatter`]).
///
/// # Errors
///
/// As the call of the communicator; [`ErrorClass::Count`] if the root's `counts` do not fit its ranks or `sent`.
pub fn scatterv<T: Equivalence>(
    comm: &Comm,
    sent: &[T],
    counts: &[usize],
    received: &mut [T],
    root: i32,
) -> Result<()> {
    let sent = at_root(comm, root, || sources(comm, sent, counts))?;
    // SAFETY:
    // - the call is complete when it returns.
    let received = unsafe { target(received) };
    together(|| comm.scatter(sent, Some(&received), root)?.run())
}

/// Gives each rank its part of every rank's values ([`Comm::alltoall`]).
///
/// # Errors
///
/// As the call of the communicator; [`ErrorClass::Count`] if a slice cannot be cut into a part for each rank.
pub fn all_to_all<T: Equivalence>(comm: &Comm, sent: &[T], received: &mut [T]) -> Result<()> {
    let (sent, received) = (even_sources(comm, sent)?, even_targets(comm, received)?);
    together(|| comm.alltoall(Some(sent), received)?.run())
}

/// [`all_to_all`] with a number of values for, and from, each rank.
///
/// # Errors
///
/// As the call of the communicator; [`ErrorClass::Count`] if counts do not fit the ranks or their slice.
pub fn all_to_allv<T: Equivalence>(
    comm: &Comm,
    (sent, send_counts): (&[T], &[usize]),
    (received, receive_counts): (&mut [T], &[usize]),
) -> Result<()> {
    let sent = sources(comm, sent, send_counts)?;
    let received = targets(comm, received, receive_counts)?;
    together(|| comm.alltoall(Some(sent), received)?.run())
}

/// What only the root gives.
fn at_root<P>(comm: &Comm, root: i32, parts: impl FnOnce() -> Result<P>) -> Result<Option<P>> {
    (comm.rank() == root).then(parts).transpose()
}

/// Values of each of equal parts.
fn share(comm: &Comm, len: usize) -> Result<usize> {
    let size = comm.size();
    if len.is_multiple_of(size) {
        return Ok(len / size);
    }
    let message = format!("{len} values cannot be cut into {size} equal parts, one for each rank");
    Err(Error::new(ErrorClass::Count, message))
}

/// Checks that there is a count for each rank and that all parts, one behind the other, are inside the slice.
fn check_counts(comm: &Comm, len: usize, counts: &[usize]) -> Result<()> {
    let (size, given) = (comm.size(), counts.len());
    if given != size {
        let message = format!("{given} counts for {size} ranks: give one for each");
        return Err(Error::new(ErrorClass::Count, message));
    }
    let total = counts
        .iter()
        .try_fold(0_usize, |total, count| total.checked_add(*count));
    if total.is_some_and(|total| total <= len) {
        return Ok(());
    }
    let message = format!("the counts add up to more than the {len} values of the slice");
    Err(Error::new(ErrorClass::Count, message))
}

fn even_sources<T: Equivalence>(comm: &Comm, values: &[T]) -> Result<Parts<Source>> {
    let len = share(comm, values.len())?;
    // SAFETY:
    // - the callers complete their call while the slice is borrowed; it has as many such parts as there are ranks.
    Ok(Parts::Even(unsafe { source(values) }.slice(0, len * T::COUNT)))
}

fn even_targets<T: Equivalence>(comm: &Comm, values: &mut [T]) -> Result<Parts<Target>> {
    let len = share(comm, values.len())?;
    // SAFETY:
    // - as for `even_sources`; the address is that of the whole slice, so that it is good for all parts.
    Ok(Parts::Even(unsafe { target(values) }.slice(0, len * T::COUNT)))
}

fn sources<T: Equivalence>(comm: &Comm, values: &[T], counts: &[usize]) -> Result<Parts<Source>> {
    check_counts(comm, values.len(), counts)?;
    let mut rest = values;
    let part = |&count: &usize| {
        let part;
        (part, rest) = rest.split_at(count);
        // SAFETY:
        // - the callers complete their call while the slice is borrowed.
        unsafe { source(part) }
    };
    Ok(Parts::Each(counts.iter().map(part).collect()))
}

fn targets<T: Equivalence>(comm: &Comm, values: &mut [T], counts: &[usize]) -> Result<Parts<Target>> {
    check_counts(comm, values.len(), counts)?;
    let mut rest = values;
    let part = |&count: &usize| {
        let part;
        (part, rest) = std::mem::take(&mut rest).split_at_mut(count);
        // SAFETY:
        // - the callers complete their call while the slice is borrowed.
        unsafe { target(part) }
    };
    Ok(Parts::Each(counts.iter().map(part).collect()))
}
