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
//! Algorithms talk over [`Transport`](way::Transport) alone, so tests run them without a network (`mock.rs`). Hosts notice when
//! they are in different calls, and a host that fails says so to all (`talk.rs`); when everything is to be checked they
//! compare first what all ranks bring (`statement.rs`).
//!
//! Costs: one meeting of the ranks here, as on one host; then the messages that each algorithm's file tells, whatever
//! the number of ranks on each host. A host allocates a few blocks for each round of messages: at most five in a
//! barrier or broadcast and six in a reduction, and four beside them (`tests/steady.rs`).

mod accumulator;
mod allgather;
mod allgather_bytes;
mod binomial;
mod blocks;
mod broadcast;
mod bruck;
mod channel;
mod consistency;
mod dissemination;
mod doubling;
mod halving;
mod known_buffers;
mod leader;
#[cfg(test)]
mod mock;
mod pairwise;
mod parcel;
mod parcel_exchange;
mod phase;
mod power_of_two;
mod reduction;
mod ring;
mod slices;
#[cfg(test)]
mod tests;
mod transport;

pub(super) use known_buffers::KnownBuffers;
pub(crate) use leader::{Leader, Round, SharedByRanks};

use channel::Channel;
use leader::HostTransport;

use super::call::Call;
use crate::error::Result;
use crate::members::HostMap;
use crate::network::Line;

/// Tells all hosts of the span what this one has to say about a subject, or that it has failed; gives what each has
/// told, by position.
///
/// # Errors
///
/// On all hosts, when one of them has failed or talks about something else.
pub(crate) fn allgather_among_hosts(
    line: Line<'_>,
    host_map: &HostMap,
    subject: &'static str,
    own: Result<Vec<u8>>,
) -> Result<Vec<Vec<u8>>> {
    let wires = HostTransport { line, host_map };
    let channel = Channel::new(&wires, Call::new(subject), host_map.seats_of_all());
    let told = match own {
        Ok(own) => allgather_bytes::allgather_bytes(&channel, own),
        Err(fault) => {
            channel.fail(&fault);
            Err(fault)
        }
    };
    line.end();
    told
}
