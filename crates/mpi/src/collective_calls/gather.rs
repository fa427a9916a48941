//! `MPI_Gather`, `MPI_Gatherv`, `MPI_Allgather` and `MPI_Allgatherv`.

use super::{Collective, Rooted};
use crate::collective::{Buffers, Call, Task, not_in_place};
use crate::comm::Comm;
use crate::error::Result;
use crate::memory::{Parts, Source, Target};

impl Comm {
    /// Collects a part from each rank at the root (`MPI_Gather`, `MPI_Gatherv`).
    ///
    /// `send` is `None` at a root that has its own part in place; `recv` means something at the root only.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Root`](crate::ErrorClass::Root) for a wrong root. Running it:
    /// [`ErrorClass::Root`](crate::ErrorClass::Root) if ranks name different roots,
    /// [`ErrorClass::Truncate`](crate::ErrorClass::Truncate) if a rank sends more than the root has room for.
    pub fn gather(
        &self,
        send: Option<&Source>,
        recv: Option<Parts<Target>>,
        root: i32,
    ) -> Result<Collective<'_>> {
        let role = self.role(root)?;
        let Some(seat) = role.seat() else {
            return Ok(self.pass_proc_null(Rooted::Gather, None));
        };
        let lends = role.is_root();
        if send.is_none() && !lends {
            return Err(not_in_place(self.rank(), root));
        }
        let send = send.filter(|_| role.is_member());
        let work = send.map_or(0, Source::bytes);
        let buffers = Buffers::new(send.cloned().map(Parts::Even), recv.filter(|_| lends), work);
        let (call, task) = (role.call(Rooted::Gather), Task::Gather { root: seat });
        Ok(Collective::new(self, call, buffers, task).lending(lends))
    }

    /// Collects a part from each rank at every rank (`MPI_Allgather`, `MPI_Allgatherv`).
    ///
    /// `send` is `None` at a rank that has its own part in place in `recv`.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Buffer`](crate::ErrorClass::Buffer) for data in place between two groups. Running it:
    /// [`ErrorClass::Truncate`](crate::ErrorClass::Truncate) if a rank sends more than another has room for.
    pub fn allgather(&self, send: Option<&Source>, recv: Parts<Target>) -> Result<Collective<'_>> {
        self.check_placed(send.is_none())?;
        let own = || recv.part(self.index()).map(|part| part.as_source());
        let source = send.cloned().or_else(own).map(Parts::Even);
        let work = recv.bytes(self.peers());
        let buffers = Buffers::new(source, Some(recv), work).placed(send.is_none());
        Ok(Collective::new(self, Call::ALLGATHER, buffers, Task::Allgather))
    }
}
