//! Collective calls that combine data.

use super::collective::is_root;
use super::operator::rethrow;
use super::parts::total;
use super::{Equivalence, Operator, Prepared, Received, Sent, whole};
use simurgh_datatype::Datatype;
use simurgh_datatype::memory::{Numbers, Source, Target};
use simurgh_datatype::op::Op;
use simurgh_mpi::Collective;
use simurgh_mpi::Comm;
use simurgh_mpi::{Error, ErrorClass, Result};

/// Combines the ranks' values at the root ([`Comm::reduce`]). The root of an inter-communicator has none to be
/// combined.
///
/// # Errors
///
/// As the call of the communicator.
pub fn reduce<'a, T: Equivalence>(
    comm: &'a Comm,
    sent: impl Into<Sent<'a, T>>,
    received: impl Into<Received<'a, T>>,
    op: &Operator<T>,
    root: i32,
) -> Result<Prepared<'a, T>> {
    let takes_only = comm.is_inter() && is_root(comm, root);
    let sent = (!takes_only).then(|| sent.into());
    combining(sent, received.into(), op, |sent, received, op| {
        comm.reduce(sent, Some(received), op, root)
    })
}

/// Combines the ranks' values at all ranks ([`Comm::allreduce`]). Without `sent`, the rank's own values are in
/// `received`.
///
/// # Errors
///
/// As the call of the communicator.
#[inline]
pub fn all_reduce<'a, T: Equivalence>(
    comm: &'a Comm,
    sent: Option<Sent<'a, T>>,
    received: impl Into<Received<'a, T>>,
    op: &Operator<T>,
) -> Result<Prepared<'a, T>> {
    combining(sent, received.into(), op, |sent, received, op| {
        comm.allreduce(sent, received, op)
    })
}

/// Combines the ranks' values and gives each rank an equal part ([`Comm::reduce_scatter_block`]).
///
/// # Errors
///
/// As the call of the communicator; [`ErrorClass::Count`] unless `sent` has as many parts of the length of
/// `received` as there are ranks.
pub fn reduce_scatter_block<'a, T: Equivalence>(
    comm: &'a Comm,
    sent: impl Into<Sent<'a, T>>,
    received: impl Into<Received<'a, T>>,
    op: &Operator<T>,
) -> Result<Prepared<'a, T>> {
    let (sent, received) = (sent.into(), received.into());
    if received.len().checked_mul(comm.size()) != Some(sent.len()) {
        let (size, part, all) = (comm.size(), received.len(), sent.len());
        let message = format!("{all} values to be combined are not {size} parts of {part} values");
        return Err(Error::new(ErrorClass::Count, message));
    }
    combining(Some(sent), received, op, |sent, received, op| {
        comm.reduce_scatter_block(sent, received, received.count(), op)
    })
}

/// Combines the ranks' values and gives `counts[r]` of the results to rank `r` ([`Comm::reduce_scatter`]).
///
/// # Errors
///
/// As the call of the communicator; [`ErrorClass::Count`] unless there is a count for each rank, this rank's is the
/// length of `received`, and all of them add up to that of `sent`.
pub fn reduce_scatter<'a, T: Equivalence>(
    comm: &'a Comm,
    sent: impl Into<Sent<'a, T>>,
    received: impl Into<Received<'a, T>>,
    counts: &[usize],
    op: &Operator<T>,
) -> Result<Prepared<'a, T>> {
    let (sent, received) = (sent.into(), received.into());
    check_counts(comm, (sent.len(), received.len()), counts)?;
    let counts = counts_of_elements(counts, op);
    combining(Some(sent), received, op, |sent, received, op| {
        comm.reduce_scatter(sent, received, counts, op)
    })
}

/// Combines at each rank the values of the ranks up to it ([`Comm::scan`]).
///
/// # Errors
///
/// As the call of the communicator.
pub fn scan<'a, T: Equivalence>(
    comm: &'a Comm,
    sent: impl Into<Sent<'a, T>>,
    received: impl Into<Received<'a, T>>,
    op: &Operator<T>,
) -> Result<Prepared<'a, T>> {
    combining(Some(sent.into()), received.into(), op, |sent, received, op| {
        comm.scan(sent, received, op)
    })
}

