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
    /// The kernel thread of the starvation guard could not be started.
    #[error("cannot start the kernel thread of the starvation guard: {0}")]
    Guard(#[source] std::io::Error),
    /// No stack for an execution context.
    #[error("cannot make an execution context: {0}")]
    Stack(#[from] simurgh_core::StackError),
    /// A job wants ranks to be placed by hardware that this machine does not have.
    #[error("this machine has no {unit} that could be told from others: choose one of {known}")]
    NoSuchUnit {
        /// The hardware.
        unit: &'static str,
        /// What there is.
        known: String,
    },
    /// A rank wants more cores than there are together.
    #[error("no {unit} of this machine has the {wanted} {element}s that each rank is to have")]
    TooSmall {
        /// What is to have them.
        unit: &'static str,
        /// How many.
        wanted: usize,
        /// What.
        element: &'static str,
    },
    /// There are more ranks than may be.
    #[error("{ranks} ranks are too many for the {places} places that this machine has for them")]
    TooMany {
        /// How many ranks there are to be.
        ranks: usize,
        /// How many there may be.
        places: usize,
    },
    /// A processor is not there.
    #[error("processor {cpu} is not among those that may be used here: {allowed}")]
    NoSuchProcessor {
        /// Its number.
        cpu: usize,
        /// Those that may be used.
        allowed: String,
    },
    /// A policy name nobody knows.
    #[error("unknown scheduling policy '{0}': choose one of: {known}", known = crate::policy::NAMES.join(", "))]
    UnknownPolicy(String),
}
