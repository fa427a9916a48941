//! From all ranks to one, and from all to all the same.

use super::all_buffers::AllBuffers;
use super::deliver::{deliver, not_in_place};
use super::share::Share;
use super::{Buffers, Call, Collective, Rooted, Task};
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

/// Brings the parts of the ranks of a share to the root.
pub(super) fn collect(all_buffers: AllBuffers<'_>, share: Share, root: usize) -> Result<()> {
    share
        .among(all_buffers.peers_of(root))
        .filter(|seat| all_buffers.at(*seat).send.is_some())
        .try_for_each(|seat| {
            let rank = all_buffers.rank(seat);
            let (source, target) = (
                all_buffers.at(seat).source(),
                all_buffers.at(root).target_part(rank),
            );
            deliver(
                &all_buffers.writer_for(seat),
                all_buffers.group_sizes(),
                source,
                seat,
                target,
                root,
            )
        })
}

/// Brings all parts to the ranks of a share.
pub(super) fn collect_everywhere(all_buffers: AllBuffers<'_>, share: Share) -> Result<()> {
    for seat in share.seats(all_buffers.len()) {
        let writer = all_buffers.writer_for(seat).alone();
        let placed = |from: &usize| *from == seat && all_buffers.at(seat).in_place;
        // Each rank begins with its own part, so that not all read the same one at a time.
        for from in all_buffers.peers_from(seat).filter(|from| !placed(from)) {
            let target = all_buffers.at(seat).target_part(all_buffers.rank(from));
            let source = all_buffers.at(from).source();
            deliver(&writer, all_buffers.group_sizes(), source, from, target, seat)?;
        }
    }
    Ok(())
}
