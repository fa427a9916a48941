//! From one rank to all.

use super::deliver::deliver;
use super::offers::Offers;
use super::share::Share;
use super::{Collective, Offer, Rooted, Task};
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
            return Ok(self.stand_aside(Rooted::Bcast, None));
        };
        let lends = role.is_root();
        let offer = if lends {
            Offer::new(Some(Parts::Even(buffer.as_source())), None, 0)
        } else {
            Offer::new(None, Some(Parts::Even(buffer.clone())), buffer.bytes())
        };
        let (call, task) = (role.call(Rooted::Bcast), Task::Broadcast { root });
        Ok(Collective::new(self, call, offer, task).lending(lends))
    }
}

/// Gives the root's data to the ranks of a share.
pub(super) fn spread(offers: Offers<'_>, share: Share, root: usize) -> Result<()> {
    let source = offers.at(root).source();
    let bytes = source.as_ref().map_or(0, Source::bytes);
    let writer = Writer::new(bytes.saturating_mul(offers.len()));
    share
        .among(offers.across(root))
        .filter(|seat| *seat != root)
        .try_for_each(|seat| {
            let (source, target) = (source.clone(), offers.at(seat).target());
            deliver(&writer, offers.seating(), source, root, target, seat)
        })
}
