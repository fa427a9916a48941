//! The costs of the inter-host phase by count: messages, bytes, and steps that follow one another.
//!
//! The counts are those of the algorithm that the selection table chooses. Tests compare them with what the algorithms
//! send (`tests.rs`). A collective moves the buffers of ranks that are laid over the hosts evenly, and in order.

use std::iter::Sum;
use std::ops::Add;

use simurgh_settings::rules::{Algorithm, Level, Operation};

use super::channel::WORD;
use super::parcel;
use super::power_of_two::PowerOfTwo;
use crate::limits::{IN_PARCEL, RING_SEGMENT, TOGETHER};
use crate::selection::{Extent, InterHostChoice, SelectionTable};

/// The size of a collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// The number of hosts, which share only a network.
    pub hosts: usize,
    /// The number of ranks on each.
    pub ranks: usize,
    /// The bytes of a buffer: of the operand of a reduction, of the data of a broadcast, of what a rank gives in an
    /// allgather, of what it gives each rank in an alltoall.
    pub bytes: usize,
}

/// The costs of the inter-host phase of a collective.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// The messages of all hosts.
    pub messages: usize,
    /// The bytes of these messages.
    pub bytes: usize,
    /// The messages that follow one another on the longest way.
    pub steps: usize,
    /// The bytes of these.
    pub path: usize,
    /// The bytes of operands that are combined one after the other.
    pub combined: usize,
    /// The bytes that a host needs besides the buffers of its ranks.
    pub memory: usize,
}

impl Add for Cost {
    type Output = Self;

    /// One after the other, with memory for both.
    fn add(self, other: Self) -> Self {
        Self {
            messages: self.messages + other.messages,
            bytes: self.bytes + other.bytes,
            steps: self.steps + other.steps,
            path: self.path + other.path,
            combined: self.combined + other.combined,
            memory: self.memory + other.memory,
        }
    }
}

impl Sum for Cost {
    fn sum<I: Iterator<Item = Self>>(costs: I) -> Self {
        costs.fold(Self::default(), Self::add)
    }
}

impl Cost {
    /// `hosts` hosts send so many bytes each at the same time.
    fn round(hosts: usize, bytes: usize) -> Self {
        let (messages, sent) = sent(bytes);
        Self {
            messages: hosts * messages,
            bytes: hosts * sent,
            steps: 1,
            path: sent,
            ..Self::default()
        }
    }

    /// The same where the receivers combine what comes with their own.
    fn combining(self, bytes: usize) -> Self {
        Self {
            combined: bytes,
            ..self
        }
    }
}

/// The messages that carry so many bytes, and all their bytes ([`Channel::start_send`](super::channel::Channel)).
fn sent(bytes: usize) -> (usize, usize) {
    (if bytes > TOGETHER { 2 } else { 1 }, WORD + bytes)
}

/// Rounds in which the number of hosts that are reached doubles.
fn doublings(hosts: usize) -> usize {
    hosts.next_power_of_two().ilog2() as usize
}

impl SelectionTable {
    /// The algorithm between hosts for a collective, and its costs; none for operations of which no costs are known.
    #[must_use]
    pub fn cost(&self, operation: Operation, size: Size) -> Option<(Algorithm, Cost)> {
        let Size { hosts, ranks, bytes } = size;
        let of_all = hosts * ranks * bytes;
        let known = match operation {
            Operation::Allgather | Operation::Alltoall => of_all,
            _ => bytes,
        };
        let extent = Extent {
            bytes: known,
            ranks: hosts,
            level: Level::Network,
        };
        let InterHostChoice { algorithm, slices } = self.inter_host(operation, extent);
        let in_slices = |cost: &dyn Fn(usize) -> Cost| slice(bytes, slices).map(cost).reduce(at_once);
        let cost = match (operation, algorithm) {
            (Operation::Barrier, _) => return Some((Algorithm::Doubling, dissemination(hosts))),
            (Operation::Bcast, Algorithm::Binomial) => in_slices(&|bytes| binomial_broadcast(hosts, bytes))?,
            (Operation::Bcast, Algorithm::Ring) => in_slices(&|bytes| ring_broadcast(hosts, bytes))?,
            (Operation::Bcast, _) => parcels(hosts - 1, hosts - 1, (1, bytes)),
            (Operation::Allreduce, Algorithm::Ring) => in_slices(&|bytes| ring_allreduce(hosts, bytes))?,
            (Operation::Allreduce, Algorithm::Halving) => in_slices(&|bytes| halving(hosts, bytes))?,
            (Operation::Allreduce, Algorithm::Doubling) => in_slices(&|bytes| doubling(hosts, bytes))?,
            (Operation::Allgather, Algorithm::Bruck) => bruck(hosts, ranks * bytes),
            (Operation::Allgather, Algorithm::Ring) => ring_allgather(hosts, ranks * bytes),
            (Operation::Allgather, _) => parcels(hosts * (hosts - 1), hosts - 1, (ranks, bytes)),
            (Operation::Alltoall, _) => parcels(hosts * (hosts - 1), hosts - 1, (ranks * ranks, bytes)),
            _ => return None,
        };
        Some((algorithm, cost))
    }
}

