//! `MPI_Alltoall`, `MPI_Alltoallv` and `MPI_Alltoallw`.

use super::Collective;
use crate::collective::{Buffers, Call, Task};
use crate::comm::Comm;
use crate::error::Result;
use crate::memory::{Parts, Source, Target};

impl Comm {
    /// Copies to each rank its part of every rank's buffer (`MPI_Alltoall`, `MPI_Alltoallv`, `MPI_Alltoallw`).
    ///
    /// Without `send`, which all ranks then leave out, the parts of `recv` are sent and replaced.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Buffer`](crate::ErrorClass::Buffer) for data in place between two groups. Running it:
    /// [`ErrorClass::Truncate`](crate::ErrorClass::Truncate) if a rank has more for another than that has room for;
    /// [`ErrorClass::Other`](crate::ErrorClass::Other) if only some ranks work in place.
    pub fn alltoall(&self, send: Option<Parts<Source>>, recv: Parts<Target>) -> Result<Collective<'_>> {
        self.check_placed(send.is_none())?;
        let (call, task) = match send {
            Some(_) => (Call::ALLTOALL, Task::Alltoall),
            None => (Call::ALLTOALL_IN_PLACE, Task::AlltoallInPlace),
        };
        let work = recv.bytes(self.peers());
        Ok(Collective::new(
            self,
            call,
            Buffers::new(send, Some(recv), work),
            task,
        ))
    }
}
