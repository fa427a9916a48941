//! What a receive or a probe tells.

use crate::Equivalence;

/// Who sent a message, with which tag, and how long it is (section 3.2.5 of the standard).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status(simurgh_mpi::Status);

impl From<simurgh_mpi::Status> for Status {
    fn from(status: simurgh_mpi::Status) -> Self {
        Self(status)
    }
}

impl Status {
    /// The sender's rank in the communicator; `None` if the message came from nobody.
    #[must_use]
    pub fn source(&self) -> Option<usize> {
        usize::try_from(self.0.source).ok()
    }

    /// The tag; `None` if the message came from nobody.
    #[must_use]
    pub fn tag(&self) -> Option<i32> {
        Some(self.0.tag).filter(|tag| *tag >= 0)
    }

    /// Bytes of data.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.0.bytes
    }

    /// Number of values of type `T`; `None` if the last one is not whole (`MPI_Get_count`).
    #[must_use]
    pub fn count<T: Equivalence>(&self) -> Option<usize> {
        let elements = usize::try_from(T::datatype().count_in(self.0.bytes)?).ok()?;
        match T::COUNT {
            0 => (elements == 0).then_some(0),
            each => elements.is_multiple_of(each).then_some(elements / each),
        }
    }
}
