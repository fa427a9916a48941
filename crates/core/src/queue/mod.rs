//! Queues: of what workers run, linked through their elements, so that pushing and splicing allocate nothing; and of
//! short messages.

mod inbox;
mod intrusive;
mod message_ring;
mod run_queue;

pub use inbox::Inbox;
pub use intrusive::{IntrusiveQueue, Node};
pub use message_ring::{FirstMessage, LINE_WORDS, LineData, MessageRing, Refusal};
pub use run_queue::RunQueue;
