//! Persistent collectives (section 6.13 of the standard).
//!
//! All ranks set them up in the same order. A rank may start several, in any order, and other ranks in another one.

use simurgh_mpi::{Comm, Result};
use simurgh_typed::{self as typed, Persistent, Prepared, Received, Sent};

use super::operation::Operation;
use crate::peer::raw_rank;
use crate::{Communicator, Equivalence, Op};

impl Communicator {
    /// Sets up a barrier (`MPI_Barrier_init`). Collective, as all of these.
    ///
    /// # Errors
    ///
    /// None.
    pub fn persistent_barrier(&self) -> Result<PersistentCollective<u8>> {
        self.persistent(Vec::new(), Vec::new(), |comm, _, _| typed::barrier(comm))
    }

    /// Sets up a broadcast of the root's values, which are [`received`](PersistentCollective::received) at all ranks,
    /// the root included (`MPI_Bcast_init`).
    ///
    /// # Errors
    ///
    /// As [`broadcast`](Self::broadcast).
    pub fn persistent_broadcast<T: Equivalence>(
        &self,
        values: Vec<T>,
        root: usize,
    ) -> Result<PersistentCollective<T>> {
        let root = raw_rank(root);
        self.persistent(Vec::new(), values, |comm, _, values| {
            typed::broadcast(comm, values, root)
        })
    }

    /// Sets up a gather (`MPI_Gather_init`).
    ///
    /// # Errors
    ///
    /// As [`gather`](Self::gather).
    pub fn persistent_gather<T: Equivalence>(
        &self,
        sent: Vec<T>,
        received: Vec<T>,
        root: usize,
    ) -> Result<PersistentCollective<T>> {
        let root = raw_rank(root);
        self.persistent(sent, received, |comm, sent, received| {
            typed::gather(comm, sent, received, root)
        })
    }

    /// Sets up a gather at all ranks (`MPI_Allgather_init`).
    ///
    /// # Errors
    ///
    /// As [`all_gather`](Self::all_gather).
    pub fn persistent_all_gather<T: Equivalence>(
        &self,
        sent: Vec<T>,
        received: Vec<T>,
    ) -> Result<PersistentCollective<T>> {
        self.persistent(sent, received, |comm, sent, received| {
            typed::all_gather(comm, sent, received)
        })
    }

    /// Sets up a scatter (`MPI_Scatter_init`).
    ///
    /// # Errors
    ///
    /// As [`scatter`](Self::scatter).
    pub fn persistent_scatter<T: Equivalence>(
        &self,
        sent: Vec<T>,
        received: Vec<T>,
        root: usize,
    ) -> Result<PersistentCollective<T>> {
        let root = raw_rank(root);
        self.persistent(sent, received, |comm, sent, received| {
            typed::scatter(comm, sent, received, root)
        })
    }

    /// Sets up an exchange of all ranks with all (`MPI_Alltoall_init`).
    ///
    /// # Errors
    ///
    /// As [`all_to_all`](Self::all_to_all).
    pub fn persistent_all_to_all<T: Equivalence>(
        &self,
        sent: Vec<T>,
        received: Vec<T>,
    ) -> Result<PersistentCollective<T>> {
        self.persistent(sent, received, |comm, sent, received| {
            typed::all_to_all(comm, sent, received)
        })
    }

    /// Sets up a reduction at the root (`MPI_Reduce_init`).
    ///
    /// # Errors
    ///
    /// As [`reduce`](Self::reduce).
    pub fn persistent_reduce<T: Equivalence>(
        &self,
        sent: Vec<T>,
        received: Vec<T>,
        op: &Op<T>,
        root: usize,
    ) -> Result<PersistentCollective<T>> {
        let root = raw_rank(root);
        self.persistent(sent, received, |comm, sent, received| {
            typed::reduce(comm, sent, received, &op.0, root)
        })
    }

    /// Sets up a reduction at all ranks (`MPI_Allreduce_init`).
    ///
    /// # Errors
    ///
    /// As [`all_reduce`](Self::all_reduce).
    pub fn persistent_all_reduce<T: Equivalence>(
        &self,
        sent: Vec<T>,
        received: Vec<T>,
        op: &Op<T>,
    ) -> Result<PersistentCollective<T>> {
        self.persistent(sent, received, |comm, sent, received| {
            typed::all_reduce(comm, Some(sent), received, &op.0)
        })
    }

    /// Sets up an exchange with the neighbours in a topology (`MPI_Neighbor_alltoall_init`).
    ///
    /// # Errors
    ///
    /// As [`neighbor_all_to_all`](Self::neighbor_all_to_all).
    pub fn persistent_neighbor_all_to_all<T: Equivalence>(
        &self,
        sent: Vec<T>,
        received: Vec<T>,
    ) -> Result<PersistentCollective<T>> {
        self.persistent(sent, received, |comm, sent, received| {
            typed::neighbor_all_to_all(comm, sent, received)
        })
    }

