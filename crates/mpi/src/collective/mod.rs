//! Collectives, as the ranks of a communicator carry them out: how they meet, and the algorithms.
//!
//! A rank takes part with its buffers (`buffers.rs`) and with the work to be done with the buffers of all ranks
//! (`task.rs`). Nothing here knows a communicator; the calls on communicators are in `collective_calls`.
//!
//! In the intra-host phase the ranks of one host meet in one of these ways:
//!
//! * Blocking collectives: every rank brings descriptors of its buffers to one meeting of the host's ranks
//!   (`intra_host.rs`). The last rank to arrive looks up the algorithm (`crate::selection`). Either it does all the
//!   work before it releases the others, alone or with the help of idle virtual processors. Or the work is shared
//!   (`shared_work.rs`): every rank does its part after the release, and a rank whose buffers others use waits until
//!   all have done theirs.
//! * Short reductions: the data itself is brought to the meeting (`by_value.rs`).
//! * Groups of up to four ranks with a core each: every rank watches the others' arrival flags and does its share at
//!   once (`small_group.rs`).
//! * Broadcasts: the root publishes its data, and nobody waits for all (`published.rs`).
//! * Nonblocking collectives: nobody waits (`nonblocking.rs`). Ranks find the same operation by counting what they
//!   start (`outstanding.rs`); the last one to start it does the work or leaves it to whoever has time. A persistent
//!   collective finds its state once, when it is set up (`persistent.rs`).
//!
//! In all of them data is copied once, from the users' buffers to the users' buffers. When everything is checked, the
//! arguments of all ranks are compared first (`consistency.rs`).
//!
//! If the communicator has ranks on several hosts, the last rank to arrive on each host becomes its leader and carries
//! out the inter-host phase (`inter_host`).
//!
//! Reductions combine the ranks' data in rank order, and each element is combined by one rank alone. So results depend
//! neither on scheduling nor on how the work was shared. A user's operation is called as the function of the rank that
//! works.

mod all_buffers;
mod alltoall;
mod broadcast;
mod buffers;
mod by_value;
mod call;
mod consistency;
mod deliver;
mod gather;
mod inter_host;
mod intra_host;
mod local_reduction;
mod neighbor;
mod nonblocking;
mod outstanding;
mod pattern;
mod persistent;
mod published;
mod reduce;
mod role;
mod scan;
mod scatter;
mod share;
mod shared_work;
mod small_group;
mod task;

pub use crate::selection::SelectionTable;
pub use inter_host::{Cost, Size};
pub use intra_host::IntraHost;

pub(crate) use all_buffers::AllBuffers;
pub(crate) use buffers::Buffers;
pub(crate) use by_value::ByValue;
pub(crate) use call::Call;
pub(crate) use deliver::{not_in_place, nowhere_in_place};
pub(crate) use inter_host::{Leader, Round, SharedByRanks, allgather_among_hosts};
pub(crate) use intra_host::{Arrival, Conclusion};
pub(crate) use nonblocking::{Contribution, Invocation};
pub(crate) use outstanding::Outstanding;
pub(crate) use persistent::{Outgoing, PersistentCollective};
pub(crate) use published::{Publication, broadcast as published_broadcast, is_published};
pub(crate) use reduce::Counts;
pub(crate) use task::Task;
