//! Collective calls whose ranks have what they bring where they get the result (`MPI_IN_PLACE`, sections 6.4 to 6.11 of
//! the standard).
//!
//! [`Communicator::all_reduce_in_place`] is among the reductions.

use simurgh_mpi::Result;
use simurgh_mpi::constants::UNDEFINED;
use simurgh_typed as typed;

use super::Communicator;
use crate::activity::Call;
use crate::{BufferMut, Equivalence, Op};

impl Communicator {
    /// [`gather`](Self::gather), where the root has its own part in its place among those that it receives. Other ranks
    /// give what they send.
    ///
    /// # Errors
    ///
    /// As [`gather`](Self::gather).
    ///
    /// ```
    /// # simurgh::Builder::new().ranks(3).run(|world| {
    /// let mut values = vec![world.rank(); if world.rank() == 1 { 3 } else { 1 }];
    /// world.gather_in_place(&mut values, 1)?;
    /// assert!(world.rank() != 1 || values == [0, 1, 2]);
    /// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    pub fn gather_in_place<T: Equivalence>(&self, values: &mut [T], root: usize) -> Result<()> {
        let (root, _inside) = self.enter_at(Call::Gather, root);
        typed::gather_in_place(&self.comm, values, root)?.run()
    }

    /// [`scatter`](Self::scatter), where the root leaves its own part in its place among those that it sends. Other
    /// ranks give what they receive into.
    ///
    /// # Errors
    ///
    /// As [`scatter`](Self::scatter).
    pub fn scatter_in_place<T: Equivalence>(&self, values: &mut [T], root: usize) -> Result<()> {
        let (root, _inside) = self.enter_at(Call::Scatter, root);
        typed::scatter_in_place(&self.comm, values, root)?.run()
    }

    /// [`all_gather`](Self::all_gather), where each rank has its own part in its place.
    ///
    /// # Errors
    ///
    /// As [`all_gather`](Self::all_gather).
    ///
    /// ```
    /// # simurgh::Builder::new().ranks(3).run(|world| {
    /// let mut squares = [0; 3];
    /// squares[world.rank()] = world.rank() * world.rank();
    /// world.all_gather_in_place(&mut squares)?;
    /// assert_eq!(squares, [0, 1, 4]);
    /// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    pub fn all_gather_in_place<T: Equivalence>(&self, values: &mut [T]) -> Result<()> {
        let _inside = self.enter(Call::AllGather, UNDEFINED, UNDEFINED);
        typed::all_gather_in_place(&self.comm, values)?.run()
    }

    /// [`all_gatherv`](Self::all_gatherv), where each rank has its own part in its place.
    ///
    /// # Errors
    ///
    /// As [`all_gatherv`](Self::all_gatherv).
    pub fn all_gatherv_in_place<T: Equivalence>(&self, values: &mut [T], counts: &[usize]) -> Result<()> {
        let _inside = self.enter(Call::AllGather, UNDEFINED, UNDEFINED);
        typed::all_gatherv_in_place(&self.comm, values, counts)?.run()
    }

    /// [`all_to_all`](Self::all_to_all), where the part for each rank is replaced by the part from it.
    ///
    /// # Errors
    ///
    /// As [`all_to_all`](Self::all_to_all).
    pub fn all_to_all_in_place<T: Equivalence>(&self, values: &mut [T]) -> Result<()> {
        let _inside = self.enter(Call::AllToAll, UNDEFINED, UNDEFINED);
        typed::all_to_all_in_place(&self.comm, values)?.run()
    }

    /// [`all_to_allv`](Self::all_to_allv), where the `counts[r]` values for rank `r` are replaced by as many from it.
    ///
    /// # Errors
    ///
    /// As [`all_to_allv`](Self::all_to_allv).
    pub fn all_to_allv_in_place<T: Equivalence>(&self, values: &mut [T], counts: &[usize]) -> Result<()> {
        let _inside = self.enter(Call::AllToAll, UNDEFINED, UNDEFINED);
        typed::all_to_allv_in_place(&self.comm, values, counts)?.run()
    }

    /// [`reduce`](Self::reduce), which replaces the root's values. Those of other ranks stay as they are.
    ///
    /// # Errors
    ///
    /// As [`reduce`](Self::reduce).
    ///
    /// # Panics
    ///
    /// As [`reduce`](Self::reduce).
    pub fn reduce_in_place<B: BufferMut + ?Sized>(
        &self,
        data: &mut B,
        op: &Op<B::Item>,
        root: usize,
    ) -> Result<()> {
        let (root, _inside) = self.enter_at(Call::Reduce, root);
        typed::reduce_in_place(&self.comm, data.values_mut(), &op.0, root)?.run()
    }

    /// [`reduce_scatter_block`](Self::reduce_scatter_block), which replaces the first of the values by this rank's part
    /// of the result. The others mean nothing afterwards.
    ///
    /// # Errors
    ///
    /// As [`reduce_scatter_block`](Self::reduce_scatter_block).
    ///
    /// # Panics
    ///
    /// As [`reduce`](Self::reduce).
    pub fn reduce_scatter_block_in_place<T: Equivalence>(&self, values: &mut [T], op: &Op<T>) -> Result<()> {
        let _inside = self.enter(Call::ReduceScatter, UNDEFINED, UNDEFINED);
        typed::reduce_scatter_block_in_place(&self.comm, values, &op.0)?.run()
    }

    /// [`reduce_scatter`](Self::reduce_scatter), which replaces the first `counts[rank]` values by this rank's part of
    /// the result. The others mean nothing afterwards.
    ///
    /// # Errors
    ///
    /// As [`reduce_scatter`](Self::reduce_scatter).
    ///
    /// # Panics
    ///
    /// As [`reduce`](Self::reduce).
    pub fn reduce_scatter_in_place<T: Equivalence>(
        &self,
        values: &mut [T],
        counts: &[usize],
        op: &Op<T>,
    ) -> Result<()> {
        let _inside = self.enter(Call::ReduceScatter, UNDEFINED, UNDEFINED);
        typed::reduce_scatter_in_place(&self.comm, values, counts, &op.0)?.run()
    }

    /// [`scan`](Self::scan), which replaces the values by the result.
    ///
    /// # Errors
    ///
    /// As [`scan`](Self::scan).
    ///
    /// # Panics
    ///
    /// As [`reduce`](Self::reduce).
    pub fn scan_in_place<B: BufferMut + ?Sized>(&self, data: &mut B, op: &Op<B::Item>) -> Result<()> {
        let _inside = self.enter(Call::Scan, UNDEFINED, UNDEFINED);
        typed::scan_in_place(&self.comm, data.values_mut(), &op.0)?.run()
    }

    /// [`exscan`](Self::exscan), which replaces the values by the result. At rank 0 they stay as they are.
    ///
    /// # Errors
    ///
    /// As [`exscan`](Self::exscan).
    ///
    /// # Panics
    ///
    /// As [`reduce`](Self::reduce).
    pub fn exscan_in_place<B: BufferMut + ?Sized>(&self, data: &mut B, op: &Op<B::Item>) -> Result<()> {
        let _inside = self.enter(Call::Exscan, UNDEFINED, UNDEFINED);
        typed::exscan_in_place(&self.comm, data.values_mut(), &op.0)?.run()
    }
}
