//! The engine's limits: every queue, pool and threshold has its number here.

/// A message up to this size that finds no receive travels inside its match table entry.
pub const INLINE_LIMIT: usize = 56;

/// A standard send up to this size that finds no receive is copied out and completes at once.
pub const EAGER_LIMIT: usize = 8192;

/// Bytes of copied-out messages that may lie unreceived at one rank; beyond, senders wait for the receiver.
pub const BACKLOG_LIMIT: usize = 64 << 20;

/// Up to this many entries a match queue is scanned in order; beyond, it is indexed by bins.
pub const SCAN_LIMIT: usize = 8;

/// Message buffers of each size class that a rank keeps for the next eager message.
pub const POOLED_BUFFERS: usize = 16;

/// Finished requests that a rank keeps for reuse.
pub const POOLED_REQUESTS: usize = 1024;

/// Blocking receives and probes, and as many blocking sends, that can wait in one rank without a request from the
/// pool (a rank has as many at a time as it has threads).
pub const CALL_SLOTS: usize = 4;

/// What a buffered send takes of the attached buffer besides its data (`MPI_BSEND_OVERHEAD`).
pub const BSEND_OVERHEAD: usize = 512;

/// Context ids that rest after their communicator has gone before the first of them is used again.
pub const RESTING_CONTEXTS: usize = 1024;

/// Communicators that may exist on a host at one time.
pub const MAX_COMMUNICATORS: u32 = 1 << 30;

/// Longest name of an object in bytes, with the terminating zero (`MPI_MAX_OBJECT_NAME`).
pub const MAX_OBJECT_NAME: usize = 128;

/// Longest text of an error code in bytes, with the terminating zero (`MPI_MAX_ERROR_STRING`).
pub const MAX_ERROR_STRING: usize = 512;

/// Longest key of an info object in bytes, with the terminating zero (`MPI_MAX_INFO_KEY`).
pub const MAX_INFO_KEY: usize = 256;

/// Longest value of an info object in bytes, with the terminating zero (`MPI_MAX_INFO_VAL`).
pub const MAX_INFO_VAL: usize = 1024;

/// Bytes of work up to which a collective is done by the last rank to arrive; beyond, the ranks share it, which costs a
/// second round of switches.
pub const ALONE_LIMIT: usize = 64 << 10;

/// Bytes of a reduction that are not worth being cut into shares.
pub const SHARE_GRAIN: usize = 4 << 10;

/// Bytes that predefined operations combine at a time, so that partial results stay in the first-level cache.
pub const REDUCTION_CHUNK: usize = 8 << 10;
