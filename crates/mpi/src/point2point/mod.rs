//! Messages between two ranks.
//!
//! Sender and receiver meet in the receiver's table ([`crate::endpoint`]); whoever comes second copies, from the
//! source's layout straight to the target's, after the table has been unlocked:
//!
//! * A sender that finds a posted receive copies into it and completes it. The send is complete then in every mode.
//! * A sender that finds none leaves the message: inside the entry if it has up to [`INLINE_LIMIT`] bytes, in a
//!   pooled buffer up to the eager limit (both unless the receiver's backlog is full), otherwise as a descriptor
//!   of the user's memory. Only with a descriptor the sender has to wait; a synchronous send always leaves a
//!   descriptor.
//! * A message that was copied can be taken back ([`CompletedSend`]) though its send is complete: so cancelling works.
//! * A receiver that finds a message takes it and copies; if it was a descriptor, it completes the send.
//!
//! So a send or receive that was started needs nobody to make progress.
//!
//! Costs of a short blocking message, per side: one lock of the receiver's table and, for who waits, one slot
//! taken and one completion (each one locked instruction, two for the lock); no allocation, no reference count.
//! The receiver's posted entry holds all the sender needs, so that a message between cores moves the table (two to
//! four lines), the target and the ticket. The bench is `benches/pingpong.rs`.
//!
//! [`INLINE_LIMIT`]: crate::limits::INLINE_LIMIT

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
pub use send::{Mode, Started};

use blocking_call::BlockingCall;
use receive::Received;
use send::Sent;
