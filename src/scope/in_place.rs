//! Nonblocking collectives whose ranks have what they bring where they get the result (`MPI_IN_PLACE`).

use simurgh_mpi::Result;
use simurgh_typed as typed;

use super::{CollectiveRequest, Scope};
use crate::peer::raw_rank;
use crate::{BufferMut, Equivalence, Op};

impl<'scope, 'env> Scope<'scope, 'env> {
    /// Starts [`Communicator::gather_in_place`](crate::Communicator::gather_in_place) (`MPI_Igather`).
    ///
    /// # Errors
    ///
    /// As [`Communicator::gather_in_place`](crate::Communicator::gather_in_place).
    pub fn igather_in_place<T: Equivalence>(
        &self,
        values: &'scope mut [T],
        root: usize,
    ) -> Result<CollectiveRequest<'scope, 'env, T>> {
        self.start(typed::gather_in_place(self.comm(), values, raw_rank(root))?)
    }

    /// Starts [`Communicator::scatter_in_place`](crate::Communicator::scatter_in_place) (`MPI_Iscatter`).
    ///
    /// # Errors
    ///
    /// As [`Communicator::scatter_in_place`](crate::Communicator::scatter_in_place).
    pub fn iscatter_in_place<T: Equivalence>(
        &self,
        values: &'scope mut [T],
        root: usize,
    ) -> Result<CollectiveRequest<'scope, 'env, T>> {
        self.start(typed::scatter_in_place(self.comm(), values, raw_rank(root))?)
    }

    /// Starts [`Communicator::all_gather_in_place`](crate::Communicator::all_gather_in_place) (`MPI_Iallgather`).
    ///
    /// # Errors
    ///
    /// As [`Communicator::all_gather_in_place`](crate::Communicator::all_gather_in_place).
    pub fn iall_gather_in_place<T: Equivalence>(
        &self,
        values: &'scope mut [T],
    ) -> Result<CollectiveRequest<'scope, 'env, T>> {
        self.start(typed::all_gather_in_place(self.comm(), values)?)
    }

    /// Starts [`Communicator::all_gatherv_in_place`](crate::Communicator::all_gatherv_in_place) (`MPI_Iallgatherv`).
    ///
    /// # Errors
    ///
    /// As [`Communicator::all_gatherv_in_place`](crate::Communicator::all_gatherv_in_place).
    pub fn iall_gatherv_in_place<T: Equivalence>(
        &self,
        values: &'scope mut [T],
        counts: &[usize],
    ) -> Result<CollectiveRequest<'scope, 'env, T>> {
        self.start(typed::all_gatherv_in_place(self.comm(), values, counts)?)
    }

    /// Starts [`Communicator::all_to_all_in_place`](crate::Communicator::all_to_all_in_place) (`MPI_Ialltoall`).
    ///
    /// # Errors
    ///
    /// As [`Communicator::all_to_all_in_place`](crate::Communicator::all_to_all_in_place).
    pub fn iall_to_all_in_place<T: Equivalence>(
        &self,
        values: &'scope mut [T],
    ) -> Result<CollectiveRequest<'scope, 'env, T>> {
        self.start(typed::all_to_all_in_place(self.comm(), values)?)
    }

    /// Starts [`Communicator::all_to_allv_in_place`](crate::Communicator::all_to_allv_in_place) (`MPI_Ialltoallv`).
    ///
    /// # Errors
    ///
    /// As [`Communicator::all_to_allv_in_place`](crate::Communicator::all_to_allv_in_place).
    pub fn iall_to_allv_in_place<T: Equivalence>(
        &self,
        values: &'scope mut [T],
        counts: &[usize],
    ) -> Result<CollectiveRequest<'scope, 'env, T>> {
        self.start(typed::all_to_allv_in_place(self.comm(), values, counts)?)
    }

    /// Starts [`Communicator::reduce_in_place`](crate::Communicator::reduce_in_place) (`MPI_Ireduce`).
    ///
    /// # Errors
    ///
    /// As [`Communicator::reduce_in_place`](crate::Communicator::reduce_in_place).
    pub fn ireduce_in_place<B: BufferMut + ?Sized>(
        &self,
        data: &'scope mut B,
        op: &Op<B::Item>,
        root: usize,
    ) -> Result<CollectiveRequest<'scope, 'env, B::Item>> {
        self.start(typed::reduce_in_place(
            self.comm(),
            data.values_mut(),
            &op.0,
            raw_rank(root),
        )?)
    }

    /// Starts [`Communicator::reduce_scatter_block_in_place`](crate::Communicator::reduce_scatter_block_in_place)
    /// (`MPI_Ireduce_scatter_block`).
    ///
    /// # Errors
    ///
    /// As [`Communicator::reduce_scatter_block_in_place`](crate::Communicator::reduce_scatter_block_in_place).
    pub fn ireduce_scatter_block_in_place<T: Equivalence>(
        &self,
        values: &'scope mut [T],
        op: &Op<T>,
    ) -> Result<CollectiveRequest<'scope, 'env, T>> {
        self.start(typed::reduce_scatter_block_in_place(self.comm(), values, &op.0)?)
    }

    /// Starts [`Communicator::reduce_scatter_in_place`](crate::Communicator::reduce_scatter_in_place)
    /// (`MPI_Ireduce_scatter`).
    ///
    /// # Errors
    ///
    /// As [`Communicator::reduce_scatter_in_place`](crate::Communicator::reduce_scatter_in_place).
    pub fn ireduce_scatter_in_place<T: Equivalence>(
        &self,
        values: &'scope mut [T],
        counts: &[usize],
        op: &Op<T>,
    ) -> Result<CollectiveRequest<'scope, 'env, T>> {
        self.start(typed::reduce_scatter_in_place(
            self.comm(),
            values,
            counts,
            &op.0,
        )?)
    }

    /// Starts [`Communicator::scan_in_place`](crate::Communicator::scan_in_place) (`MPI_Iscan`).
    ///
    /// # Errors
    ///
    /// As [`Communicator::scan_in_place`](crate::Communicator::scan_in_place).
    pub fn iscan_in_place<B: BufferMut + ?Sized>(
        &self,
        data: &'scope mut B,
        op: &Op<B::Item>,
    ) -> Result<CollectiveRequest<'scope, 'env, B::Item>> {
        self.start(typed::scan_in_place(self.comm(), data.values_mut(), &op.0)?)
    }

    /// Starts [`Communicator::exscan_in_place`](crate::Communicator::exscan_in_place) (`MPI_Iexscan`).
    ///
    /// # Errors
    ///
    /// As [`Communicator::exscan_in_place`](crate::Communicator::exscan_in_place).
    pub fn iexscan_in_place<B: BufferMut + ?Sized>(
        &self,
        data: &'scope mut B,
        op: &Op<B::Item>,
    ) -> Result<CollectiveRequest<'scope, 'env, B::Item>> {
        self.start(typed::exscan_in_place(self.comm(), data.values_mut(), &op.0)?)
    }
}
