//! Messages that a matched probe has returned.

use simurgh_mpi::{Error, ErrorClass, Result};
use simurgh_typed as typed;

use crate::{Equivalence, Status, ViewMut};

/// A message that a matched probe has returned (section 3.8.2 of the standard). Dropping it discards the message and
/// completes its send.
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

    /// The sender, the tag and the length of the message.
    #[must_use]
    pub fn status(&self) -> Status {
        self.status
    }

    /// Receives the message into `data`, which may be longer (`MPI_Mrecv`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Truncate`] if the message is longer than `data`, which then holds the beginning.
    pub fn recv<B: ViewMut + ?Sized>(mut self, data: &mut B) -> Result<Status> {
        self.deliver(data)
    }

    /// Receives the message into a vector of the message's length.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Type`] if the length is not a multiple of the size of `T`; the message is discarded.
    pub fn recv_vec<T: Equivalence>(mut self) -> Result<Vec<T>> {
        let count = self.status.count::<T>().ok_or_else(|| {
            let (bytes, name) = (self.status.bytes(), std::any::type_name::<T>());
            Error::new(
                ErrorClass::Type,
                format!("a message of {bytes} bytes is no whole number of {name}"),
            )
        })?;
        let mut values = typed::zeros(count);
        self.deliver(&mut values[..])?;
        Ok(values)
    }

    fn deliver<B: ViewMut + ?Sized>(&mut self, values: &mut B) -> Result<Status> {
        match self.message.take() {
            Some(message) => typed::receive_message(message, values).map(Status::from),
            None => Ok(self.status),
        }
    }
}

impl Drop for Message {
    fn drop(&mut self) {
        // The sender may be waiting. The error that the message is longer than the empty buffer is expected.
        let _ = self.deliver::<[u8]>(&mut []);
    }
}
