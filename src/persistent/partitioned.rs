//! Partitioned operations: messages that are sent and received in parts (chapter 4 of the standard).

use simurgh_mpi::Result;
use simurgh_typed::Persistent;

use super::operation::Operation;
use crate::{Communicator, Destination, Equivalence};

impl Communicator {
    /// Sets up a send of values in `parts` equal parts, each of which goes on its way when it has been filled
    /// (`MPI_Psend_init`). Sends and receives of the same ranks and tag are paired in the order in which they are set
    /// up; they may have different numbers of parts.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send); [`ErrorClass::Count`](crate::ErrorClass::Count) if the values cannot be cut into so
    /// many parts.
    pub fn partitioned_send<T: Equivalence>(
        &self,
        values: Vec<T>,
        parts: usize,
        dest: impl Into<Destination>,
        tag: i32,
    ) -> Result<PartitionedSend<T>> {
        let dest = dest.into().raw();
        let made = Persistent::partitioned_send(self.shared_engine(), values, parts, dest, tag);
        Ok(PartitionedSend {
            operation: Operation::new(self, made)?,
        })
    }

    /// Sets up a receive of values in `parts` equal parts, each of which can be used when it has arrived
    /// (`MPI_Precv_init`).
    ///
    /// # Errors
    ///
    /// As [`recv`](Self::recv); [`ErrorClass::Count`](crate::ErrorClass::Count) if the values cannot be cut into so
    /// many parts.
    pub fn partitioned_recv<T: Equivalence>(
        &self,
        values: Vec<T>,
        parts: usize,
        source: impl Into<Destination>,
        tag: i32,
    ) -> Result<PartitionedReceive<T>> {
        let source = source.into().raw();
        let made = Persistent::partitioned_receive(self.shared_engine(), values, parts, source, tag);
        Ok(PartitionedReceive {
            operation: Operation::new(self, made)?,
        })
    }
}

/// A send in parts; made by [`Communicator::partitioned_send`].
///
/// A round is one [`start`](Self::start), a [`fill`](Self::fill) of each part in any order, and a [`wait`](Self::wait).
/// The send owns its values; if it is dropped in a round, before all parts have been received, they are leaked.
///
/// ```
/// # simurgh::Builder::new().ranks(2).run(|world| {
/// if world.rank() == 0 {
///     let mut send = world.partitioned_send(vec![0_u32; 1000], 10, 1, 0)?;
///     for round in 0..3 {
///         send.start()?;
///         for part in (0..10).rev() {
///             send.fill(part, |values| values.fill(10 * round + part as u32))?;
///         }
///         send.wait()?;
///     }
/// } else {
///     let mut receive = world.partitioned_recv(vec![0_u32; 1000], 5, 0, 0)?;
///     for round in 0..3 {
///         receive.start()?;
///         // The last part, which has two of the sender's, may be used before the others are there.
///         let last = loop {
///             if let Some(values) = receive.arrived(4)? {
///                 break [values[0], values[199]];
///             }
///         };
///         assert_eq!(last, [10 * round + 8, 10 * round + 9]);
///         receive.wait()?;
///         assert_eq!(receive.values()[100], 10 * round + 1);
///     }
/// }
/// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
/// # Ok::<(), simurgh::RunError>(())
/// ```
#[derive(Debug)]
pub struct PartitionedSend<T: Equivalence> {
    operation: Operation<T>,
}

impl<T: Equivalence> PartitionedSend<T> {
    /// Starts a round (`MPI_Start`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Request`](crate::ErrorClass::Request) if the last round has not been waited for.
    pub fn start(&mut self) -> Result<()> {
        self.operation.start()
    }

    /// Has `fill` write the values of a part, and sends them (`MPI_Pready`). Until then they are those of the last
    /// round.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Arg`](crate::ErrorClass::Arg) if there is no such part, or it has been filled in this round;
    /// [`ErrorClass::Request`](crate::ErrorClass::Request) if no round has been started.
    pub fn fill(&mut self, part: usize, fill: impl FnOnce(&mut [T])) -> Result<()> {
        self.operation.fill_part(part, fill)
    }

    /// Waits until the values of the round have been sent (`MPI_Wait`). All parts must have been filled.
    ///
    /// # Errors
    ///
    /// The error of the operation.
    pub fn wait(&mut self) -> Result<()> {
        self.operation.wait().map(drop)
    }
}

/// A receive in parts; made by [`Communicator::partitioned_recv`].
///
/// The receive owns its values; if it is dropped in a round, before all parts have arrived, they are leaked.
///
/// What has arrived cannot be used in the next round:
///
/// ```compile_fail,E0502
/// # simurgh::run(|world| {
/// let mut receive = world.partitioned_recv(vec![0], 1, 0, 0)?;
/// receive.start()?;
/// let part = receive.arrived(0)?;
/// receive.wait()?;
/// receive.start()?;
/// assert_eq!(part, Some(&[1][..]));
/// # Ok::<(), simurgh::Error>(())
/// # });
/// ```
#[derive(Debug)]
pub struct PartitionedReceive<T: Equivalence> {
    operation: Operation<T>,
}

impl<T: Equivalence> PartitionedReceive<T> {
    /// Starts a round (`MPI_Start`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Request`](crate::ErrorClass::Request) if the last round has not been waited for.
    pub fn start(&mut self) -> Result<()> {
        self.operation.start()
    }

    /// The values of a part if they have arrived (`MPI_Parrived`). Lets other ranks run otherwise.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Arg`](crate::ErrorClass::Arg) if there is no such part.
    pub fn arrived(&self, part: usize) -> Result<Option<&[T]>> {
        self.operation.arrived_part(part)
    }

    /// Waits until all parts have arrived (`MPI_Wait`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Truncate`](crate::ErrorClass::Truncate) if more was sent than there is room for.
    pub fn wait(&mut self) -> Result<()> {
        self.operation.wait().map(drop)
    }

    /// The values.
    ///
    /// # Panics
    ///
    /// In a round, that is from [`start`](Self::start) to [`wait`](Self::wait).
    #[must_use]
    pub fn values(&self) -> &[T] {
        self.operation.received()
    }
}
