//! Unique names of jobs. Other MPIs derive from them the names of what processes share on a node.

/// A name that no other job has.
pub(crate) fn unique_name() -> String {
    let mut random = [0; 8];
    // Without random numbers the process's number has to do.
    let _ = rustix::rand::getrandom(&mut random, rustix::rand::GetRandomFlags::empty());
    format!(
        "simurgh_{}_{:016x}",
        std::process::id(),
        u64::from_le_bytes(random)
    )
}
