//! What can go wrong when a runtime starts.

/// Why there is no runtime, or no execution context in it.
#[derive(Debug, thiserror::Error)]
pub enum SchedError {
    /// hwloc could not read the machine.
    #[error("cannot read the machine's topology: {0}")]
    Topology(String),
    /// The process may run on no core.
    #[error("this process may run on no core: check its cpuset and affinity (taskset -p)")]
    NoCores,
    /// More virtual processors than the limit.
    #[error("{asked} virtual processors asked for: choose 1 to {limit}")]
    VpCount {
        /// Number asked for.
        asked: usize,
        /// Largest number supported.
        limit: usize,
    },
    /// A kernel thread could not be started.
    #[error("cannot start the kernel thread of virtual processor {vp}: {source}")]
    Thread {
        /// Index of the virtual processor.
        vp: usize,
        /// The system's reason.
        source: std::io::Error,
    },
    /// No stack for an execution context.
    #[error("cannot make an execution context: {0}")]
    Stack(#[from] simurgh_core::StackError),
    /// A policy name nobody knows.
    #[error("unknown scheduling policy '{0}': choose one of: {known}", known = crate::policy::NAMES.join(", "))]
    UnknownPolicy(String),
}
