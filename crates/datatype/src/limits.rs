//! Thresholds of copies and reductions. `simurgh-mpi` has the table of all limits, with these in it.

/// Bytes that a rank may bring to a collective for it to be done by value.
pub const PACKET: usize = 40;

/// Bytes that reductions combine at a time, so that partial results stay in the first-level cache.
pub const REDUCTION_CHUNK: usize = 8 << 10;

/// Bytes from which on a host keeps memory of its own for data on its way to or from other hosts, for the next.
pub const SPARE_MIN: usize = 64 << 10;

/// Bytes that a host keeps so at most.
pub const SPARE_MEMORY: usize = 64 << 20;
