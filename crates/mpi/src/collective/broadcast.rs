//! From one rank to all.

use super::all_buffers::AllBuffers;
use super::deliver::deliver;
use super::share::Share;
use super::{Buffers, Collective, Rooted, Task};
use crate::comm::Comm;
use crate::error::Result;
use crate::memory::{Parts, Source, Target, Writer};

impl Comm {
    /// Gives what is in the root's `buffer` to all ranks (`MPI_Bcast`).
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

/// Gives the root's data to the ranks of a share.
pub(super) fn spread(all_buffers: AllBuffers<'_>, share: Share, root: usize) -> Result<()> {
    let source = all_buffers.at(root).source();
    let bytes = source.as_ref().map_or(0, Source::bytes);
    let writer = Writer::new(bytes.saturating_mul(all_buffers.len()));
    share
        .among(all_buffers.peers_of(root))
        .filter(|seat| *seat != root)
        .try_for_each(|seat| {
            let (source, target) = (source.clone(), all_buffers.at(seat).target());
            deliver(&writer, all_buffers.group_sizes(), source, root, target, seat)
        })
}
