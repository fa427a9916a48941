//! Collectives, as the ranks of a communicator do them: where they meet, and the algorithms.
//!
//! A rank takes part with its buffers (`buffers.rs`) and with what has to be done with those of all ranks (`task.rs`).
//! Nothing here knows a communicator; the calls on communicators are `collective_calls`.
//!
//! A short reduction goes by value (`by_value.rs`), and in a broadcast the root publishes its data (`published.rs`). The
//! ranks of a small group see each other, and each does its share of the work at once (`small_group.rs`). Any other
//! blocking collective is one meeting of the ranks of a host (`intra_host.rs`). Each brings descriptors of its buffers;
//! then the algorithm is looked up (`selection`). Either the last rank to arrive does all of the work before it releases
//! the others, alone or with the help of idle virtual processors. Or the work is shared (`shared_work.rs`): every rank
//! does its part after the release, and a rank whose buffers others use waits until all have done theirs. Either way
//! data goes once, straight from the users' buffers to the users' buffers. When everything is checked, what all bring is
//! compared first (`consistency.rs`).
//!
//! A nonblocking collective waits for nobody (`nonblocking.rs`): what the ranks bring lies where they find it by counting
//! what they start (`outstanding.rs`), and the last rank to come does the work or leaves it to whoever has time. A
//! persistent one is found once, when it is set up (`persistent.rs`).
//!
//! All that is the intra-host phase. If the communicator has ranks on several hosts, the last rank to come on each host
//! leads it in the inter-host phase (`inter_host`).
//!
//! Reductions combine the ranks' data in rank order, each element by one rank alone, so results depend neither on the
//! scheduling nor on how the work was shared. A user's operation is called as the function of the rank that works.

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
pub(crate) use persistent::PersistentCollective;
pub(crate) use published::{Publication, broadcast as published_broadcast, is_published};
pub(crate) use reduce::Counts;
pub(crate) use task::Task;
