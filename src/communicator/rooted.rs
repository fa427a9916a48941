//! Collectives with a root on inter-communicators (section 6.2.2 of the standard).

use simurgh_mpi::Result;
use simurgh_mpi::constants::{PROC_NULL, ROOT, UNDEFINED};
use simurgh_typed as typed;

use super::InterCommunicator;
use crate::activity::{Call, Inside};
use crate::peer::raw_rank;
use crate::{BufferMut, Equivalence, Op, ViewMut};

/// The root of a collective between two groups, as a rank of one of them sees it.
///
/// Data goes between the root and the ranks of the other group. The other ranks of the root's group have no part in it,
/// but make the same call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InterRoot {
    /// The calling rank (`MPI_ROOT`).
    Here,
    /// Another rank of the calling rank's group (`MPI_PROC_NULL`).
    Local,
    /// This rank of the other group.
    Remote(usize),
}

impl InterRoot {
    fn raw(self) -> i32 {
        match self {
            Self::Here => ROOT,
            Self::Local => PROC_NULL,
            Self::Remote(rank) => raw_rank(rank),
        }
    }
}

impl InterCommunicator {
    /// Sends the root's `data` to all ranks of the other group (`MPI_Bcast`).
    ///
    /// # Errors
    ///
    /// As [`Communicator::broadcast`](crate::Communicator::broadcast).
    ///
    /// ```
    /// # simurgh::Builder::new().ranks(5).run(|world| {
    /// use simurgh::InterRoot;
    ///
    /// // Rank 1, which is the second server, tells all clients.
    /// let is_client = world.rank() >= 2;
    /// let group = world.split(Some(is_client.into()), 0)?.expect("a colour was given");
    /// let others = group.inter_create(0, world, if is_client { 0 } else { 2 }, 0)?;
    /// let root = match world.rank() {
    ///     0 => InterRoot::Local,
    ///     1 => InterRoot::Here,
    ///     _ => InterRoot::Remote(1),
    /// };
    /// let mut price = if world.rank() == 1 { 17 } else { 0 };
    /// others.broadcast(&mut price, root)?;
    /// assert_eq!(price, if world.rank() == 0 { 0 } else { 17 });
    /// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    pub fn broadcast<B: ViewMut + ?Sized>(&self, data: &mut B, root: InterRoot) -> Result<()> {
        let _inside = self.enter_at(Call::Broadcast, root);
        typed::broadcast_view(self.0.engine(), data, root.raw())
    }

    /// Collects what each rank of the other group sends at the root, whose `received` has a part for each of them
    /// (`MPI_Gather`). `sent` means something at the ranks that send, and `received` at the root.
    ///
    /// # Errors
    ///
    /// As [`Communicator::gather`](crate::Communicator::gather).
    pub fn gather<T: Equivalence>(&self, sent: &[T], received: &mut [T], root: InterRoot) -> Result<()> {
        let _inside = self.enter_at(Call::Gather, root);
        typed::gather(self.0.engine(), sent, received, root.raw())?.run()
    }

    /// Gives each rank of the other group its part of what the root sends (`MPI_Scatter`). `sent` means something at
    /// the root, and `received` at the ranks that receive.
    ///
    /// # Errors
    ///
    /// As [`Communicator::scatter`](crate::Communicator::scatter).
    pub fn scatter<T: Equivalence>(&self, sent: &[T], received: &mut [T], root: InterRoot) -> Result<()> {
        let _inside = self.enter_at(Call::Scatter, root);
        typed::scatter(self.0.engine(), sent, received, root.raw())?.run()
    }

    /// Combines the values of the other group's ranks at the root (`MPI_Reduce`). `sent` means something at the ranks
    /// that send, and `received` at the root.
    ///
    /// # Errors
    ///
    /// As [`Communicator::reduce`](crate::Communicator::reduce).
    ///
    /// # Panics
    ///
    /// When the function of `op` has panicked at this rank.
    pub fn reduce<B: BufferMut + ?Sized>(
        &self,
        sent: &B,
        received: &mut B,
        op: &Op<B::Item>,
        root: InterRoot,
    ) -> Result<()> {
        let _inside = self.enter_at(Call::Reduce, root);
        let (sent, received) = (sent.values(), received.values_mut());
        typed::reduce(self.0.engine(), sent, received, &op.0, root.raw())?.run()
    }

    /// Enters a call with a root.
    fn enter_at(&self, call: Call, root: InterRoot) -> Inside<'_> {
        let peer = match root {
            InterRoot::Here | InterRoot::Local => UNDEFINED,
            InterRoot::Remote(rank) => raw_rank(rank),
        };
        self.0.enter(call, peer, UNDEFINED)
    }
}
