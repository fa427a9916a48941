//! The rules that are built in.

use simurgh_settings::rules::{Algorithm, Level, Operation, Rule};

/// Of those that apply the last one counts; the first applies always.
///
/// * One core does the work no faster when many ranks share it, and sharing costs a second round of switches: so the
///   last to come does it, whose caches hold what it has just read.
/// * On several cores sharing pays as soon as the work takes longer than that round. Where a rank is done when it has
///   its own data, and gives nothing, the ranks do it: each leaves when it has done its share. For two ranks that round
///   is shortest.
/// * Where all have to wait for the end of the work the last rank does it, with the help of idle virtual processors:
///   that costs nobody a switch. With a few ranks for each, the ranks are better at it: each finds in its caches what
///   it found there the last time.
/// * A part for each pair of ranks costs something even if it is short.
/// * Neighbours are few: it takes more data before help with them pays.
/// * Hosts among each other: the fewest messages for short data. Longer data that goes up or down a tree, or is
///   exchanged, gains by slices as long as each is short enough to go at once; with two hosts, over shared memory, by
///   what one combines or copies while another is under way. For long data a few hosts share the memory of a node, so
///   that the fewest copies count: each gathers straight from buffer to buffer. Of many hosts, those algorithms in
///   which a host sends least. The numbers are those of `./x bench hosts`, over shared memory and over libfabric's tcp
///   provider, where what is best at several sizes and numbers of hosts alike is taken.
/// * A broadcast needs nobody to wait for all: each rank waits for the root, if it comes before it.
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

/// Hosts from which on the algorithms count in which each sends least: up to 8 were measured.
const MANY_HOSTS: u64 = 9;

/// A rule for the hosts of a communicator.
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

/// A rule for the hosts of a communicator that share nothing but a network.
const fn over_network(operation: Operation, bytes: u64, hosts: u64, algorithm: Algorithm) -> Rule {
    Rule {
        level: Level::Network,
        ..between(operation, bytes, hosts, algorithm)
    }
}

/// The rule by which it is done in slices.
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
