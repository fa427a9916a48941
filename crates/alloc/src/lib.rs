//! Memory of the Simurgh runtime: mapped regions with guard regions below them, for stacks; ranges of addresses that
//! are reserved, and dumps of them.
//!
//! This crate is the bottom of the workspace, and depends on no other crate of it. It has `unsafe` code, for `mmap`.
//!
//! The runtime's own objects come from the C library's allocator. A mimalloc heap for each thread pointer was tried for
//! message buffers. Compared with buffers that the receiver pools, it cost 364 KiB per rank and 20 % of the latency of
//! copied messages.
//!
//! # Layers
//!
//! * `region`: mapped memory with a guard region
//! * `give_back`: giving pages back to the system
//! * `dump`: what a range of addresses holds, to be mapped again

mod dump;
mod give_back;
mod region;

pub use dump::{Dump, FilePiece, Kept};
pub use give_back::give_back;
pub use region::{Region, RegionError, page_size, reserve};
