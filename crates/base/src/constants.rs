//! Special values of arguments, with the numbers of the standard ABI.

/// Receive from any rank.
pub const ANY_SOURCE: i32 = -1;
/// Receive a message with any tag.
pub const ANY_TAG: i32 = -2;
/// The rank of nobody: communication with it does nothing.
pub const PROC_NULL: i32 = -3;
/// The root of an operation over an intercommunicator, on the root itself.
pub const ROOT: i32 = -4;
/// No value, no rank, no colour.
pub const UNDEFINED: i32 = -32766;
/// The largest tag a message may have (the attribute `MPI_TAG_UB`).
pub const TAG_UB: i32 = i32::MAX;
/// The last number that the standard keeps for its own error codes.
pub const LASTCODE: i32 = 0x3fff;
