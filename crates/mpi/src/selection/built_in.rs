//! The built-in rules of the selection table.

use simurgh_settings::rules::{Algorithm, Level, Operation, Rule};

/// The built-in rules. Of the rules that apply to a call, the last one counts; the first rule always applies.
///
/// * On one core, work is not done faster when many ranks share it, and sharing costs a second round of switches. So
///   the last rank to arrive does the work; its caches hold what it has just read.
/// * On several cores, sharing pays as soon as the work takes longer than that round. If a rank is done when it has its
///   own data, and no rank reads from it, the ranks share the work, and each leaves when it has done its share. With
///   two ranks that round is shortest.
/// * If all ranks have to wait for the end of the work, the last rank does it with the help of idle virtual processors,
///   which costs no rank a switch. With only a few ranks for each virtual processor, sharing among the ranks is faster:
///   each finds in its caches the same data as the last time.
/// * A part for each pair of ranks has a cost even if it is short.
/// * Neighbours are few, so it takes more data before help with them pays.
/// * Between hosts, short data is moved with the fewest messages. Longer data that goes up or down a tree, or is
///   exchanged, gains by slices as long as each slice is short enough to be sent at once. With two hosts over shared
///   memory it gains because one slice is combined or copied while another is under way. For long data on a few hosts,
///   which share the memory of a node, the fewest copies count: each host gathers straight from buffer to buffer. Many
///   hosts use the algorithms in which each host sends least; a ring, which has a step for each host, takes the more
///   data the more hosts there are. The numbers for up to 8 hosts are those of `./x bench hosts`, over shared
///   memory and over libfabric's tcp provider. An algorithm is chosen that is the best at several sizes and numbers of
///   hosts alike.
/// * A broadcast need not wait for all ranks: each rank waits only for the root, if it arrives before the root.
pub(super) const RULES: &[Rule] = &[
    every(0, 0, Level::Core, Algorithm::Last),
    every(32 << 10, 2, Level::L2, Algorithm::Shared),
    every(0, 3, Level::L2, Algorithm::Last),
    every(64 << 10, 3, Level::L2, Algorithm::Shared),
    of(Operation::Allgather, 64 << 10, 4, Algorithm::Striped),
    of(Operation::Allgather, 0, 32, Algorithm::Striped),
    of(Operation::Alltoall, 64 << 10, 4, Algorithm::Striped),
    of(Operation::Alltoall, 0, 32, Algorithm::Striped),
    of(Operation::Reduce, 64 << 10, 8, Algorithm::Striped),
    of(Operation::Allreduce, 64 << 10, 8, Algorithm::Striped),
    of(Operation::ReduceScatter, 64 << 10, 8, Algorithm::Striped),
    of(Operation::Scan, 64 << 10, 8, Algorithm::Striped),
    of(Operation::Exscan, 64 << 10, 8, Algorithm::Striped),
    of(Operation::NeighborAllgather, 64 << 10, 8, Algorithm::Last),
    of(Operation::NeighborAllgather, 512 << 10, 8, Algorithm::Striped),
    of(Operation::NeighborAlltoall, 64 << 10, 8, Algorithm::Last),
    of(Operation::NeighborAlltoall, 512 << 10, 8, Algorithm::Striped),
    Rule {
        operation: Some(Operation::Bcast),
        ..every(0, 0, Level::Core, Algorithm::Lead)
    },
    between(Operation::Bcast, 0, 0, Algorithm::Binomial),
    sliced(2, between(Operation::Bcast, 16 << 10, 2, Algorithm::Binomial)),
    between(Operation::Bcast, 0, 3, Algorithm::Binomial),
    between(Operation::Bcast, 128 << 10, 4, Algorithm::Parcels),
    over_network(Operation::Bcast, 0, 0, Algorithm::Binomial),
    sliced(
        2,
        over_network(Operation::Bcast, 16 << 10, 2, Algorithm::Binomial),
    ),
    over_network(Operation::Bcast, 64 << 10, 2, Algorithm::Binomial),
    between(Operation::Bcast, 1 << 20, MANY_HOSTS, Algorithm::Ring),
    between(Operation::Bcast, 0, 33, Algorithm::Binomial),
    between(Operation::Bcast, 4 << 20, 33, Algorithm::Ring),
    between(Operation::Bcast, 0, 129, Algorithm::Binomial),
    between(Operation::Bcast, 16 << 20, 129, Algorithm::Ring),
    between(Operation::Bcast, 0, 1025, Algorithm::Binomial),
    between(Operation::Bcast, 128 << 20, 1025, Algorithm::Ring),
    between(Operation::Bcast, 0, 4097, Algorithm::Binomial),
    between(Operation::Bcast, 512 << 20, 4097, Algorithm::Ring),
    between(Operation::Reduce, 0, 0, Algorithm::Binomial),
    sliced(2, between(Operation::Reduce, 16 << 10, 2, Algorithm::Binomial)),
    between(Operation::Reduce, 128 << 10, 3, Algorithm::Binomial),
    sliced(2, between(Operation::Reduce, 2 << 20, 4, Algorithm::Binomial)),
    over_network(Operation::Reduce, 0, 0, Algorithm::Binomial),
    sliced(
        2,
        over_network(Operation::Reduce, 16 << 10, 2, Algorithm::Binomial),
    ),
    over_network(Operation::Reduce, 64 << 10, 2, Algorithm::Binomial),
    between(Operation::Reduce, 32 << 10, MANY_HOSTS, Algorithm::Halving),
    between(Operation::Allreduce, 0, 0, Algorithm::Doubling),
    between(Operation::Allreduce, 16 << 10, 2, Algorithm::Ring),
    sliced(2, between(Operation::Allreduce, 16 << 10, 3, Algorithm::Doubling)),
    between(Operation::Allreduce, 128 << 10, 3, Algorithm::Doubling),
    between(Operation::Allreduce, 512 << 10, 4, Algorithm::Halving),
    sliced(2, between(Operation::Allreduce, 2 << 20, 3, Algorithm::Halving)),
    sliced(2, between(Operation::Allreduce, 8 << 20, 3, Algorithm::Ring)),
    over_network(Operation::Allreduce, 0, 0, Algorithm::Doubling),
    sliced(
        2,
        over_network(Operation::Allreduce, 16 << 10, 2, Algorithm::Doubling),
    ),
    over_network(Operation::Allreduce, 128 << 10, 2, Algorithm::Doubling),
    over_network(Operation::Allreduce, 2 << 20, 3, Algorithm::Halving),
    between(Operation::Allreduce, 32 << 10, MANY_HOSTS, Algorithm::Halving),
    between(Operation::Allreduce, 512 << 10, MANY_HOSTS, Algorithm::Ring),
    between(Operation::Allreduce, 32 << 10, 33, Algorithm::Halving),
    between(Operation::Allreduce, 2 << 20, 33, Algorithm::Ring),
    between(Operation::Allreduce, 32 << 10, 129, Algorithm::Halving),
    between(Operation::Allreduce, 8 << 20, 129, Algorithm::Ring),
    between(Operation::Allreduce, 32 << 10, 513, Algorithm::Halving),
    between(Operation::Allreduce, 32 << 20, 513, Algorithm::Ring),
    between(Operation::Allreduce, 32 << 10, 2049, Algorithm::Halving),
    between(Operation::Allreduce, 128 << 20, 2049, Algorithm::Ring),
    between(Operation::Scan, 0, 0, Algorithm::Doubling),
    between(Operation::Exscan, 0, 0, Algorithm::Doubling),
    between(Operation::ReduceScatter, 0, 0, Algorithm::Parcels),
    between(Operation::ReduceScatter, 8 << 10, 0, Algorithm::Pairwise),
    between(Operation::Allgather, 0, 0, Algorithm::Bruck),
    between(Operation::Allgather, 128 << 10, 2, Algorithm::Parcels),
    between(Operation::Allgather, 128 << 10, 4, Algorithm::Bruck),
    between(Operation::Allgather, 2 << 20, 4, Algorithm::Parcels),
    over_network(Operation::Allgather, 0, 0, Algorithm::Bruck),
    over_network(Operation::Allgather, 2 << 20, 2, Algorithm::Parcels),
    over_network(Operation::Allgather, 2 << 20, 8, Algorithm::Bruck),
    between(Operation::Allgather, 0, MANY_HOSTS, Algorithm::Bruck),
    between(Operation::Allgather, 2 << 20, MANY_HOSTS, Algorithm::Ring),
    between(Operation::Allgather, 0, 33, Algorithm::Bruck),
    between(Operation::Allgather, 8 << 20, 33, Algorithm::Ring),
    between(Operation::Allgather, 0, 129, Algorithm::Bruck),
    between(Operation::Allgather, 32 << 20, 129, Algorithm::Ring),
    between(Operation::Allgather, 0, 513, Algorithm::Bruck),
    between(Operation::Allgather, 128 << 20, 513, Algorithm::Ring),
    between(Operation::Allgather, 0, 2049, Algorithm::Bruck),
    between(Operation::Allgather, 512 << 20, 2049, Algorithm::Ring),
];

