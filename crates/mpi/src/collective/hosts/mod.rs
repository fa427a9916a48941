//! Collectives of ranks on several hosts.
//!
//! The ranks of each host meet as those of a single host do, and whoever is last to come speaks for all of them with
//! the other hosts (`venue.rs`): it has what they offer in hand, and data goes straight from and to their buffers. When
//! nobody is to wait, an execution context of its own does it. What a host then does is up to the operation and the
//! table of algorithms (`conduct.rs`):
//!
//! * parcels serve every operation (`shipping.rs`, `parcel.rs`);
//! * a barrier is dissemination; broadcasts go down a binomial tree or along a ring (`broadcast.rs`); gathering
//!   everywhere goes by Bruck's algorithm or around a ring (`allgather.rs`);
//! * reductions combine what is here first, and what each host then has by recursive doubling, halving, around a ring,
//!   up a binomial tree or pairwise (`reduction.rs`).
//!
//! Many of these can be done in slices of the data, all at the same time (`slices.rs`).
//!
//! Algorithms talk over [`Way`](way::Way) alone, so tests run them without a network (`mock.rs`). Hosts notice when
//! they are in different calls, and a host that fails says so to all (`talk.rs`); when everything is to be checked they
//! compare first what all ranks bring (`statement.rs`).
//!
//! Costs: one meeting of the ranks here, as on one host; then the messages that each algorithm's file tells, whatever
//! the number of ranks on each host. A host allocates a few blocks for each round of messages: at most five in a
//! barrier or broadcast and six in a reduction, and four beside them (`tests/steady.rs`).

mod allgather;
mod binomial;
mod blocks;
mod broadcast;
mod bruck;
mod conduct;
mod dissemination;
mod doubling;
mod everybody;
mod growing;
mod halving;
#[cfg(test)]
mod mock;
mod pairwise;
mod parcel;
mod powers;
mod reduction;
mod ring;
mod shipping;
mod slices;
mod statement;
mod talk;
mod telling;
#[cfg(test)]
mod tests;
mod venue;
mod way;

pub(super) use everybody::Everybody;
pub(crate) use venue::Round;
pub(super) use venue::Venue;

use talk::Talk;
use venue::Wires;

use super::board::Arrived;
use super::call::Call;
use super::offers::Offers;
use super::underway::Part;
use crate::comm::Comm;
use crate::error::Result;
use crate::members::Span;
use crate::remote::Line;

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
        let parts: Vec<_> = brought.iter().filter_map(Arrived::part).collect();
        own.map_or(Ok(()), |own| venue.speak(own, &parts, local, agreement))
    })
}

/// Tells all hosts of the span what this one has to say about a subject, or that it has failed; gives what each has
/// told, by position.
///
/// # Errors
///
/// On all hosts, when one of them has failed or talks about something else.
pub(crate) fn tell_all(
    line: Line<'_>,
    span: &Span,
    subject: &'static str,
    own: Result<Vec<u8>>,
) -> Result<Vec<Vec<u8>>> {
    let wires = Wires { line, span };
    let talk = Talk::new(&wires, Call::new(subject), span.seats_of_all());
    let told = match own {
        Ok(own) => telling::tell_all(&talk, own),
        Err(fault) => {
            talk.fail(&fault);
            Err(fault)
        }
    };
    line.end();
    told
}
