//! Persistent operations: set up once, started many times (section 3.9 of the standard).

mod buffered;
mod collective;
mod operation;
mod partitioned;

pub use collective::PersistentCollective;
pub use partitioned::{PartitionedReceive, PartitionedSend};

use simurgh_mpi::Result;
use simurgh_typed::{Mode, Persistent};

use operation::Operation;

use crate::{Communicator, Destination, Equivalence, Source, Status, Tag};

impl Communicator {
    /// Sets up a send of the same values, as they are at each start, to the same rank (`MPI_Send_init`).
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send).
    pub fn persistent_send<T: Equivalence>(
        &self,
        values: Vec<T>,
        dest: impl Into<Destination>,
        tag: i32,
    ) -> Result<PersistentSend<T>> {
        self.persistent_send_in(Mode::Standard, values, dest.into(), tag)
    }

    /// Sets up a send that is complete when its receive has begun (`MPI_Ssend_init`).
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send).
    pub fn persistent_ssend<T: Equivalence>(
        &self,
        values: Vec<T>,
        dest: impl Into<Destination>,
        tag: i32,
    ) -> Result<PersistentSend<T>> {
        self.persistent_send_in(Mode::Synchronous, values, dest.into(), tag)
    }

    /// Sets up a send that is started when the receiver has started its receive, as [`rsend`](Self::rsend)
    /// (`MPI_Rsend_init`).
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send).
    pub fn persistent_rsend<T: Equivalence>(
        &self,
        values: Vec<T>,
        dest: impl Into<Destination>,
        tag: i32,
    ) -> Result<PersistentSend<T>> {
        self.persistent_send_in(Mode::Ready, values, dest.into(), tag)
    }

    pub(crate) fn persistent_send_in<T: Equivalence>(
        &self,
        mode: Mode,
        values: Vec<T>,
        dest: Destination,
        tag: i32,
    ) -> Result<PersistentSend<T>> {
        let made = Persistent::send(self.shared_engine(), values, dest.raw(), tag, mode);
        Ok(PersistentSend {
            operation: Operation::new(self, made)?,
        })
    }

    /// Sets up a receive into the same values (`MPI_Recv_init`).
    ///
    /// # Errors
    ///
    /// As [`recv`](Self::recv); truncation is reported by the wait.
    pub fn persistent_recv<T: Equivalence>(
        &self,
        values: Vec<T>,
        source: impl Into<Source>,
        tag: impl Into<Tag>,
    ) -> Result<PersistentReceive<T>> {
        let (source, tag) = (source.into().raw(), tag.into().raw()?);
        let made = Persistent::receive(self.shared_engine(), values, source, tag);
        Ok(PersistentReceive {
            operation: Operation::new(self, made)?,
        })
    }
}

/// A send that is started again and again; made by [`Communicator::persistent_send`].
///
/// It owns its values, which can be used except while the operation is under way, that is from
/// [`start`](Self::start) to [`wait`](Self::wait). When it is dropped meanwhile, it waits; when it is leaked, so are
/// its values.
///
/// ```
/// # simurgh::Builder::new().ranks(4).run(|world| {
/// let (rank, size) = (world.rank(), world.size());
/// let mut to_right = world.persistent_send(vec![0.0; 100], (rank + 1) % size, 0)?;
/// let mut from_left = world.persistent_recv(vec![0.0; 100], (rank + size - 1) % size, 0)?;
/// for step in 1..=size {
///     to_right.values_mut().fill(if step == 1 { rank as f64 } else { from_left.values()[0] });
///     from_left.start()?;
///     to_right.start()?;
///     to_right.wait()?;
///     from_left.wait()?;
/// }
/// // What each rank has sent has come back to it.
/// assert_eq!(from_left.values(), [rank as f64; 100]);
/// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
/// # Ok::<(), simurgh::RunError>(())
/// ```
///
/// Nobody holds a slice of the values when the operation is started:
///
/// ```compile_fail,E0502
/// # simurgh::run(|world| {
/// let mut send = world.persistent_send(vec![0], 0, 0)?;
/// let values = send.values();
/// send.start()?;
/// assert_eq!(values, [0]);
/// # Ok::<(), simurgh::Error>(())
/// # });
/// ```
#[derive(Debug)]
pub struct PersistentSend<T: Equivalence> {
    operation: Operation<T>,
}

impl<T: Equivalence> PersistentSend<T> {
    /// Starts the send (`MPI_Start`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Request`](crate::ErrorClass::Request) if it is under way.
    #[inline]
    pub fn start(&mut self) -> Result<()> {
        self.operation.start()
    }

    /// Waits until the send is complete (`MPI_Wait`). Returns at once if it has not been started.
    ///
    /// # Errors
    ///
    /// The error of the operation.
    #[inline]
    pub fn wait(&mut self) -> Result<()> {
        self.operation.wait().map(drop)
    }

    /// Whether the send is complete, or has not been started (`MPI_Test`). Lets other ranks run otherwise. The values
    /// can be used after [`wait`](Self::wait) only.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.operation.is_complete()
    }

    /// The values.
    ///
    /// # Panics
    ///
    /// While the operation is under way.
    #[must_use]
    pub fn values(&self) -> &[T] {
        self.operation.sent()
    }

    /// The values, to be changed.
    ///
    /// # Panics
    ///
    /// While the operation is under way.
    #[must_use]
    pub fn values_mut(&mut self) -> &mut [T] {
        self.operation.sent_mut()
    }
}

/// A receive that is started again and again; made by [`Communicator::persistent_recv`].
///
/// It owns its values as a [`PersistentSend`] does. When it is dropped while it is under way, it is cancelled unless a
/// message has been matched.
#[derive(Debug)]
pub struct PersistentReceive<T: Equivalence> {
    operation: Operation<T>,
}

impl<T: Equivalence> PersistentReceive<T> {
    /// Starts the receive (`MPI_Start`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Request`](crate::ErrorClass::Request) if it is under way.
    #[inline]
    pub fn start(&mut self) -> Result<()> {
        self.operation.start()
    }

    /// Waits until the message has arrived (`MPI_Wait`). Returns at once if the receive has not been started.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Truncate`](crate::ErrorClass::Truncate) if the message is longer than the values.
    #[inline]
    pub fn wait(&mut self) -> Result<Status> {
        self.operation.wait().map(Status::from)
    }

    /// Whether the message has arrived, or the receive has not been started (`MPI_Test`). Lets other ranks run
    /// otherwise. The values can be used after [`wait`](Self::wait) only.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.operation.is_complete()
    }

    /// Cancels the receive unless a message has been matched, and says whether it has been cancelled (`MPI_Cancel`,
    /// `MPI_Wait`).
    ///
    /// # Errors
    ///
    /// As [`wait`](Self::wait), if it was matched; [`ErrorClass::Request`](crate::ErrorClass::Request) if it has not
    /// been started.
    pub fn cancel(&mut self) -> Result<bool> {
        self.operation.cancel()
    }

    /// The values.
    ///
    /// # Panics
    ///
    /// While the operation is under way.
    #[must_use]
    pub fn values(&self) -> &[T] {
        self.operation.received()
    }

    /// The values, to be changed.
    ///
    /// # Panics
    ///
    /// While the operation is under way.
    #[must_use]
    pub fn values_mut(&mut self) -> &mut [T] {
        self.operation.received_mut()
    }
}
