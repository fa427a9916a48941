//! A persistent operation of a communicator.

use simurgh_mpi::constants::UNDEFINED;
use simurgh_mpi::{Result, Status};
use simurgh_typed::Persistent;

use crate::activity::{Call, Inside};
use crate::{Communicator, Equivalence};

/// A persistent operation, each of whose calls checks whether the run goes on. Its waits are known to the report of a
/// deadlock.
#[derive(Debug)]
pub(super) struct Operation<T: Equivalence> {
    persistent: Persistent<T>,
    communicator: Communicator,
}

impl<T: Equivalence> Operation<T> {
    /// An operation that has been set up on this communicator.
    pub(super) fn new(communicator: &Communicator, made: Result<Persistent<T>>) -> Result<Self> {
        Ok(Self {
            persistent: made?,
            communicator: communicator.twin(),
        })
    }

    #[inline]
    pub(super) fn start(&mut self) -> Result<()> {
        self.communicator.check();
        self.persistent.start()
    }

    #[inline]
    pub(super) fn wait(&mut self) -> Result<Status> {
        let _inside = enter(&self.communicator);
        self.persistent.wait()
    }

    pub(super) fn is_complete(&self) -> bool {
        self.communicator.check();
        self.persistent.is_done()
    }

    pub(super) fn cancel(&mut self) -> Result<bool> {
        let _inside = enter(&self.communicator);
        self.persistent.cancel()
    }

    pub(super) fn fill_part(&mut self, part: usize, fill: impl FnOnce(&mut [T])) -> Result<()> {
        self.communicator.check();
        self.persistent.fill_part(part, fill)
    }

    pub(super) fn arrived_part(&self, part: usize) -> Result<Option<&[T]>> {
        self.communicator.check();
        self.persistent.arrived_part(part)
    }

    pub(super) fn sent(&self) -> &[T] {
        at_rest(self.persistent.sent())
    }

    pub(super) fn sent_mut(&mut self) -> &mut [T] {
        at_rest(self.persistent.sent_mut())
    }

    pub(super) fn received(&self) -> &[T] {
        at_rest(self.persistent.received())
    }

    pub(super) fn received_mut(&mut self) -> &mut [T] {
        at_rest(self.persistent.received_mut())
    }
}

/// The values of an operation that is not under way.
fn at_rest<V>(values: Result<V>) -> V {
    values.unwrap_or_else(|error| panic!("{error}"))
}

/// Enters the wait for an operation.
fn enter(communicator: &Communicator) -> Inside<'_> {
    communicator.enter(Call::WaitPersistent, UNDEFINED, UNDEFINED)
}
