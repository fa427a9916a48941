//! Nonblocking collectives that combine data.

use simurgh_mpi::Result;
use simurgh_typed as typed;

use super::{CollectiveRequest, Scope};
use crate::peer::raw_rank;
use crate::{BufferMut, Equivalence, Op};

impl<'scope, 'env> Scope<'scope, 'env> {
    /// Starts to combine the ranks' values at the root (`MPI_Ireduce`).
    ///
    /// # Errors
    ///
    /// As [`Communicator::reduce`](crate::Communicator::reduce).
    pub fn ireduce<B: BufferMut + ?Sized>(
        &self,
        sent: &'scope B,
        received: &'scope mut B,
        op: &Op<B::Item>,
        root: usize,
    ) -> Result<CollectiveRequest<'scope, 'env, B::Item>> {
        let (sent, received) = (sent.values(), received.values_mut());
        self.start(typed::reduce(self.comm(), sent, received, &op.0, raw_rank(root))?)
    }

    /// Starts to combine the ranks' values at all ranks (`MPI_Iallreduce`).
    ///
    /// # Errors
    ///
    /// As [`Communicator::all_reduce`](crate::Communicator::all_reduce).
    ///
    /// ```
    /// # use simurgh::Op;
    /// # simurgh::Builder::new().ranks(6).run(|world| {
    /// let (mine, mut largest) = (world.rank() as f64, f64::NAN);
    /// world.scope(|scope| {
    ///     let request = scope.iall_reduce(&mine, &mut largest, &Op::max())?;
    ///     // Other work goes here.
    ///     assert_eq!(request.wait()?, [5.0]);
    ///     Ok(())
    /// })
    /// # })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    pub fn iall_reduce<B: BufferMut + ?Sized>(
        &self,
        sent: &'scope B,
        received: &'scope mut B,
        op: &Op<B::Item>,
    ) -> Result<CollectiveRequest<'scope, 'env, B::Item>> {
        let (sent, received) = (Some(sent.values().into()), received.values_mut());
        self.start(typed::all_reduce(self.comm(), sent, received, &op.0)?)
    }

    /// Starts to replace the ranks' values by their combination (`MPI_Iallreduce` with `MPI_IN_PLACE`).
    ///
    /// # Errors
    ///
    /// As [`Communicator::all_reduce`](crate::Communicator::all_reduce).
    pub fn iall_reduce_in_place<B: BufferMut + ?Sized>(
        &self,
        data: &'scope mut B,
        op: &Op<B::Item>,
    ) -> Result<CollectiveRequest<'scope, 'env, B::Item>> {
        self.start(typed::all_reduce(self.comm(), None, data.values_mut(), &op.0)?)
    }

    /// Starts to combine the ranks' values and to give each rank an equal part (`MPI_Ireduce_scatter_block`).
    ///
    /// # Errors
    ///
    /// As [`Communicator::reduce_scatter_block`](crate::Communicator::reduce_scatter_block).
    pub fn ireduce_scatter_block<T: Equivalence>(
        &self,
        sent: &'scope [T],
        received: &'scope mut [T],
        op: &Op<T>,
    ) -> Result<CollectiveRequest<'scope, 'env, T>> {
        self.start(typed::reduce_scatter_block(self.comm(), sent, received, &op.0)?)
    }

    /// Starts to combine the ranks' values and to give `counts[r]` of the results to rank `r` (`MPI_Ireduce_scatter`).
    ///
    /// # Errors
    ///
    /// As [`Communicator::reduce_scatter`](crate::Communicator::reduce_scatter).
    pub fn ireduce_scatter<T: Equivalence>(
        &self,
        sent: &'scope [T],
        received: &'scope mut [T],
        counts: &[usize],
        op: &Op<T>,
    ) -> Result<CollectiveRequest<'scope, 'env, T>> {
        self.start(typed::reduce_scatter(self.comm(), sent, received, counts, &op.0)?)
    }

    /// Starts to combine at each rank the values of the ranks up to and including it (`MPI_Iscan`).
    ///
    /// # Errors
    ///
    /// As [`Communicator::scan`](crate::Communicator::scan).
    pub fn iscan<B: BufferMut + ?Sized>(
        &self,
        sent: &'scope B,
        received: &'scope mut B,
        op: &Op<B::Item>,
    ) -> Result<CollectiveRequest<'scope, 'env, B::Item>> {
        let (sent, received) = (sent.values(), received.values_mut());
        self.start(typed::scan(self.comm(), sent, received, &op.0)?)
    }

    /// Starts to combine at each rank the values of the ranks before it; at rank 0 `received` stays as it is
    /// (`MPI_Iexscan`).
    ///
    /// # Errors
    ///
    /// As [`Communicator::exscan`](crate::Communicator::exscan).
    pub fn iexscan<B: BufferMut + ?Sized>(
        &self,
        sent: &'scope B,
        received: &'scope mut B,
        op: &Op<B::Item>,
    ) -> Result<CollectiveRequest<'scope, 'env, B::Item>> {
        let (sent, received) = (sent.values(), received.values_mut());
        self.start(typed::exscan(self.comm(), sent, received, &op.0)?)
    }
}