    /// Sets up a gather of parts of different lengths (`MPI_Gatherv_init`).
    ///
    /// # Errors
    ///
    /// As [`gatherv`](Self::gatherv).
    pub fn persistent_gatherv<T: Equivalence>(
        &self,
        sent: Vec<T>,
        received: Vec<T>,
        counts: &[usize],
        root: usize,
    ) -> Result<PersistentCollective<T>> {
        let root = raw_rank(root);
        self.persistent(sent, received, |comm, sent, received| {
            typed::gatherv(comm, sent, received, counts, root)
        })
    }

    /// Sets up a gather at all ranks of parts of different lengths (`MPI_Allgatherv_init`).
    ///
    /// # Errors
    ///
    /// As [`all_gatherv`](Self::all_gatherv).
    pub fn persistent_all_gatherv<T: Equivalence>(
        &self,
        sent: Vec<T>,
        received: Vec<T>,
        counts: &[usize],
    ) -> Result<PersistentCollective<T>> {
        self.persistent(sent, received, |comm, sent, received| {
            typed::all_gatherv(comm, sent, received, counts)
        })
    }

    /// Sets up a scatter of parts of different lengths (`MPI_Scatterv_init`).
    ///
    /// # Errors
    ///
    /// As [`scatterv`](Self::scatterv).
    pub fn persistent_scatterv<T: Equivalence>(
        &self,
        sent: Vec<T>,
        counts: &[usize],
        received: Vec<T>,
        root: usize,
    ) -> Result<PersistentCollective<T>> {
        let root = raw_rank(root);
        self.persistent(sent, received, |comm, sent, received| {
            typed::scatterv(comm, sent, counts, received, root)
        })
    }

    /// Sets up an exchange of all ranks with all, of parts of different lengths (`MPI_Alltoallv_init`).
    ///
    /// # Errors
    ///
    /// As [`all_to_allv`](Self::all_to_allv).
    pub fn persistent_all_to_allv<T: Equivalence>(
        &self,
        sent: Vec<T>,
        send_counts: &[usize],
        received: Vec<T>,
        receive_counts: &[usize],
    ) -> Result<PersistentCollective<T>> {
        self.persistent(sent, received, |comm, sent, received| {
            typed::all_to_allv(comm, (sent, send_counts), (received, receive_counts))
        })
    }

    /// Sets up a reduction of which each rank gets an equal part (`MPI_Reduce_scatter_block_init`).
    ///
    /// # Errors
    ///
    /// As [`reduce_scatter_block`](Self::reduce_scatter_block).
    pub fn persistent_reduce_scatter_block<T: Equivalence>(
        &self,
        sent: Vec<T>,
        received: Vec<T>,
        op: &Op<T>,
    ) -> Result<PersistentCollective<T>> {
        self.persistent(sent, received, |comm, sent, received| {
            typed::reduce_scatter_block(comm, sent, received, &op.0)
        })
    }

    /// Sets up a reduction of which each rank gets a part (`MPI_Reduce_scatter_init`).
    ///
    /// # Errors
    ///
    /// As [`reduce_scatter`](Self::reduce_scatter).
    pub fn persistent_reduce_scatter<T: Equivalence>(
        &self,
        sent: Vec<T>,
        received: Vec<T>,
        counts: &[usize],
        op: &Op<T>,
    ) -> Result<PersistentCollective<T>> {
        self.persistent(sent, received, |comm, sent, received| {
            typed::reduce_scatter(comm, sent, received, counts, &op.0)
        })
    }

    /// Sets up a scan (`MPI_Scan_init`).
    ///
    /// # Errors
    ///
    /// As [`scan`](Self::scan).
    pub fn persistent_scan<T: Equivalence>(
        &self,
        sent: Vec<T>,
        received: Vec<T>,
        op: &Op<T>,
    ) -> Result<PersistentCollective<T>> {
        self.persistent(sent, received, |comm, sent, received| {
            typed::scan(comm, sent, received, &op.0)
        })
    }

    /// Sets up an exclusive scan (`MPI_Exscan_init`).
    ///
    /// # Errors
    ///
    /// As [`exscan`](Self::exscan).
    pub fn persistent_exscan<T: Equivalence>(
        &self,
        sent: Vec<T>,
        received: Vec<T>,
        op: &Op<T>,
    ) -> Result<PersistentCollective<T>> {
        self.persistent(sent, received, |comm, sent, received| {
            typed::exscan(comm, sent, received, &op.0)
        })
    }

    /// Sets up a gather of what the neighbours in a topology send (`MPI_Neighbor_allgather_init`).
    ///
    /// # Errors
    ///
    /// As [`neighbor_all_gather`](Self::neighbor_all_gather).
    pub fn persistent_neighbor_all_gather<T: Equivalence>(
        &self,
        sent: Vec<T>,
        received: Vec<T>,
    ) -> Result<PersistentCollective<T>> {
        self.persistent(sent, received, |comm, sent, received| {
            typed::neighbor_all_gather(comm, sent, received)
        })
    }

