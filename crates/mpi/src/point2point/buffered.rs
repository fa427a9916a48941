//! Buffered sends: which attached buffer they use.

use crate::buffered::Reservation;
use crate::comm::Comm;
use crate::error::{Error, ErrorClass, Result};

impl Comm {
    /// Reserves space for a message of `bytes` in the buffer of the communicator, or else of its session, or else of
    /// the process.
    pub(super) fn reserve_buffer(&self, bytes: usize) -> Result<Reservation> {
        let own = self.buffer().reserve(bytes);
        let of_session = || self.session().and_then(|session| session.buffer().reserve(bytes));
        own.or_else(of_session)
            .or_else(|| self.process().buffer().reserve(bytes))
            .unwrap_or_else(|| {
                Err(Error::new(
                    ErrorClass::Buffer,
                    "a buffered send needs a buffer: attach one with MPI_Buffer_attach first",
                ))
            })
    }
}
