//! Queues: of what workers run, linked through their elements, so that pushing and splicing allocate nothing; and of
//! short messages.

mod inbox;
mod intrusive;
mod message_ring;
mod run_queue;
mod shared_bytes;

pub use inbox::Inbox;
pub use intrusive::{IntrusiveQueue, Node};
pub use message_ring::{FirstMessage, LINE_WORDS, LineData, MESSAGE_CELL, MessageRing, Refusal};
pub use run_queue::RunQueue;
pub use shared_bytes::SharedBytes;
