//! Messages taken by a matched probe.

use simurgh_mpi::{Error, ErrorClass, Result};
use simurgh_typed as typed;

use crate::{BufferMut, Equivalence, Status};

/// A message that a matched probe took (section 3.8.2 of the standard). Dropping it throws it away, and lets
/// its sender go on.
#[derive(Debug)]
#[must_use = "dropping a message throws it away"]
pub struct Message {
    message: Option<simurgh_mpi::Message>,
    status: Status,
}

impl Message {
    pub(crate) fn new((message, status): (simurgh_mpi::Message, simurgh_mpi::Status)) -> Self {
        Self {
            message: Some(message),
            status: status.into(),
        }
    }

    /// Who sent it, with which tag, and how long it is.
    #[must_use]
    pub fn status(&self) -> Status {
        self.status
    }

    /// Receives the message into `data`, which may be longer (`MPI_Mrecv`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Truncate`] if the message is longer than `data`, which then holds the beginning.
    pub fn recv<B: BufferMut + ?Sized>(mut self, data: &mut B) -> Result<Status> {
        self.deliver(data.values_mut())
    }

    /// Receives the message into a vector of its length.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Type`] if its length is not that of any number of `T`; the message is thrown away.
    pub fn recv_vec<T: Equivalence>(mut self) -> Result<Vec<T>> {
        let count = self.status.count::<T>().ok_or_else(|| {
            let (bytes, name) = (self.status.bytes(), std::any::type_name::<T>());
            Error::new(
                ErrorClass::Type,
                format!("a message of {bytes} bytes is no whole number of {name}"),
            )
        })?;
        let mut values = typed::zeros(count);
        self.deliver(&mut values)?;
        Ok(values)
    }

    fn deliver<T: Equivalence>(&mut self, values: &mut [T]) -> Result<Status> {
        match self.message.take() {
            Some(message) => typed::receive_message(message, values).map(Status::from),
            None => Ok(self.status),
        }
    }
}

impl Drop for Message {
    fn drop(&mut self) {
        // A sender may be waiting; that the message does not fit into nothing is what is meant.
        let _ = self.deliver::<u8>(&mut []);
    }
}