/// The slices of so many bytes.
fn slice(bytes: usize, slices: usize) -> impl Iterator<Item = usize> {
    let slices = slices.max(1);
    (0..slices).map(move |index| bytes * (index + 1) / slices - bytes * index / slices)
}

/// Two slices that are under way at the same time: they share the network and the processor.
fn at_once(one: Cost, other: Cost) -> Cost {
    Cost {
        steps: one.steps.max(other.steps),
        ..one + other
    }
}

fn dissemination(hosts: usize) -> Cost {
    (0..doublings(hosts)).map(|_| Cost::round(hosts, 0)).sum()
}

/// Every host but the root receives once; the data stays in the buffers of ranks.
fn binomial_broadcast(hosts: usize, bytes: usize) -> Cost {
    let (rounds, all) = (doublings(hosts), Cost::round(hosts - 1, bytes));
    Cost {
        steps: rounds,
        path: rounds * all.path,
        ..all
    }
}

/// Segments go around one behind the other.
fn ring_broadcast(hosts: usize, bytes: usize) -> Cost {
    let segments = || {
        (0..bytes)
            .step_by(RING_SEGMENT)
            .map(|start| RING_SEGMENT.min(bytes - start))
    };
    let all: Cost = segments().map(|segment| Cost::round(hosts - 1, segment)).sum();
    let last = segments().max().unwrap_or(0);
    let behind = hosts.saturating_sub(2);
    Cost {
        steps: all.steps + behind,
        path: all.path + behind * sent(last).1,
        ..all
    }
}

/// The first hosts of the pairs take part through the second ones, and are told the result.
fn with_pairs(power: PowerOfTwo, hosts: usize, bytes: usize, rounds: Cost) -> Cost {
    let memory = 2 * bytes;
    match hosts - power.slots {
        0 => Cost { memory, ..rounds },
        pairs => {
            let (fold_in, fold_out) = (
                Cost::round(pairs, bytes).combining(bytes),
                Cost::round(pairs, bytes),
            );
            Cost {
                memory,
                ..fold_in + rounds + fold_out
            }
        }
    }
}

fn doubling(hosts: usize, bytes: usize) -> Cost {
    let power = PowerOfTwo::of(hosts);
    let rounds = 0..power.slots.ilog2();
    let rounds = rounds
        .map(|_| Cost::round(power.slots, bytes).combining(bytes))
        .sum();
    with_pairs(power, hosts, bytes, rounds)
}

fn halving(hosts: usize, bytes: usize) -> Cost {
    let power = PowerOfTwo::of(hosts);
    let halves = || (1..=power.slots.ilog2()).map(|round| bytes >> round);
    let together: Cost = halves()
        .map(|half| Cost::round(power.slots, half).combining(half))
        .sum();
    let apart = halves().map(|half| Cost::round(power.slots, half)).sum();
    with_pairs(power, hosts, bytes, together + apart)
}

/// In each of both halves, every part of the data goes around, from each host to the next.
fn ring_allreduce(hosts: usize, bytes: usize) -> Cost {
    let rounds = hosts - 1;
    let part = |combined| {
        let all: Cost = (0..hosts)
            .map(|index| Cost::round(1, bytes * (index + 1) / hosts - bytes * index / hosts))
            .sum();
        Cost {
            messages: rounds * all.messages,
            bytes: rounds * all.bytes,
            steps: rounds,
            path: rounds * sent(bytes.div_ceil(hosts)).1,
            combined,
            memory: 0,
        }
    };
    let (together, apart) = (part(rounds * bytes.div_ceil(hosts)), part(0));
    Cost {
        memory: 2 * bytes,
        ..together + apart
    }
}

/// Hosts send all that they have, in one run or in two where it goes over the last host; each stores all blocks.
fn bruck(hosts: usize, block: usize) -> Cost {
    let (mut have, mut all) = (1, Cost::default());
    while have < hosts {
        let count = have.min(hosts - have);
        // The hosts whose run goes over the last one, by how many blocks come before that.
        let split = (1..count).map(|before| {
            let two = Cost::round(1, before * block) + Cost::round(1, (count - before) * block);
            Cost {
                steps: 0,
                path: 0,
                ..two
            }
        });
        let whole = Cost::round(hosts + 1 - count, count * block);
        all = all + whole + split.sum();
        have += count;
    }
    Cost {
        memory: hosts * block,
        ..all
    }
}

fn ring_allgather(hosts: usize, block: usize) -> Cost {
    let round = Cost::round(hosts, block);
    let rounds = hosts - 1;
    Cost {
        messages: rounds * round.messages,
        bytes: rounds * round.bytes,
        steps: rounds,
        path: rounds * round.path,
        combined: 0,
        memory: hosts * block,
    }
}

/// So many parcels, of which one host sends `own`, each with the same number of parts. Long parts follow their parcel.
fn parcels(all: usize, own: usize, (parts, bytes): (usize, usize)) -> Cost {
    let follow = bytes > IN_PARCEL;
    let inside = if follow { 0 } else { bytes };
    let length = WORD + parcel::length(parts, parts * inside);
    let outside = if follow { parts } else { 0 };
    let sent = length + outside * bytes;
    Cost {
        messages: all * (1 + outside),
        bytes: all * sent,
        steps: own,
        path: own * sent,
        combined: 0,
        memory: own * length,
    }
}
