//! Collective calls that move data (sections 6.3 to 6.8 of the standard).
//!
//! Every rank of the communicator makes the same call. A slice with a part for each rank has the parts in rank order,
//! one after the other.

use simurgh_mpi::Result;
use simurgh_mpi::constants::UNDEFINED;
use simurgh_typed as typed;

use super::Communicator;
use crate::activity::{Call, Inside};
use crate::peer::raw_rank;
use crate::{Equivalence, ViewMut};

impl Communicator {
    /// Waits until all ranks have called it (`MPI_Barrier`).
    ///
    /// # Errors
    ///
    /// When other ranks are in different collective calls.
    pub fn barrier(&self) -> Result<()> {
        let _inside = self.enter(Call::Barrier, UNDEFINED, UNDEFINED);
        typed::barrier(&self.comm)?.run()
    }

    /// Sends the root's `data` to all ranks (`MPI_Bcast`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Root`](crate::ErrorClass::Root) if there is no such rank, or ranks name different ones;
    /// [`ErrorClass::Truncate`](crate::ErrorClass::Truncate) if a rank's `data` is shorter than the root's.
    pub fn broadcast<B: ViewMut + ?Sized>(&self, data: &mut B, root: usize) -> Result<()> {
        let (root, _inside) = self.enter_at(Call::Broadcast, root);
        typed::broadcast_view(&self.comm, data, root)
    }

    /// Collects what each rank sends at the root (`MPI_Gather`).
    ///
    /// At the root `received` is `size` times as long as `sent`; elsewhere it means nothing and may be empty.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Root`](crate::ErrorClass::Root) as for [`broadcast`](Self::broadcast);
    /// [`ErrorClass::Count`](crate::ErrorClass::Count) if `received` cannot be cut into a part for each rank;
    /// [`ErrorClass::Truncate`](crate::ErrorClass::Truncate) if a rank sends more than fits into a part.
    pub fn gather<T: Equivalence>(&self, sent: &[T], received: &mut [T], root: usize) -> Result<()> {
        let (root, _inside) = self.enter_at(Call::Gather, root);
        typed::gather(&self.comm, sent, received, root)?.run()
    }

    /// Collects what each rank sends at the root, where `counts[r]` values come from rank `r`
    /// (`MPI_Gatherv`). `received` and `counts` mean something at the root only.
    ///
    /// # Errors
    ///
    /// As [`gather`](Self::gather); [`ErrorClass::Count`](crate::ErrorClass::Count) if there is not a count
    /// for each rank, or they add up to more than `received` has room for.
    pub fn gatherv<T: Equivalence>(
        &self,
        sent: &[T],
        received: &mut [T],
        counts: &[usize],
        root: usize,
    ) -> Result<()> {
        let (root, _inside) = self.enter_at(Call::Gather, root);
        typed::gatherv(&self.comm, sent, received, counts, root)?.run()
    }

    /// Collects what each rank sends at every rank, where `received` is `size` times as long as `sent`
    /// (`MPI_Allgather`).
    ///
    /// # Errors
    ///
    /// As [`gather`](Self::gather).
    ///
    /// ```
    /// # simurgh::Builder::new().ranks(3).run(|world| {
    /// let mut squares = [0; 3];
    /// world.all_gather(&[world.rank() * world.rank()], &mut squares)?;
    /// assert_eq!(squares, [0, 1, 4]);
    /// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    pub fn all_gather<T: Equivalence>(&self, sent: &[T], received: &mut [T]) -> Result<()> {
        let _inside = self.enter(Call::AllGather, UNDEFINED, UNDEFINED);
        typed::all_gather(&self.comm, sent, received)?.run()
    }

    /// Collects what each rank sends at every rank, where `counts[r]` values come from rank `r` (`MPI_Allgatherv`).
    ///
    /// # Errors
    ///
    /// As [`gatherv`](Self::gatherv).
    pub fn all_gatherv<T: Equivalence>(
        &self,
        sent: &[T],
        received: &mut [T],
        counts: &[usize],
    ) -> Result<()> {
        let _inside = self.enter(Call::AllGather, UNDEFINED, UNDEFINED);
        typed::all_gatherv(&self.comm, sent, received, counts)?.run()
    }

    /// Gives each rank its part of what the root sends (`MPI_Scatter`).
    ///
    /// At the root `sent` is `size` times as long as `received`; elsewhere it means nothing and may be empty.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Root`](crate::ErrorClass::Root) as for [`broadcast`](Self::broadcast);
    /// [`ErrorClass::Count`](crate::ErrorClass::Count) if `sent` cannot be cut into a part for each rank;
    /// [`ErrorClass::Truncate`](crate::ErrorClass::Truncate) if a part does not fit into a rank's `received`.
    pub fn scatter<T: Equivalence>(&self, sent: &[T], received: &mut [T], root: usize) -> Result<()> {
        let (root, _inside) = self.enter_at(Call::Scatter, root);
        typed::scatter(&self.comm, sent, received, root)?.run()
    }

    /// Gives each rank its part of what the root sends, `counts[r]` values to rank `r` (`MPI_Scatterv`).
    /// `sent` and `counts` mean something at the root only.
    ///
    /// # Errors
    ///
    /// As [`scatter`](Self::scatter); [`ErrorClass::Count`](crate::ErrorClass::Count) if there is not a count
    /// for each rank, or they add up to more than there is in `sent`.
    pub fn scatterv<T: Equivalence>(
        &self,
        sent: &[T],
        counts: &[usize],
        received: &mut [T],
        root: usize,
    ) -> Result<()> {
        let (root, _inside) = self.enter_at(Call::Scatter, root);
        typed::scatterv(&self.comm, sent, counts, received, root)?.run()
    }

    /// Gives each rank its part of what every rank sends (`MPI_Alltoall`). Both slices are cut into a part
    /// for each rank.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Count`](crate::ErrorClass::Count) if a slice cannot be cut into a part for each rank;
    /// [`ErrorClass::Truncate`](crate::ErrorClass::Truncate) if a part does not fit.
    pub fn all_to_all<T: Equivalence>(&self, sent: &[T], received: &mut [T]) -> Result<()> {
        let _inside = self.enter(Call::AllToAll, UNDEFINED, UNDEFINED);
        typed::all_to_all(&self.comm, sent, received)?.run()
    }

    /// Gives each rank its part of what every rank sends, `send_counts[r]` values to rank `r` and
    /// `receive_counts[r]` from it (`MPI_Alltoallv`).
    ///
    /// # Errors
    ///
    /// As [`all_to_all`](Self::all_to_all); [`ErrorClass::Count`](crate::ErrorClass::Count) if there is not a
    /// count for each rank, or they add up to more than their slice has.
    pub fn all_to_allv<T: Equivalence>(
        &self,
        sent: &[T],
        send_counts: &[usize],
        received: &mut [T],
        receive_counts: &[usize],
    ) -> Result<()> {
        let _inside = self.enter(Call::AllToAll, UNDEFINED, UNDEFINED);
        typed::all_to_allv(&self.comm, (sent, send_counts), (received, receive_counts))?.run()
    }

    /// Enters a call with a root.
    pub(super) fn enter_at(&self, call: Call, root: usize) -> (i32, Inside<'_>) {
        let root = raw_rank(root);
        (root, self.enter(call, root, UNDEFINED))
    }
}
