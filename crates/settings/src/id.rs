//! The names of settings in code.

/// The name of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Id {
    /// Threads or processes.
    Mode,
    /// Time limit of the job.
    Timeout,
    /// Whether output is tagged.
    TagOutput,
    /// Directory for the output of ranks.
    OutputDir,
    /// Whether statistics are printed at the end.
    Stats,
    /// How much is checked.
    Check,
    /// The initial error handler.
    InitialErrhandler,
    /// Processes on each node.
    HostsPerNode,
    /// Time within which they have to find each other.
    StartTimeout,
    /// The protocol by which a process finds the others of its job under another launcher.
    Pmi,
    /// The transport between processes.
    Transport,
    /// Whether processes read each other's memory.
    CrossMemory,
    /// libfabric's provider.
    Provider,
    /// The network interface.
    Interface,
    /// How much of the traffic over it is protected.
    Authenticate,
    /// Time without a sign of life after which a host is lost.
    PeerTimeout,
    /// The server of the universe where jobs meet.
    Universe,
    /// How long a connect waits for an accept.
    ConnectTimeout,
    /// Virtual processors.
    Vps,
    /// Scheduling policy.
    Policy,
    /// The hardware within which idle virtual processors take ranks over.
    StealWithin,
    /// Virtual processors for ranks that are about I/O.
    IoVps,
    /// For how long the load of ranks is measured before they move.
    BalancePeriod,
    /// The gain without which they stay.
    BalanceGain,
    /// The file for the communication profile.
    ProfileOut,
    /// The communication profile by which ranks are placed.
    PlaceBy,
    /// Virtual processors dedicated to the network.
    NetworkVps,
    /// The core that they run on.
    NetworkCore,
    /// The cores that ranks leave to others.
    ReserveCores,
    /// The order in which places are given to ranks.
    MapBy,
    /// Which rank gets which place.
    RankBy,
    /// The hardware that ranks are bound to.
    BindTo,
    /// Whether ranks may outnumber places.
    Oversubscribe,
    /// Whether bindings are reported.
    ReportBindings,
    /// Where the memory of ranks comes from.
    MemoryPlacement,
    /// The huge pages of long blocks.
    HugePages,
    /// Stack of a rank.
    StackSize,
    /// The memory that a rank may allocate.
    MemoryLimit,
    /// Whether the memory of each rank lies in a range of addresses of its own.
    Relocatable,
    /// The size of that range.
    RankRange,
    /// The file for the heap profile.
    HeapProfile,
    /// The distance of samples of blocks.
    HeapSample,
    /// Seed of the order in which ranks run.
    Seed,
    /// How long a rank may keep its virtual processor.
    Patience,
    /// Size of messages that are kept inside their queue entry.
    InlineLimit,
    /// Size of messages that are sent eagerly.
    EagerLimit,
    /// Bytes of eager messages that wait at a rank.
    BacklogLimit,
    /// Bytes of eager messages under way to another host.
    EagerWindow,
    /// Who moves the data of a rendezvous between hosts.
    Rendezvous,
    /// Length of queues that are scanned in order.
    ScanLimit,
    /// Rules for the algorithms of collectives.
    Collectives,
}
