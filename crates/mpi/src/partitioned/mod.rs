//! Partitioned communication on one host: how sends and receives are paired, and how partitions are moved.
//!
//! Setting up a partitioned send and a partitioned receive pairs them once and for all ([`Pairing`]): the first send
//! that one rank sets up for a communicator, receiver and tag with the first receive of that label, and so on. Ordinary
//! messages take no part in this. A pair shares a [`Channel`], and each start of a side begins its next round.
//! A partition is moved from the sender's layout straight to the receiver's, by the side that comes second:
//!
//! * the sender, in the call that says that the partition is ready, if the receiver has opened the round;
//! * the receiver, when it opens the round, if the partition was ready before.
//!
//! The two sides may be cut into different numbers of partitions; `split.rs` says which of the receiver's a partition
//! of the sender's touches. The round is over for both sides when all the sender's partitions have been moved.
//!
//! Costs of a partition that is ready after the round was opened: the copy, one locked instruction on its flag and one
//! on each of three counters (of the receiver's partition and of the round). No lock, no match table, no allocation.

mod channel;
mod pairing;
mod split;

pub(crate) use channel::{Channel, Receiver, Sender, Side};
pub(crate) use pairing::{Pairing, Pairs, RemotePartitionedSend};
