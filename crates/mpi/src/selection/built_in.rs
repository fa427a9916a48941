//! The built-in rules of the selection table.

use simurgh_settings::rules::{Algorithm, Level, Operation, Rule};

/// The built-in rules. Of the rules that apply to a call, the last one counts; the first rule applies always.
///
/// * One core does not work faster when many ranks share the work, and sharing costs a second round of switches. So the
///   last rank to arrive does it, whose caches hold what it has just read.
/// * On several cores sharing pays as soon as the work takes longer than that round. If a rank is done when it has its
///   own data, and no rank reads from it, the ranks share the work: each leaves when it has done its share. For two
///   ranks that round is shortest.
/// * If all have to wait for the end of the work, the last rank does it with the help of idle virtual processors: that
///   costs nobody a switch. With only a few ranks for each virtual processor, the ranks do better: each finds in its
///   caches what it found there the last time.
/// * A part for each pair of ranks costs something even if it is short.
/// * Neighbours are few: it takes more data before help with them pays.
/// * Between hosts, short data takes the fewest messages. Longer data that goes up or down a tree, or is exchanged,
///   gains by slices as long as each is short enough to go at once; with two hosts over shared memory it gains because
///   one slice is combined or copied while another is under way. For long data a few hosts share the memory of a node,
///   so that the fewest copies count: each gathers straight from buffer to buffer. Many hosts take those algorithms in
///   which a host sends least. The numbers are those of `./x bench hosts`, over shared memory and over libfabric's tcp
///   provider; the best at several sizes and numbers of hosts alike is taken.
/// * A broadcast need not wait for all: each rank waits for the root, if it comes before it.
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
    between(Operation::Bcast, 512 << 10, MANY_HOSTS, Algorithm::Ring),
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
    between(Operation::Allreduce, 1 << 20, MANY_HOSTS, Algorithm::Ring),
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
    between(Operation::Allgather, 128 << 10, MANY_HOSTS, Algorithm::Ring),
];

/// Number of hosts from which on algorithms are taken in which each host sends least: up to 8 were measured.
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

/// A rule for the inter-host phase of hosts that share nothing but a network.
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
