//! Collective calls that combine data (sections 6.9 to 6.11 of the standard).
//!
//! Every rank makes the same call with the same number of values. The values are combined one by one in rank order, so
//! the result does not depend on how the ranks were scheduled.

use simurgh_mpi::Result;
use simurgh_mpi::constants::UNDEFINED;
use simurgh_typed as typed;

use super::Communicator;
use crate::activity::Call;
use crate::{BufferMut, Equivalence, Op};

impl Communicator {
    /// Combines the ranks' values at the root (`MPI_Reduce`). `received` means something at the root only.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Root`](crate::ErrorClass::Root) if there is no such rank, or ranks name different ones;
    /// [`ErrorClass::Truncate`](crate::ErrorClass::Truncate) if ranks bring different numbers of values.
    ///
    /// # Panics
    ///
    /// When the function of `op` has panicked at this rank.
    pub fn reduce<B: BufferMut + ?Sized>(
        &self,
        sent: &B,
        received: &mut B,
        op: &Op<B::Item>,
        root: usize,
    ) -> Result<()> {
        let (root, _inside) = self.enter_at(Call::Reduce, root);
        typed::reduce(&self.comm, sent.values(), received.values_mut(), &op.0, root)?.run()
    }

    /// Combines the ranks' values at all ranks (`MPI_Allreduce`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Truncate`](crate::ErrorClass::Truncate) if ranks bring different numbers of values.
    ///
    /// # Panics
    ///
    /// As [`reduce`](Self::reduce).
    ///
    /// ```
    /// # use simurgh::Op;
    /// # simurgh::Builder::new().ranks(6).run(|world| {
    /// let (mine, mut largest) = (world.rank() as f64, f64::NAN);
    /// world.all_reduce(&mine, &mut largest, &Op::max())?;
    /// assert_eq!(largest, 5.0);
    /// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    #[inline]
    pub fn all_reduce<B: BufferMut + ?Sized>(
        &self,
        sent: &B,
        received: &mut B,
        op: &Op<B::Item>,
    ) -> Result<()> {
        let _inside = self.enter(Call::AllReduce, UNDEFINED, UNDEFINED);
        let sent = Some(sent.values().into());
        typed::all_reduce(&self.comm, sent, received.values_mut(), &op.0)?.run()
    }

    /// Replaces the ranks' values by their combination (`MPI_Allreduce` with `MPI_IN_PLACE`).
    ///
    /// # Errors
    ///
    /// As [`all_reduce`](Self::all_reduce).
    ///
    /// # Panics
    ///
    /// As [`reduce`](Self::reduce).
    pub fn all_reduce_in_place<B: BufferMut + ?Sized>(&self, data: &mut B, op: &Op<B::Item>) -> Result<()> {
        let _inside = self.enter(Call::AllReduce, UNDEFINED, UNDEFINED);
        typed::all_reduce(&self.comm, None, data.values_mut(), &op.0)?.run()
    }

    /// Combines the ranks' values and gives each rank an equal part of the result
    /// (`MPI_Reduce_scatter_block`): `sent` is `size` times as long as `received`.
    ///
    /// # Errors
    ///
    /// As [`all_reduce`](Self::all_reduce); [`ErrorClass::Count`](crate::ErrorClass::Count) if the lengths are others.
    ///
    /// # Panics
    ///
    /// As [`reduce`](Self::reduce).
    pub fn reduce_scatter_block<T: Equivalence>(
        &self,
        sent: &[T],
        received: &mut [T],
        op: &Op<T>,
    ) -> Result<()> {
        let _inside = self.enter(Call::ReduceScatter, UNDEFINED, UNDEFINED);
        typed::reduce_scatter_block(&self.comm, sent, received, &op.0)?.run()
    }

    /// Combines the ranks' values and gives `counts[r]` of the results to rank `r` (`MPI_Reduce_scatter`).
    ///
    /// # Errors
    ///
    /// As [`all_reduce`](Self::all_reduce); [`ErrorClass::Count`](crate::ErrorClass::Count) unless there is a count for
    /// each rank, this rank's is the length of `received`, and all of them add up to that of `sent`.
    ///
    /// # Panics
    ///
    /// As [`reduce`](Self::reduce).
    pub fn reduce_scatter<T: Equivalence>(
        &self,
        sent: &[T],
        received: &mut [T],
        counts: &[usize],
        op: &Op<T>,
    ) -> Result<()> {
        let _inside = self.enter(Call::ReduceScatter, UNDEFINED, UNDEFINED);
        typed::reduce_scatter(&self.comm, sent, received, counts, &op.0)?.run()
    }

    /// Combines at each rank the values of the ranks up to and including it (`MPI_Scan`).
    ///
    /// # Errors
    ///
    /// As [`all_reduce`](Self::all_reduce).
    ///
    /// # Panics
    ///
    /// As [`reduce`](Self::reduce).
    pub fn scan<B: BufferMut + ?Sized>(&self, sent: &B, received: &mut B, op: &Op<B::Item>) -> Result<()> {
        let _inside = self.enter(Call::Scan, UNDEFINED, UNDEFINED);
        typed::scan(&self.comm, sent.values(), received.values_mut(), &op.0)?.run()
    }

    /// Combines at each rank the values of the ranks before it (`MPI_Exscan`). At rank 0 `received` stays as it is.
    ///
    /// # Errors
    ///
    /// As [`all_reduce`](Self::all_reduce).
    ///
    /// # Panics
    ///
    /// As [`reduce`](Self::reduce).
    pub fn exscan<B: BufferMut + ?Sized>(&self, sent: &B, received: &mut B, op: &Op<B::Item>) -> Result<()> {
        let _inside = self.enter(Call::Exscan, UNDEFINED, UNDEFINED);
        typed::exscan(&self.comm, sent.values(), received.values_mut(), &op.0)?.run()
    }
}
