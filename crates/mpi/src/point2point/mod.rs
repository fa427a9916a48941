//! Messages between two ranks.
//!
//! A message is matched in the table of its receiver ([`crate::endpoint`]). Whichever side comes second copies the
//! data, from the source's layout straight to the target's, after the table has been unlocked:
//!
//! * A sender that finds a posted receive copies into its target and completes it. The send is complete then in every
//!   mode.
//! * A sender that finds none queues an unexpected message. A short message lies in the entry itself, if it has up to
//!   [`INLINE_LIMIT`] bytes; a message up to the eager limit in an eager buffer (both unless the receiver's backlog is
//!   full); any other as a descriptor of the user's memory. Only with a descriptor does the sender have to wait. A
//!   synchronous send always leaves a descriptor.
//! * A receiver that finds an unexpected message takes it and copies the data. If it was a descriptor, the receiver
//!   completes the send.
//! * A nonblocking send of up to two kilobytes leaves its address in the ring of a receiver that has one
//!   ([`crate::endpoint`]). The receiver copies it when it looks; before the sender would sleep, it has it copied out.
//! * A message that was copied can be cancelled though its send is complete ([`CompletedSend`]).
//!
//! So a send or receive between ranks of one host needs no progress engine.
//!
//! Costs of a short blocking message, per side: one lock of the receiver's table and, for a side that waits, one slot
//! taken and one completion (each one locked instruction, two for the lock); no allocation, no reference count. The
//! posted entry holds all that the sender needs, so that a message between cores moves the lines of the table (two to
//! four), of the target, and of the status cell. The bench is `benches/pingpong.rs`.
//!
//! [`INLINE_LIMIT`]: crate::limits::INLINE_LIMIT

mod awaited_target;
mod blocking_call;
mod buffered;
mod cancel;
mod completed_send;
mod exchange;
mod inter_host;
mod message;
mod partitioned;
mod persistent;
mod probe;
mod receive;
mod send;

pub use completed_send::CompletedSend;
pub use message::Message;
pub use receive::Irecv;
pub use send::{Mode, Started};

use awaited_target::AwaitedTarget;
use blocking_call::BlockingCall;
use receive::Received;
use send::Sent;
