//! Queues of what workers run: linked through their elements, so that pushing and splicing allocate nothing.

mod inbox;
mod intrusive;
mod run_queue;

pub use inbox::Inbox;
pub use intrusive::{IntrusiveQueue, Node};
pub use run_queue::RunQueue;
