//! From one rank a different part to each.

use super::{Call, Offer, Offers, Share, deliver, not_in_place};
use crate::check;
use crate::comm::Comm;
use crate::error::Result;
use crate::memory::{Parts, Source, Target};

impl Comm {
    /// Gives each rank its part of the root's buffer (`MPI_Scatter`, `MPI_Scatterv`).
    ///
    /// `recv` is `None` at a root that leaves its own part in place; `send` means something at the root only.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Root`](crate::ErrorClass::Root) for a wrong root or ranks that name different ones;
    /// [`ErrorClass::Truncate`](crate::ErrorClass::Truncate) if the root has more for a rank than it has room for.
    pub fn scatter(&self, send: Option<Parts<Source>>, recv: Option<&Target>, root: i32) -> Result<()> {
        check::root(root, self)?;
        let lends = root == self.rank();
        if recv.is_none() && !lends {
            return Err(not_in_place(self.rank(), root));
        }
        let root = root as usize;
        let work = recv.map_or(0, Target::bytes);
        let offer = Offer::new(send.filter(|_| lends), recv.cloned().map(Parts::Even), work);
        self.meet_at(Call::SCATTER, root, offer, lends, |offers, share| {
            distribute(offers, share, root)
        })
    }
}

fn distribute(offers: Offers<'_>, share: Share, root: usize) -> Result<()> {
    share
        .ranks(offers.len())
        .filter(|rank| offers[*rank].recv.is_some())
        .try_for_each(|rank| deliver(offers[root].source_part(rank), root, offers[rank].target(), rank))
}
