//! Collectives of ranks on several hosts.

mod conduct;
mod dissemination;
mod everybody;
#[cfg(test)]
mod mock;
mod parcel;
mod shipping;
mod talk;
mod venue;
mod way;

pub(super) use everybody::Everybody;
pub(super) use venue::{Round, Venue};

use super::board::Arrived;
use super::offers::Offers;
use super::underway::Part;
use crate::comm::Comm;
use crate::error::Result;

/// Takes part in a collective of several hosts.
#[cold]
pub(super) fn run(comm: &Comm, part: Part) -> Result<()> {
    comm.board().speak(comm.place(), part, |brought, agreement| {
        let round = Round::Called(comm.shared().next_round());
        let Some(venue) = Venue::of(comm, round) else {
            return agreement;
        };
        let local = Offers::new(brought, comm.seating());
        let own = brought[comm.place()].part();
        let parts = brought.iter().filter_map(Arrived::part);
        own.map_or(Ok(()), |own| venue.speak(own, parts, local, agreement))
    })
}
