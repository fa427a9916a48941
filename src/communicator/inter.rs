//! Inter-communicators: communication between two groups (section 7.6 of the standard).

use std::fmt;

use simurgh_mpi::Result;
use simurgh_mpi::constants::UNDEFINED;

use super::Communicator;
use crate::activity::Call;
use crate::peer::raw_rank;
use crate::{Buffer, BufferMut, Destination, Equivalence, Group, Message, Op, Source, Status, Tag};

impl Communicator {
    /// An inter-communicator of this communicator's ranks and those of another one (`MPI_Intercomm_create`). All ranks
    /// of both call this.
    ///
    /// The ranks of a group name the same `local_leader`, a rank of this communicator. It finds the leader of the other
    /// group as rank `remote_leader` of `peer`; `tag` distinguishes calls that the same leaders make at the same time.
    /// At other ranks than the leaders, these three mean nothing.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Rank`](crate::ErrorClass::Rank) for a leader that does not exist,
    /// [`ErrorClass::Tag`](crate::ErrorClass::Tag) for a negative tag, [`ErrorClass::Comm`](crate::ErrorClass::Comm) if
    /// a rank is in both groups.
    pub fn inter_create(
        &self,
        local_leader: usize,
        peer: &Self,
        remote_leader: usize,
        tag: i32,
    ) -> Result<InterCommunicator> {
        let _inside = self.enter(Call::InterCreate, UNDEFINED, UNDEFINED);
        let (local, remote) = (raw_rank(local_leader), raw_rank(remote_leader));
        let comm = self.comm.create_inter(local, Some(&peer.comm), remote, tag)?;
        Ok(InterCommunicator(self.child(comm)))
    }
}

/// Two groups of ranks that communicate with each other; made by [`Communicator::inter_create`].
///
/// Each rank belongs to one of the groups, the local one for it. Partners are ranks of the other one, the remote group:
/// messages go there and come from there, and a collective gives each rank what the ranks of the remote group have.
///
/// ```
/// # simurgh::Builder::new().ranks(5).run(|world| {
/// use simurgh::Op;
///
/// // Ranks 0 and 1 are the servers.
/// let is_client = world.rank() >= 2;
/// let group = world.split(Some(is_client.into()), 0)?.expect("a colour was given");
/// let other_leader = if is_client { 0 } else { 2 };
/// let others = group.inter_create(0, world, other_leader, 0)?;
/// assert_eq!((others.size(), others.remote_size()), if is_client { (3, 2) } else { (2, 3) });
///
/// let mut sum = 0;
/// others.all_reduce(&world.rank(), &mut sum, &Op::sum())?;
/// assert_eq!(sum, if is_client { 0 + 1 } else { 2 + 3 + 4 });
///
/// if is_client {
///     others.send(&group.rank(), group.rank() % 2, 0)?;
/// } else {
///     let (numbers, status) = others.recv_vec::<usize>(others.rank(), 0)?;
///     assert_eq!(Some(numbers[0]), status.source());
///     if others.rank() == 0 {
///         others.recv(&mut 0_usize, 2, 0)?;
///     }
/// }
/// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
/// # Ok::<(), simurgh::RunError>(())
/// ```
pub struct InterCommunicator(pub(super) Communicator);

impl InterCommunicator {
    /// The calling rank in its group (`MPI_Comm_rank`).
    #[must_use]
    pub fn rank(&self) -> usize {
        self.0.rank()
    }

    /// Number of ranks in the calling rank's group (`MPI_Comm_size`).
    #[must_use]
    pub fn size(&self) -> usize {
        self.0.size()
    }

    /// Number of ranks in the other group (`MPI_Comm_remote_size`).
    #[must_use]
    pub fn remote_size(&self) -> usize {
        self.0.comm.peers()
    }

    /// The name (`MPI_Comm_get_name`).
    #[must_use]
    pub fn name(&self) -> String {
        self.0.name()
    }

    /// Sets the name, as [`Communicator::set_name`] (`MPI_Comm_set_name`).
    pub fn set_name(&self, name: &str) {
        self.0.set_name(name);
    }

    /// Sends to a rank of the other group, as [`Communicator::send`] (`MPI_Send`).
    ///
    /// # Errors
    ///
    /// As [`Communicator::send`].
    pub fn send<B: Buffer + ?Sized>(&self, data: &B, dest: impl Into<Destination>, tag: i32) -> Result<()> {
        self.0.send(data, dest, tag)
    }

    /// Sends to a rank of the other group, as [`Communicator::ssend`] (`MPI_Ssend`).
    ///
    /// # Errors
    ///
    /// As [`Communicator::ssend`].
    pub fn ssend<B: Buffer + ?Sized>(&self, data: &B, dest: impl Into<Destination>, tag: i32) -> Result<()> {
        self.0.ssend(data, dest, tag)
    }

    /// Receives from a rank of the other group, as [`Communicator::recv`] (`MPI_Recv`).
    ///
    /// # Errors
    ///
    /// As [`Communicator::recv`].
    pub fn recv<B: BufferMut + ?Sized>(
        &self,
        data: &mut B,
        source: impl Into<Source>,
        tag: impl Into<Tag>,
    ) -> Result<Status> {
        self.0.recv(data, source, tag)
    }

