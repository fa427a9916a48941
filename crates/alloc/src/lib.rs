//! Memory of the Simurgh runtime: mapped regions with guard pages (stacks) and message buffers.
//!
//! The bottom of the workspace: it depends on no other crate of it. `unsafe` is allowed here, for `mmap` and for
//! mimalloc. Message buffers come from mimalloc because its free lists follow the thread pointer: each execution
//! context allocates and frees without a lock and, in steady state, without a system call.

mod buffer;
mod region;
mod thread_heap;

pub use buffer::Buffer;
pub use region::{Region, RegionError, page_size};
pub use thread_heap::release_thread_heap;
