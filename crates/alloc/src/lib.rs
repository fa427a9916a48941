//! Memory of the Simurgh runtime: mapped regions with guard regions below them, for stacks.
//!
//! This crate is the bottom of the workspace, and depends on no other crate of it. It has `unsafe` code, for `mmap`.
//!
//! The runtime's own objects come from the C library's allocator. A mimalloc heap for each thread pointer was tried for
//! message buffers. Compared with buffers that the receiver pools, it cost 364 KiB per rank and 20 % of the latency of
//! copied messages.

mod region;

pub use region::{Region, RegionError, page_size};
