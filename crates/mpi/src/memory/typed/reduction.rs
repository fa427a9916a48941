//! Collective calls that combine data.

use super::{Equivalence, Operator, together, whole};
use crate::comm::Comm;
use crate::datatype::Datatype;
use crate::error::{Error, ErrorClass, Result};
use crate::memory::{Source, Target};

/// Combines the ranks' values at the root ([`Comm::reduce`]).
///
/// # Errors
///
/// As the call of the communicator.
pub fn reduce<T: Equivalence>(
    comm: &Comm,
    sent: &[T],
    received: &mut [T],
    op: &Operator<T>,
    root: i32,
) -> Result<()> {
    let operands = Operands::new(op);
    let (sent, received) = (operands.source(sent), operands.target(received));
    finish(op, || {
        comm.reduce(Some(&sent), Some(&received), op.op(), root)?.run()
    })
}

/// Combines the ranks' values at all ranks ([`Comm::allreduce`]); without `sent` they are in `received`.
///
/// # Errors
///
/// As the call of the communicator.
#[inline]
pub fn all_reduce<T: Equivalence>(
    comm: &Comm,
    sent: Option<&[T]>,
    received: &mut [T],
    op: &Operator<T>,
) -> Result<()> {
    let operands = Operands::new(op);
    let (sent, received) = (sent.map(|sent| operands.source(sent)), operands.target(received));
    finish(op, || comm.allreduce(sent.as_ref(), &received, op.op())?.run())
}

/// Combines the ranks' values and gives each rank an equal part ([`Comm::reduce_scatter_block`]).
///
/// # Errors
///
/// As the call of the communicator; [`ErrorClass::Count`] unless `sent` has as many parts of the length of
/// `received` as there are ranks.
pub fn reduce_scatter_block<T: Equivalence>(
    comm: &Comm,
    sent: &[T],
    received: &mut [T],
    op: &Operator<T>,
) -> Result<()> {
    if received.len().checked_mul(comm.size()) != Some(sent.len()) {
        let (size, part, all) = (comm.size(), received.len(), sent.len());
        let message = format!("{all} values to be combined are not {size} parts of {part} values");
        return Err(Error::new(ErrorClass::Count, message));
    }
    let operands = Operands::new(op);
    let (sent, received) = (operands.source(sent), operands.target(received));
    finish(op, || {
        comm.reduce_scatter_block(Some(&sent), &received, received.count(), op.op())?
            .run()
    })
}

/// Combines at each rank the values of the ranks up to it ([`Comm::scan`]).
///
/// # Errors
///
/// As the call of the communicator.
pub fn scan<T: Equivalence>(comm: &Comm, sent: &[T], received: &mut [T], op: &Operator<T>) -> Result<()> {
    let operands = Operands::new(op);
    let (sent, received) = (operands.source(sent), operands.target(received));
    finish(op, || comm.scan(Some(&sent), &received, op.op())?.run())
}

/// Combines at each rank the values of the ranks before it ([`Comm::exscan`]).
///
/// # Errors
///
/// As the call of the communicator.
pub fn exscan<T: Equivalence>(comm: &Comm, sent: &[T], received: &mut [T], op: &Operator<T>) -> Result<()> {
    let operands = Operands::new(op);
    let (sent, received) = (operands.source(sent), operands.target(received));
    finish(op, || comm.exscan(Some(&sent), &received, op.op())?.run())
}

/// Carries a reduction out, and goes on with the panic of the user's function, if there was one.
fn finish<T: Equivalence>(op: &Operator<T>, call: impl FnOnce() -> Result<()>) -> Result<()> {
    let result = together(call);
    op.rethrow();
    result
}

/// How the operation sees its operands: those of the standard work on the elements of an array, functions of
/// the user on whole values.
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

    #[inline]
    fn source<T: Equivalence>(&self, values: &[T]) -> Source {
        // SAFETY:
        // - the slice is that many elements; the callers complete their call while it is borrowed.
        unsafe {
            Source::new(
                values.as_ptr().cast(),
                values.len() * self.elements,
                self.datatype.clone(),
            )
        }
    }

    #[inline]
    fn target<T: Equivalence>(&self, values: &mut [T]) -> Target {
        // SAFETY:
        // - as for `source`.
        unsafe {
            Target::new(
                values.as_mut_ptr().cast(),
                values.len() * self.elements,
                self.datatype.clone(),
            )
        }
    }
}
