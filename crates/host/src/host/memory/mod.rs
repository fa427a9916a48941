//! Where the memory of the ranks comes from (`--memory-placement`, `choice`), how it follows them (`follower`), and the
//! size of its pages (`huge_pages`).

mod choice;
mod follower;
mod hint;
mod home;
mod huge_pages;

use super::error::HostError;
use super::state::Host;
use simurgh_heap::{MemoryPolicy, NodeSet, set_nodes};
use simurgh_net::job::JobSpec;
use simurgh_sched::Topology;
use simurgh_settings::placement::{Memory, show_processors};
use std::sync::OnceLock;

pub use choice::{choose_placement, placement_of};
pub(super) use follower::report;
pub(super) use huge_pages::add_report as add_huge_pages;

/// The policy for memory about which a program says these words; see `hint::policy_of`.
pub fn policy_of(words: &str) -> Option<MemoryPolicy> {
    hint::policy_of(words, machine_nodes())
}

/// The nodes of the machine, in hwloc's order.
fn machine_nodes() -> &'static [usize] {
    static NODES: OnceLock<Vec<usize>> = OnceLock::new();
    NODES.get_or_init(|| Topology::nodes_of_machine().unwrap_or_default())
}

/// Chooses the strategy for the heaps of all ranks, before any of them begins.
pub(super) fn place(host: &'static Host, spec: &JobSpec, machine: &Topology) -> Result<(), HostError> {
    huge_pages::prepare(&spec.settings);
    let memory = spec.settings.memory();
    let nodes = nodes_of(&memory, machine.nodes())?;
    set_nodes(nodes);
    follower::prepare(machine);
    let strategy = choice::strategy(&memory, choice::words(&spec.settings), nodes);
    for rank in host.ranks() {
        rank.heaps().place(rank.id(), strategy);
    }
    match strategy.placement().follows_rank() {
        true => follower::start(host).map_err(HostError::system("a thread that moves memory")),
        false => Ok(()),
    }
}

/// The nodes of the machine.
///
/// # Errors
///
/// When the user names others.
fn nodes_of(memory: &Memory, nodes: &[usize]) -> Result<NodeSet, HostError> {
    let small = nodes.iter().copied().filter(|node| *node < NodeSet::MOST);
    let mut known: Vec<_> = small.collect();
    known.sort_unstable();
    let all = NodeSet::new(&known).unwrap_or_default();
    match memory.nodes().iter().find(|node| !known.contains(node)) {
        None => Ok(all),
        Some(&node) => Err(HostError::NoNode {
            node,
            nodes: show_processors(&known),
        }),
    }
}

/// Sets the policy for what a rank in a process of its own allocates from now on.
pub(super) fn place_process(spec: &JobSpec) -> Result<(), HostError> {
    let memory = spec.settings.memory();
    if matches!(memory, Memory::Local | Memory::FirstTouch | Memory::Pool) {
        return Ok(());
    }
    let nodes = nodes_of(&memory, Topology::detect()?.nodes())?;
    let rank = spec.ranks().iter().next().unwrap_or_default();
    match choice::place_thread(&memory, rank, nodes) {
        true => Ok(()),
        false => Err(HostError::system("--memory-placement")(
            std::io::Error::last_os_error(),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_nodes_of_the_machine_can_be_named() {
        let bound = |text: &str| nodes_of(&Memory::parse(text).expect("valid"), &[0, 2]);
        assert!(bound("bind:0,2").is_ok() && bound("interleave").is_ok());
        let error = bound("map:0,1").expect_err("there is no node 1").to_string();
        assert!(error.contains("node 1") && error.contains("0,2"), "{error}");
    }
}