    /// Receives a vector of unknown length, as [`Communicator::recv_vec`].
    ///
    /// # Errors
    ///
    /// As [`Communicator::recv_vec`].
    pub fn recv_vec<T: Equivalence>(
        &self,
        source: impl Into<Source>,
        tag: impl Into<Tag>,
    ) -> Result<(Vec<T>, Status)> {
        self.0.recv_vec(source, tag)
    }

    /// Sends to a rank of the other group and receives from one, as [`Communicator::send_receive`] (`MPI_Sendrecv`).
    ///
    /// # Errors
    ///
    /// As [`Communicator::send_receive`].
    pub fn send_receive<S, R>(
        &self,
        sent: &S,
        dest: impl Into<Destination>,
        send_tag: i32,
        received: &mut R,
        source: impl Into<Source>,
        tag: impl Into<Tag>,
    ) -> Result<Status>
    where
        S: Buffer + ?Sized,
        R: BufferMut + ?Sized,
    {
        self.0.send_receive(sent, dest, send_tag, received, source, tag)
    }

    /// Waits for a message of the other group and tells of it, as [`Communicator::probe`] (`MPI_Probe`).
    ///
    /// # Errors
    ///
    /// As [`Communicator::probe`].
    pub fn probe(&self, source: impl Into<Source>, tag: impl Into<Tag>) -> Result<Status> {
        self.0.probe(source, tag)
    }

    /// Tells of a message of the other group if there is one, as [`Communicator::iprobe`] (`MPI_Iprobe`).
    ///
    /// # Errors
    ///
    /// As [`Communicator::probe`].
    pub fn iprobe(&self, source: impl Into<Source>, tag: impl Into<Tag>) -> Result<Option<Status>> {
        self.0.iprobe(source, tag)
    }

    /// Waits for a message of the other group and takes it, as [`Communicator::mprobe`] (`MPI_Mprobe`).
    ///
    /// # Errors
    ///
    /// As [`Communicator::probe`].
    pub fn mprobe(&self, source: impl Into<Source>, tag: impl Into<Tag>) -> Result<Message> {
        self.0.mprobe(source, tag)
    }

    /// The members of this rank's group (`MPI_Comm_group`).
    #[must_use]
    pub fn group(&self) -> Group {
        self.0.group()
    }

    /// The members of the other group (`MPI_Comm_remote_group`).
    #[must_use]
    pub fn remote_group(&self) -> Group {
        let remote = self.0.comm.remote_group();
        self.0
            .own_group(remote.expect("an inter-communicator has a remote group"))
    }

    /// Waits until all ranks of the other group have called it (`MPI_Barrier`).
    ///
    /// # Errors
    ///
    /// As [`Communicator::barrier`].
    pub fn barrier(&self) -> Result<()> {
        self.0.barrier()
    }

    /// Collects what each rank of the other group sends, at every rank (`MPI_Allgather`). `received` has a part for
    /// each rank of the other group.
    ///
    /// # Errors
    ///
    /// As [`Communicator::all_gather`].
    pub fn all_gather<T: Equivalence>(&self, sent: &[T], received: &mut [T]) -> Result<()> {
        self.0.all_gather(sent, received)
    }

    /// Gives each rank its part of what every rank of the other group sends (`MPI_Alltoall`). Both slices have a part
    /// for each rank of the other group.
    ///
    /// # Errors
    ///
    /// As [`Communicator::all_to_all`].
    pub fn all_to_all<T: Equivalence>(&self, sent: &[T], received: &mut [T]) -> Result<()> {
        self.0.all_to_all(sent, received)
    }

    /// Combines the values of the other group's ranks at all ranks of this one (`MPI_Allreduce`).
    ///
    /// # Errors
    ///
    /// As [`Communicator::all_reduce`].
    pub fn all_reduce<B: BufferMut + ?Sized>(
        &self,
        sent: &B,
        received: &mut B,
        op: &Op<B::Item>,
    ) -> Result<()> {
        self.0.all_reduce(sent, received, op)
    }

    /// An inter-communicator with the same groups and a context of its own (`MPI_Comm_dup`). Collective.
    ///
    /// # Errors
    ///
    /// As [`Communicator::dup`].
    pub fn dup(&self) -> Result<Self> {
        self.0.dup().map(Self)
    }

    /// One communicator of both groups (`MPI_Intercomm_merge`). The ranks of a group that is `high` come after those of
    /// the other one, unless that is `high`, too. Collective.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Arg`](crate::ErrorClass::Arg) if the ranks of a group say different things.
    pub fn merge(&self, high: bool) -> Result<Communicator> {
        let _inside = self.0.enter(Call::Merge, UNDEFINED, UNDEFINED);
        Ok(self.0.child(self.0.comm.merge(high)?))
    }
}

impl fmt::Debug for InterCommunicator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("InterCommunicator").field(&self.0).finish()
    }
}
