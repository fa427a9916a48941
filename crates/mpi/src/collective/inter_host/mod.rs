//! The inter-host phase of collectives whose ranks live on several hosts.
//!
//! The ranks of each host meet as those of a single host do. The last one to arrive becomes the leader of its host
//! (`leader.rs`): it has the buffers of all its ranks at hand, and exchanges data with the leaders of the other hosts
//! straight from and to these buffers. In a nonblocking collective, where no rank is to wait, an execution context of
//! its own is the leader. What a leader does depends on the operation and on the selection table (`phase.rs`):
//!
//! * parcels serve every operation (`parcel_exchange.rs`, `parcel.rs`);
//! * a barrier is a dissemination barrier; broadcasts go down a binomial tree or along a ring (`broadcast.rs`);
//!   allgather goes by Bruck's algorithm or around a ring (`allgather.rs`);
//! * reductions first combine the data of this host's ranks; the hosts' results are combined by recursive doubling, by
//!   recursive halving, around a ring, up a binomial tree, or pairwise (`reduction.rs`).
//!
//! Many of these can be done in slices of the data at the same time (`slices.rs`).
//!
//! Algorithms send and receive over the trait [`Transport`](transport::Transport) alone, so that tests run them without
//! a network (`mock.rs`). Hosts notice when they are in different calls, and a host that fails tells all others
//! (`channel.rs`). What the algorithms send is counted in `cost.rs`, without sending it. When everything is to be
//! checked, hosts first compare the arguments of all ranks (`consistency.rs`).
//!
//! Costs: one meeting of the ranks of each host, as in the intra-host phase; then the messages that each algorithm's
//! file tells, whatever the number of ranks on each host. A host allocates a few blocks for each round of messages: at
//! most five in a barrier or broadcast and six in a reduction, and four besides (`tests/steady.rs`).

mod accumulator;
mod allgather;
mod allgather_bytes;
mod binomial;
mod blocks;
mod broadcast;
mod bruck;
mod channel;
mod consistency;
mod cost;
mod dissemination;
mod doubling;
mod halving;
mod host_transport;
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
mod round;
mod slices;
#[cfg(test)]
mod tests;
mod transport;

pub use cost::{Cost, Size};
pub(super) use known_buffers::KnownBuffers;
pub(crate) use leader::{Leader, SharedByRanks};
pub(crate) use round::Round;

use channel::Channel;
use host_transport::HostTransport;

use super::call::Call;
use crate::error::Result;
use crate::members::HostMap;
use crate::network::HostChannel;

/// Exchanges bytes among all hosts of a communicator, or the error of a host that has failed; returns the bytes of each
/// host, by position.
///
/// `subject` names the exchange, so that hosts in different ones notice it.
///
/// # Errors
///
/// On all hosts, when one of them has failed or is in another exchange.
pub(crate) fn allgather_among_hosts(
    host_channel: HostChannel<'_>,
    host_map: &HostMap,
    subject: &'static str,
    own: Result<Vec<u8>>,
) -> Result<Vec<Vec<u8>>> {
    let transport = HostTransport {
        host_channel,
        host_map,
    };
    let channel = Channel::new(&transport, Call::new(subject), host_map.seats_of_all());
    let told = match own {
        Ok(own) => allgather_bytes::allgather_bytes(&channel, own),
        Err(fault) => {
            channel.fail(&fault);
            Err(fault)
        }
    };
    host_channel.end();
    told
}
