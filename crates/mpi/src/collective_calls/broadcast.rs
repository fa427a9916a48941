//! `MPI_Bcast`.

use super::{Collective, Rooted};
use crate::collective::{Buffers, Task};
use crate::comm::Comm;
use crate::error::Result;
use crate::memory::{Parts, Target};

impl Comm {
    /// Copies what is in the root's `buffer` to all ranks (`MPI_Bcast`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Root`](crate::ErrorClass::Root) for a wrong root. Running it:
    /// [`ErrorClass::Root`](crate::ErrorClass::Root) if ranks name different roots,
    /// [`ErrorClass::Truncate`](crate::ErrorClass::Truncate) if the root has more than a rank has room for.
    pub fn bcast(&self, buffer: &Target, root: i32) -> Result<Collective<'_>> {
        let role = self.role(root)?;
        let Some(root) = role.seat() else {
            return Ok(self.pass_proc_null(Rooted::Bcast, None));
        };
        let lends = role.is_root();
        let buffers = if lends {
            Buffers::new(Some(Parts::Even(buffer.as_source())), None, 0)
        } else {
            Buffers::new(None, Some(Parts::Even(buffer.clone())), buffer.bytes())
        };
        let (call, task) = (role.call(Rooted::Bcast), Task::Broadcast { root });
        Ok(Collective::new(self, call, buffers, task).lending(lends))
    }
}
