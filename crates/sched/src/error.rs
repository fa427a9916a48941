//! Errors at the start of a runtime or of an execution context.

/// Why a runtime, or an execution context in it, cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum SchedError {
    /// hwloc could not read the machine.
    #[error("cannot read the machine's topology: {0}")]
    Topology(String),
    /// The process may not run on any core.
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
    /// The kernel thread that evens out the load could not be started.
    #[error("cannot start the kernel thread of the policy balance: {0}")]
    Balancer(#[source] std::io::Error),
    /// No stack for an execution context.
    #[error("cannot make an execution context: {0}")]
    Stack(#[from] simurgh_core::StackError),
    /// Ranks are to be placed by a kind of hardware that this machine does not have.
    #[error("this machine has no {unit} that could be told from others: choose one of {known}")]
    NoSuchUnit {
        /// The kind of hardware.
        unit: &'static str,
        /// The kinds that there are.
        known: String,
    },
    /// No core would be left for ranks.
    #[error("--reserve-cores {count} leaves no core for ranks: they may use {cores} here; reserve fewer")]
    AllReserved {
        /// The number of cores to reserve.
        count: usize,
        /// The number of cores that the process may use.
        cores: usize,
    },
    /// A rank is to have more cores than lie together anywhere.
    #[error("no {unit} of this machine has the {wanted} {element}s that each rank is to have")]
    TooSmall {
        /// The kind of hardware in which they are to lie.
        unit: &'static str,
        /// How many elements.
        wanted: usize,
        /// The kind of element.
        element: &'static str,
    },
    /// There are more ranks than places for them.
    #[error("{ranks} ranks are too many for the {places} places that this machine has for them")]
    TooMany {
        /// The number of ranks.
        ranks: usize,
        /// The number of places.
        places: usize,
    },
    /// There is no such processor among those that may be used.
    #[error("processor {cpu} is not among those that may be used here: {allowed}")]
    NoSuchProcessor {
        /// Its number.
        cpu: usize,
        /// The processors that may be used.
        allowed: String,
    },
    /// There is no scheduling policy of this name.
    #[error("there is no scheduling policy '{name}' in the library itself")]
    UnknownPolicy {
        /// The name.
        name: String,
    },
}