/// The number of hosts from which on the algorithms are used in which each host sends least. Up to 8 hosts were
/// measured; the rules for more follow from the costs by count (`collective/inter_host/cost.rs`), as its tests show.
const MANY_HOSTS: u64 = 9;

/// A rule for the inter-host phase.
const fn between(operation: Operation, bytes: u64, hosts: u64, algorithm: Algorithm) -> Rule {
    Rule {
        operation: Some(operation),
        bytes,
        ranks: hosts,
        level: Level::Hosts,
        algorithm,
        slices: 1,
    }
}

/// A rule for the inter-host phase of hosts that share only a network.
const fn over_network(operation: Operation, bytes: u64, hosts: u64, algorithm: Algorithm) -> Rule {
    Rule {
        level: Level::Network,
        ..between(operation, bytes, hosts, algorithm)
    }
}

/// The same rule with slices.
const fn sliced(slices: u8, rule: Rule) -> Rule {
    Rule { slices, ..rule }
}

/// A rule for an operation on several cores.
const fn of(operation: Operation, bytes: u64, ranks: u64, algorithm: Algorithm) -> Rule {
    Rule {
        operation: Some(operation),
        bytes,
        ranks,
        level: Level::L2,
        algorithm,
        slices: 1,
    }
}

/// A rule for every operation.
const fn every(bytes: u64, ranks: u64, level: Level, algorithm: Algorithm) -> Rule {
    Rule {
        operation: None,
        bytes,
        ranks,
        level,
        algorithm,
        slices: 1,
    }
}
