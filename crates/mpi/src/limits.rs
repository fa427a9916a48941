//! The engine's limits: every queue, pool and threshold has its number here, or is a setting (`simurgh-settings`).

use simurgh_net::transport;

/// Room for a message inside its match table entry: the most that the setting of this name allows.
pub const INLINE_LIMIT: usize = 56;

simurgh_settings::limits! {
    /// All of them.
    pub const LIMITS;

    /// The largest message for which a rank keeps buffers.
    pub const POOLED_SIZE: usize = 65536, PointToPoint;

    /// Message buffers of each size class that a rank keeps for the next eager message.
    pub const POOLED_BUFFERS: usize = 16, PointToPoint;

    /// Finished requests that a rank keeps for reuse.
    pub const POOLED_REQUESTS: usize = 1024, PointToPoint;

    /// Blocking receives and probes, and as many blocking sends, that can wait in one rank without a request from the
    /// pool (a rank has as many at a time as it has threads).
    pub const CALL_SLOTS: usize = 4, PointToPoint;

    /// Requests that a host may have at another one which has not handled them, for one-sided communication and the
    /// like.
    pub const ACTIVE_MESSAGES: u32 = 64, PointToPoint;

    /// Partitioned operations between two ranks of different hosts, of one label, that may be set up at a time.
    pub const PARTITIONED_PAIRS: usize = simurgh_matching::PARTITIONED_PAIRS, PointToPoint;

    /// Threads that a process starts at most to run ranks whose virtual processors are kept by others.
    pub const DEPUTIES_MAX: usize = simurgh_sched::SUBSTITUTES_MAX, Scheduling;

    /// Packets that may wait for a process in memory that it shares with the others of its node.
    pub const SHM_SLOTS: usize = transport::SHM_SLOTS, PointToPoint;

    /// Buffers of a process there, for data of packets.
    pub const SHM_BUFFERS: usize = transport::SHM_BUFFERS, PointToPoint;

    /// Bytes of such a buffer: longer messages go in pieces.
    pub const SHM_PIECE: usize = transport::SHM_BUFFER_SIZE, PointToPoint;

    /// The bytes of the attached buffer that a buffered send takes besides its data (at most `MPI_BSEND_OVERHEAD`).
    pub const BSEND_OVERHEAD: usize = 128, PointToPoint;

    /// Context ids of freed communicators that are kept before the first of them is used again.
    pub const FREED_CONTEXTS: usize = 1024, Objects;

    /// Communicators that may exist at one time, on all hosts: one half made by the hosts that the launcher has started
    /// first, by each as many as by any other, the other half by those of spawned programs, and by all hosts of a
    /// universe of several launchers.
    pub const MAX_COMMUNICATORS: u32 = 1 << 30, Objects;

    /// Hosts of spawned programs that there may be at one time, and hosts of a universe of several launchers; each can
    /// make as many communicators as any other.
    pub const MAX_LATER_HOSTS: u32 = 1 << 14, Objects;

    /// Duplicates of one communicator that a rank may make before the slowest rank has made the first of them too.
    pub const DUPLICATION_LEAD: u64 = 1024, Objects;

    /// Longest name of an object in bytes, with the terminating zero (`MPI_MAX_OBJECT_NAME`).
    pub const MAX_OBJECT_NAME: usize = 128, Objects;

    /// Longest text of an error code in bytes, with the terminating zero (`MPI_MAX_ERROR_STRING`).
    pub const MAX_ERROR_STRING: usize = simurgh_base::limits::MAX_ERROR_STRING, Objects;

    /// Longest key of an info object in bytes, with the terminating zero (`MPI_MAX_INFO_KEY`).
    pub const MAX_INFO_KEY: usize = simurgh_base::limits::MAX_INFO_KEY, Objects;

    /// Longest value of an info object in bytes, with the terminating zero (`MPI_MAX_INFO_VAL`).
    pub const MAX_INFO_VAL: usize = simurgh_base::limits::MAX_INFO_VAL, Objects;

    /// Events of a rank that wait for its callbacks; more are dropped and counted.
    pub const MAX_TOOL_EVENTS: usize = simurgh_instrument::MAX_TOOL_EVENTS, Objects;

    /// Bytes that an all-to-all in place exchanges at a time.
    pub const SWAP_BLOCK: usize = 2048, Collectives;

    /// Bytes up to which the root of a broadcast publishes a copy of its data, so that it goes on at once.
    pub const PUBLISHED_COPY: usize = 512, Collectives;

    /// Bytes that a rank may bring to a collective for it to be done by value.
    pub const PACKET: usize = simurgh_datatype::limits::PACKET, Collectives;

    /// Bytes of an allreduce up to which each rank of a small group computes its own result.
    pub const OWN_RESULT: usize = 16 << 10, Collectives;

    /// Bytes of a reduction that are not worth being cut into shares.
    pub const SHARE_GRAIN: usize = 4 << 10, Collectives;

    /// Bytes that reductions combine at a time, so that partial results stay in the first-level cache.
    pub const REDUCTION_CHUNK: usize = simurgh_datatype::limits::REDUCTION_CHUNK, Collectives;

    /// Bytes of data up to which a message between hosts in a collective has call and data in one.
    pub const TOGETHER: usize = 4 << 10, Collectives;

    /// Bytes up to which a rank's part is sent to another host in a parcel with others.
    pub const IN_PARCEL: usize = 16 << 10, Collectives;

    /// Bytes that a host passes on at a time when long data goes from host to host.
    pub const RING_SEGMENT: usize = 256 << 10, Collectives;

    /// Failed collectives between hosts that a host remembers, so that it drops what still arrives for them.
    pub const ABANDONED: usize = 1 << 10, Collectives;

    /// States of completed nonblocking collectives that a communicator keeps for the next.
    pub const POOLED_COLLECTIVES: usize = 16, Collectives;

    /// Bytes from which on a host keeps memory of its own for data on its way to or from other hosts, for the next.
    pub const SPARE_MIN: usize = simurgh_datatype::limits::SPARE_MIN, Collectives;

    /// Bytes that a host keeps so at most.
    pub const SPARE_MEMORY: usize = simurgh_datatype::limits::SPARE_MEMORY, Collectives;

    /// Bytes of a collective's work in a piece for an idle virtual processor.
    pub const WORK_PIECE: usize = 64 << 10, Collectives;

    /// Bytes that cost as much to move as it costs to find out where a part of a buffer comes from and goes to.
    pub const PART_COST: usize = 512, Collectives;
}