    /// Sets up a gather of what the neighbours in a topology send, as much as each has
    /// (`MPI_Neighbor_allgatherv_init`).
    ///
    /// # Errors
    ///
    /// As [`neighbor_all_gatherv`](Self::neighbor_all_gatherv).
    pub fn persistent_neighbor_all_gatherv<T: Equivalence>(
        &self,
        sent: Vec<T>,
        received: Vec<T>,
        counts: &[usize],
    ) -> Result<PersistentCollective<T>> {
        self.persistent(sent, received, |comm, sent, received| {
            typed::neighbor_all_gatherv(comm, sent, received, counts)
        })
    }

    /// Sets up an exchange with the neighbours in a topology, of parts of different lengths
    /// (`MPI_Neighbor_alltoallv_init`).
    ///
    /// # Errors
    ///
    /// As [`neighbor_all_to_allv`](Self::neighbor_all_to_allv).
    pub fn persistent_neighbor_all_to_allv<T: Equivalence>(
        &self,
        sent: Vec<T>,
        send_counts: &[usize],
        received: Vec<T>,
        receive_counts: &[usize],
    ) -> Result<PersistentCollective<T>> {
        self.persistent(sent, received, |comm, sent, received| {
            typed::neighbor_all_to_allv(comm, (sent, send_counts), (received, receive_counts))
        })
    }

    /// Sets up the collective that `make` prepares.
    fn persistent<T: Equivalence>(
        &self,
        sent: Vec<T>,
        received: Vec<T>,
        make: impl for<'a> FnOnce(&'a Comm, Sent<'a, T>, Received<'a, T>) -> Result<Prepared<'a, T>>,
    ) -> Result<PersistentCollective<T>> {
        let made = Persistent::collective(self.shared_engine(), sent, received, make);
        Ok(PersistentCollective {
            operation: Operation::new(self, made)?,
        })
    }
}

/// A collective that is started again and again; made by [`Communicator::persistent_all_reduce`] and its relatives.
///
/// It owns what it sends and what it receives. Both can be used except while the collective is under way, that is from
/// [`start`](Self::start) to [`wait`](Self::wait). If it is dropped meanwhile, before it is complete, they are leaked.
///
/// ```
/// # simurgh::Builder::new().ranks(4).run(|world| {
/// let mut sum = world.persistent_all_reduce(vec![0.0], vec![0.0], &simurgh::Op::sum())?;
/// let mut value = world.rank() as f64;
/// for _ in 0..10 {
///     sum.sent_mut()[0] = value;
///     sum.start()?;
///     // Other work goes here.
///     sum.wait()?;
///     value = (value + sum.received()[0] / 4.0) / 2.0;
/// }
/// assert!((value - 1.5).abs() < 0.01);
/// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
/// # Ok::<(), simurgh::RunError>(())
/// ```
#[derive(Debug)]
pub struct PersistentCollective<T: Equivalence> {
    operation: Operation<T>,
}

impl<T: Equivalence> PersistentCollective<T> {
    /// Starts the collective (`MPI_Start`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Request`](crate::ErrorClass::Request) if it is under way; when the ranks have set up different
    /// collectives.
    #[inline]
    pub fn start(&mut self) -> Result<()> {
        self.operation.start()
    }

    /// Waits until the collective is complete (`MPI_Wait`). Returns at once if it has not been started.
    ///
    /// # Errors
    ///
    /// The error of the collective.
    ///
    /// # Panics
    ///
    /// If the function of its operation has panicked at this rank.
    #[inline]
    pub fn wait(&mut self) -> Result<()> {
        self.operation.wait().map(drop)
    }

    /// Whether the collective is complete, or has not been started (`MPI_Test`). Lets other ranks run otherwise. The
    /// values can be used after [`wait`](Self::wait) only.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.operation.is_complete()
    }

    /// The values that this rank sends.
    ///
    /// # Panics
    ///
    /// While the collective is under way.
    #[must_use]
    pub fn sent(&self) -> &[T] {
        self.operation.sent()
    }

    /// The values that this rank sends, to be changed.
    ///
    /// # Panics
    ///
    /// While the collective is under way.
    #[must_use]
    pub fn sent_mut(&mut self) -> &mut [T] {
        self.operation.sent_mut()
    }

    /// The values that this rank has received.
    ///
    /// # Panics
    ///
    /// While the collective is under way.
    #[must_use]
    pub fn received(&self) -> &[T] {
        self.operation.received()
    }

    /// The values that this rank receives, to be changed.
    ///
    /// # Panics
    ///
    /// While the collective is under way.
    #[must_use]
    pub fn received_mut(&mut self) -> &mut [T] {
        self.operation.received_mut()
    }
}
