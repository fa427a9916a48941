//! From one rank to all.

use super::{Call, Offer, Offers, Share, deliver};
use crate::check;
use crate::comm::Comm;
use crate::error::Result;
use crate::memory::{Parts, Target};

impl Comm {
    /// Gives what is in the root's `buffer` to all ranks (`MPI_Bcast`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Root`](crate::ErrorClass::Root) for a wrong root or ranks that name different ones;
    /// [`ErrorClass::Truncate`](crate::ErrorClass::Truncate) if the root has more than a rank has room for.
    pub fn bcast(&self, buffer: &Target, root: i32) -> Result<()> {
        check::root(root, self)?;
        let (root, lends) = (root as usize, root == self.rank());
        let offer = if lends {
            Offer::new(Some(Parts::Even(buffer.as_source())), None, 0)
        } else {
            Offer::new(None, Some(Parts::Even(buffer.clone())), buffer.bytes())
        };
        self.meet_at(Call::BCAST, root, offer, lends, |offers, share| {
            spread(offers, share, root)
        })
    }
}

fn spread(offers: Offers<'_>, share: Share, root: usize) -> Result<()> {
    share
        .ranks(offers.len())
        .filter(|rank| *rank != root)
        .try_for_each(|rank| deliver(offers[root].source(), root, offers[rank].target(), rank))
}
