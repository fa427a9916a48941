//! The mapping of ranks to virtual processors and processes.
//!
//! # What is decided
//!
//! Ranks that exchange much data should be near each other: on one virtual processor, or on two that share a cache, or
//! at least memory. The sum over all pairs of ranks of (their traffic) × (the distance of their virtual processors) is
//! to be small. Each virtual processor gets as many ranks as processes were found there, so the load stays as it is.
//!
//! Two things can bring a rank to its place. A process can *move* to another virtual processor, which takes one switch:
//! it keeps its rank, but its memory stays behind. Or ranks can be *renumbered*, which moves nothing, but the program
//! has to cope with a rank that it did not expect. So processes move among virtual processors of the same memory, and
//! ranks are renumbered only across memories (NUMA nodes).
//!
//! # How
//!
//! The ranks are divided by recursive bisection along the tree of the hardware, from its root down to virtual
//! processors (`bisect`). A cut starts from several orders of the ranks: as they live now; along each dimension of a
//! grid; grown from one rank over its neighbours. Each start is improved by exchanging ranks across the cut
//! (`refine`). If the result is not better than leaving everything as it is, everything stays as it is.
//!
//! # Cost
//!
//! With *n* ranks, *e* edges and *v* virtual processors: *O((n + e) log n log v)*, once per communicator, done by one
//! rank for all. The same input always gives the same answer.

mod bisect;
mod machine;
mod refine;
mod traffic;
mod vp_path;

pub use machine::Machine;
pub use traffic::Traffic;
pub use vp_path::VpPath;

/// The process and the virtual processor of a rank of the new communicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The rank of its process in the old communicator.
    pub process: usize,
    /// The virtual processor on which it belongs.
    pub vp: usize,
}

/// Maps ranks that exchange `traffic` to a machine; `homes` has the present virtual processor of each process. Only as
/// many processes take part as there are ranks, the first ones.
pub fn map_ranks(traffic: &Traffic, machine: &Machine, homes: &[usize]) -> Vec<Assignment> {
    let homes = &homes[..traffic.ranks()];
    let vps = bisect::assign(traffic, machine, homes);
    if cost(traffic, machine, &vps) < cost(traffic, machine, homes) {
        assign_processes(machine, homes, &vps)
    } else {
        homes
            .iter()
            .enumerate()
            .map(|(process, &vp)| Assignment { process, vp })
            .collect()
    }
}

/// The virtual processor of each rank, for ranks that have not begun and may begin anywhere; each virtual processor
/// gets as many as it has in `homes`. If nothing better is found, the answer is `homes`.
pub fn lay_out(traffic: &Traffic, machine: &Machine, homes: &[usize]) -> Vec<usize> {
    let vps = bisect::assign(traffic, machine, homes);
    match cost(traffic, machine, &vps) < cost(traffic, machine, homes) {
        true => vps,
        false => homes.to_vec(),
    }
}

/// The sum of traffic × distance, if the ranks live on these virtual processors.
fn cost(traffic: &Traffic, machine: &Machine, vps: &[usize]) -> u128 {
    let of_rank = |rank: usize| {
        let there = traffic
            .neighbors(rank)
            .map(|(other, weight)| u128::from(weight) * u128::from(machine.distance(vps[rank], vps[other])));
        there.sum::<u128>()
    };
    // Every pair is seen from both sides.
    (0..traffic.ranks()).map(of_rank).sum::<u128>() / 2
}

/// Assigns to each rank a process whose memory is where the rank is to live: its own if possible, else one that is
/// left.
fn assign_processes(machine: &Machine, homes: &[usize], vps: &[usize]) -> Vec<Assignment> {
    let memory = |vp: usize| machine.memory(vp);
    let stays = |rank: usize| memory(homes[rank]) == memory(vps[rank]);
    let mut left: Vec<usize> = (0..homes.len()).filter(|&process| !stays(process)).collect();
    left.sort_by_key(|&process| memory(homes[process]));
    let mut strangers: Vec<usize> = (0..homes.len()).filter(|&rank| !stays(rank)).collect();
    strangers.sort_by_key(|&rank| memory(vps[rank]));
    let mut assignments: Vec<Assignment> = vps
        .iter()
        .enumerate()
        .map(|(process, &vp)| Assignment { process, vp })
        .collect();
    // Each memory gets as many ranks as it has processes, so both lists agree memory by memory.
    for (rank, process) in strangers.into_iter().zip(left) {
        debug_assert_eq!(memory(vps[rank]), memory(homes[process]));
        assignments[rank].process = process;
    }
    assignments
}

#[cfg(test)]
mod tests;
