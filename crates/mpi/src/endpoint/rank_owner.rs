//! The owner of the locks of a rank: the thread that calls MPI for it.
//!
//! | lock | taken by its owner | by others |
//! |---|---|---|
//! | match table | to receive, and for messages that the rank takes out of the ring | to send, probe, cancel |
//! | right to take messages out of a ring | when the rank looks into it | by its virtual processor and senders |
#![allow(unsafe_code, reason = "the first thread of a rank owns its locks")]

use simurgh_core::sync::LockOwner;

/// The owner of the locks of a new rank, which the first thread that calls MPI for the rank is to use, and no other.
pub(super) fn new() -> LockOwner {
    // SAFETY:
    // - `Incoming::owner` gives it out if one thread has been counted; a thread that uses it has been counted before,
    //   so that it is that one. Threads of the library neither start receives in a table nor look into a ring in the
    //   name of a rank.
    unsafe { LockOwner::new() }
}
