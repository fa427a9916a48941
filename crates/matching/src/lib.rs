//! Matching of receives and messages.
//!
//! Each rank has one table with two queues: the receives that it has posted, and the unexpected messages, which have
//! matched none. A sender searches the posted receives of its destination, a receiver its own unexpected messages. A
//! side that finds nothing adds an entry to the other queue. Both keep MPI's order: among the entries that match, the
//! oldest is taken.
//!
//! A posted receive is a [`Pattern`], a message an [`Envelope`]. An envelope matches four patterns only (its four
//! [generalisations](Envelope::generalisations)). So a receive is in one bin, that of its pattern, and a sender looks
//! at the heads of four bins; a message is in four bins, and a receiver looks at the head of one. Both are O(1)
//! whatever the number of entries. There are no bins, and a queue is scanned in order, until a scan would pass many
//! entries. A message for which the program has promised that no receive uses wildcards is in fewer bins (its [kinds of
//! patterns](PatternKinds)), and a sender does not look into bins of kinds of which there are no receives.
//!
//! Costs: up to the scan limit one line for the queue's header, with the lock, and one or two for each
//! entry scanned; beyond, one hash probe for a receiver and up to four for a sender. No allocation once the tables
//! have grown. The linear time is tested in `model.rs`.
//!
//! May depend on base.
//!
//! # Layers
//!
//! * `context`: the contexts of messages, which tell communicators and partitioned operations apart.
//! * `pattern`: envelopes, and the patterns of receives that fit them.
//! * `slab`: the entries of a queue, in lists.
//! * `bins`: the entries of a queue by pattern, once there are many.
//! * `queue`: posted receives, or unexpected messages.
//! * `model`: tests against a list.

#![forbid(unsafe_code)]

/// The low bits of a message's number that are kept of a send that completed before its receive.
pub const NUMBER_BITS: u32 = 30;

mod bins;
mod context;
mod pattern;
mod queue;
mod slab;

pub use context::{
    PARTITIONED_COMMUNICATORS, PARTITIONED_PAIRS, communicator_of, is_partitioned, partitioned_context,
};
pub use pattern::{Envelope, Pattern, PatternKinds};
pub use queue::{Found, HEADER, Place, Queue};

#[cfg(test)]
mod model;
