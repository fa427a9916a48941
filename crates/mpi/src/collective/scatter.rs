//! From one rank a different part to each.

use super::deliver::{deliver, not_in_place};
use super::offers::Offers;
use super::share::Share;
use super::{Call, Collective, Offer, Task};
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
    /// [`ErrorClass::Root`](crate::ErrorClass::Root) for a wrong root. Running it:
    /// [`ErrorClass::Root`](crate::ErrorClass::Root) if ranks name different roots,
    /// [`ErrorClass::Truncate`](crate::ErrorClass::Truncate) if the root has more for a rank than it has room for.
    pub fn scatter(
        &self,
        send: Option<Parts<Source>>,
        recv: Option<&Target>,
        root: i32,
    ) -> Result<Collective<'_>> {
        check::root(root, self)?;
        let lends = root == self.rank();
        if recv.is_none() && !lends {
            return Err(not_in_place(self.rank(), root));
        }
        let root = root as usize;
        let work = recv.map_or(0, Target::bytes);
        let offer = Offer::new(send.filter(|_| lends), recv.cloned().map(Parts::Even), work);
        let (call, task) = (Call::SCATTER.at(root), Task::Scatter { root });
        Ok(Collective::new(self, call, offer, task).lending(lends))
    }
}

/// Gives the ranks of a share their parts of the root's data.
pub(super) fn distribute(offers: Offers<'_>, share: Share, root: usize) -> Result<()> {
    share
        .seats(offers.len())
        .filter(|seat| offers.at(*seat).recv.is_some())
        .try_for_each(|seat| {
            deliver(
                offers.at(root).source_part(seat),
                root,
                offers.at(seat).target(),
                seat,
            )
        })
}
