//! Statuses of receives and probes.

use crate::Equivalence;

/// The sender, the tag and the length of a message (section 3.2.5 of the standard).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status(simurgh_mpi::Status);

impl From<simurgh_mpi::Status> for Status {
    fn from(status: simurgh_mpi::Status) -> Self {
        Self(status)
    }
}

impl Status {
    /// The sender's rank in the communicator; `None` if there was no message (`MPI_PROC_NULL`).
    #[must_use]
    pub fn source(&self) -> Option<usize> {
        usize::try_from(self.0.source).ok()
    }

    /// The tag; `None` if there was no message.
    #[must_use]
    pub fn tag(&self) -> Option<i32> {
        Some(self.0.tag).filter(|tag| *tag >= 0)
    }

    /// Bytes of data.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.0.bytes
    }

    /// The number of values of type `T`; `None` if the last one is not complete (`MPI_Get_count`).
    #[must_use]
    pub fn count<T: Equivalence>(&self) -> Option<usize> {
        let elements = usize::try_from(T::datatype().count_in(self.0.bytes)?).ok()?;
        match T::COUNT {
            0 => (elements == 0).then_some(0),
            each => elements.is_multiple_of(each).then_some(elements / each),
        }
    }
}
