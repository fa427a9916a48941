//! From all ranks to one, and from all to all the same.

use super::{Call, Offer, Offers, Share, deliver, not_in_place};
use crate::check;
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
    /// [`ErrorClass::Root`](crate::ErrorClass::Root) for a wrong root or ranks that name different ones;
    /// [`ErrorClass::Truncate`](crate::ErrorClass::Truncate) if a rank sends more than the root has room for.
    pub fn gather(&self, send: Option<&Source>, recv: Option<Parts<Target>>, root: i32) -> Result<()> {
        check::root(root, self)?;
        let lends = root == self.rank();
        if send.is_none() && !lends {
            return Err(not_in_place(self.rank(), root));
        }
        let root = root as usize;
        let work = send.map_or(0, Source::bytes);
        let offer = Offer::new(send.cloned().map(Parts::Even), recv.filter(|_| lends), work);
        self.meet_at(Call::GATHER, root, offer, lends, |offers, share| {
            collect(offers, share, root)
        })
    }

    /// Collects a part from each rank at every rank (`MPI_Allgather`, `MPI_Allgatherv`).
    ///
    /// `send` is `None` at a rank that has its own part in place in `recv`.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Truncate`](crate::ErrorClass::Truncate) if a rank sends more than another has room for.
    pub fn allgather(&self, send: Option<&Source>, recv: Parts<Target>) -> Result<()> {
        let own = || recv.part(self.index()).map(|part| part.as_source());
        let source = send.cloned().or_else(own).map(Parts::Even);
        let work = recv.bytes(self.size());
        let in_place = send.is_none();
        let offer = Offer::new(source, Some(recv), work).placed(in_place);
        self.meet(Call::ALLGATHER, offer, collect_everywhere)
    }
}

fn collect(offers: Offers<'_>, share: Share, root: usize) -> Result<()> {
    share
        .ranks(offers.len())
        .filter(|rank| offers[*rank].send.is_some())
        .try_for_each(|rank| deliver(offers[rank].source(), rank, offers[root].target_part(rank), root))
}

fn collect_everywhere(offers: Offers<'_>, share: Share) -> Result<()> {
    let size = offers.len();
    for rank in share.ranks(size) {
        // Each rank begins with its own part, so that not all read the same one at a time.
        let others = (rank..size).chain(0..rank);
        for from in others.filter(|from| *from != rank || !offers[rank].in_place) {
            deliver(offers[from].source(), from, offers[rank].target_part(from), rank)?;
        }
    }
    Ok(())
}
