//! `MPI_Scatter` and `MPI_Scatterv`.

use super::{Collective, Rooted};
use crate::collective::{Buffers, Task, not_in_place};
use crate::comm::Comm;
use crate::error::Result;
use crate::memory::{Parts, Source, Target};

impl Comm {
    /// Copies to each rank its part of the root's buffer (`MPI_Scatter`, `MPI_Scatterv`).
    ///
    /// `recv` is `None` at a root that leaves its own part in place; `send` means something at the root only.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Root`](crate::ErrorClass::Root) for a wrong root. Running it:
    /// [`ErrorClass::Root`](crate::ErrorClass::Root) if ranks name different roots,
    /// [`ErrorClass::Truncate`](crate::ErrorClass::Truncate) if the root has more for a rank than it has room for.
    pub fn scatter(
        &self,
        send: Option<Parts<Source>>,
        recv: Option<&Target>,
        root: i32,
    ) -> Result<Collective<'_>> {
        let role = self.role(root)?;
        let Some(seat) = role.seat() else {
            return Ok(self.pass_proc_null(Rooted::Scatter, None));
        };
        let lends = role.is_root();
        if recv.is_none() && !lends {
            return Err(not_in_place(self.rank(), root));
        }
        let recv = recv.filter(|_| role.is_member());
        let work = recv.map_or(0, Target::bytes);
        let buffers = Buffers::new(send.filter(|_| lends), recv.cloned().map(Parts::Even), work);
        let (call, task) = (role.call(Rooted::Scatter), Task::Scatter { root: seat });
        Ok(Collective::new(self, call, buffers, task).lending(lends))
    }
}