/// Combines at each rank the values of the ranks before it ([`Comm::exscan`]).
///
/// # Errors
///
/// As the call of the communicator.
pub fn exscan<'a, T: Equivalence>(
    comm: &'a Comm,
    sent: impl Into<Sent<'a, T>>,
    received: impl Into<Received<'a, T>>,
    op: &Operator<T>,
) -> Result<Prepared<'a, T>> {
    combining(Some(sent.into()), received.into(), op, |sent, received, op| {
        comm.exscan(sent, received, op)
    })
}

/// A collective that combines values.
#[inline]
pub(super) fn combining<'a, T: Equivalence>(
    sent: Option<Sent<'a, T>>,
    received: Received<'a, T>,
    op: &Operator<T>,
    make: impl FnOnce(Option<&Source>, &Target, &Op) -> Result<Collective<'a>>,
) -> Result<Prepared<'a, T>> {
    let operands = Operands::new(op);
    let prepared = Prepared::new(received, |received| {
        // SAFETY:
        // - `Prepared` keeps the values lent until the collective is complete.
        let (sent, received) = unsafe {
            let sent = sent.map(|sent| operands.source(sent));
            (sent, operands.target(received))
        };
        make(sent.as_ref(), &received, op.op())
    });
    Ok(prepared?.with(op))
}

/// The number of elements that a value has for an operation.
pub(super) fn elements_of<T: Equivalence>(op: &Operator<T>) -> usize {
    Operands::new(op).elements
}

/// The same for several numbers of values.
pub(super) fn counts_of_elements<T: Equivalence>(counts: &[usize], op: &Operator<T>) -> Numbers {
    let elements = elements_of(op);
    counts.iter().map(|count| (count * elements) as i64).collect()
}

/// Combines two vectors of values of this rank: each of `values` becomes its combination with that of `earlier`, which
/// is the left operand ([`Op::reduce`]).
///
/// # Errors
///
/// [`ErrorClass::Count`] if there are not as many of both; [`ErrorClass::Op`] for an operation that is not defined on
/// the values.
///
/// # Panics
///
/// If the function of the operation panics.
pub fn reduce_local<T: Equivalence>(earlier: &[T], values: &mut [T], op: &Operator<T>) -> Result<()> {
    let (left, right) = (earlier.len(), values.len());
    if left != right {
        let message = format!("{left} values cannot be combined with {right}");
        return Err(Error::new(ErrorClass::Count, message));
    }
    let operands = Operands::new(op);
    op.op().check(&operands.datatype)?;
    // SAFETY:
    // - both are borrowed until the operation is over, which it is when it returns.
    let result = unsafe {
        let (input, inout) = (operands.source(earlier.into()), operands.target(&values.into()));
        op.op().reduce(&input, &inout)
    };
    rethrow(op.panicked());
    result
}

/// Checks the counts of a reduction: `sent` values go in, and this rank's part has `received`.
fn check_counts(comm: &Comm, (sent, received): (usize, usize), counts: &[usize]) -> Result<()> {
    let rank = comm.rank() as usize;
    let each = counts.len() == comm.size();
    if each && counts[rank] == received && total(counts) == Some(sent) {
        return Ok(());
    }
    let message = format!(
        "the counts {counts:?} do not fit {sent} values to be combined, of which rank {rank} gets {received}"
    );
    Err(Error::new(ErrorClass::Count, message))
}

/// The operands as the operation sees them. An operation of the standard works on the elements of an array, a function
/// of the user on whole values.
struct Operands {
    datatype: Datatype,
    elements: usize,
}

impl Operands {
    #[inline]
    fn new<T: Equivalence>(op: &Operator<T>) -> Self {
        if op.takes_whole_values() {
            Self {
                datatype: whole::<T>(),
                elements: 1,
            }
        } else {
            Self {
                datatype: T::datatype(),
                elements: T::COUNT,
            }
        }
    }

    /// # Safety
    ///
    /// * The values stay lent until the operations that get the source are complete.
    #[inline]
    unsafe fn source<T: Equivalence>(&self, values: Sent<'_, T>) -> Source {
        let count = values.len() * self.elements;
        // SAFETY:
        // - the values are that many elements, readable while they are lent.
        unsafe { Source::new(values.address().cast(), count, self.datatype.clone()) }
    }

    /// # Safety
    ///
    /// * As for `source`, and nobody uses the values until then.
    #[inline]
    unsafe fn target<T: Equivalence>(&self, values: &Received<'_, T>) -> Target {
        let count = values.len() * self.elements;
        // SAFETY:
        // - the values are that many elements, writable while they are lent.
        unsafe { Target::new(values.address().cast(), count, self.datatype.clone()) }
    }
}
