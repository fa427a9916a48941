//! Persistent buffered sends.

use simurgh_mpi::Result;
use simurgh_typed::Mode;

use super::PersistentSend;
use crate::{Destination, Equivalence, SendBuffer};

impl SendBuffer<'_> {
    /// Sets up a send that leaves its values in the buffer at each start if nobody receives them yet
    /// (`MPI_Bsend_init`). A start fails with [`ErrorClass::Buffer`](crate::ErrorClass::Buffer) if the communicator has
    /// no buffer any more, or too small a one.
    ///
    /// # Errors
    ///
    /// As [`Communicator::send`](crate::Communicator::send).
    pub fn persistent_bsend<T: Equivalence>(
        &self,
        values: Vec<T>,
        dest: impl Into<Destination>,
        tag: i32,
    ) -> Result<PersistentSend<T>> {
        self.communicator()
            .persistent_send_in(Mode::Buffered, values, dest.into(), tag)
    }
}
