//! The end of a thread's share of mimalloc.

/// Gives the blocks cached for the calling thread pointer back to the common heap.
///
/// For execution contexts, which end without passing through the thread exit that mimalloc watches. The thread may go
/// on to allocate: it then starts afresh.
pub fn release_thread_heap() {
    // SAFETY:
    // - may be called by any thread at any time; blocks in use stay valid.
    unsafe { libmimalloc_sys::mi_thread_done() };
}
