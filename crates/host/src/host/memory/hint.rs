//! The nodes that a program asks for: when it allocates memory with `MPI_Alloc_mem`, and for all memory of a rank.

use super::nodes_of;
use simurgh_heap::{MemoryPolicy, NodeSet, current_node};
use simurgh_settings::placement::{Memory, parse_processors};

/// What words of the program ask for, on a machine with these nodes, which are in hwloc's order: those of
/// `--memory-placement`, or hwloc's names of nodes, as `numa:1` or `numa:0-1`. `None` if they say nothing.
pub(super) fn memory_of(words: &str, nodes: &[usize]) -> Option<Memory> {
    let (kind, rest) = words.trim().split_once(':').unwrap_or((words.trim(), ""));
    match kind.to_ascii_lowercase().as_str() {
        "numa" | "node" | "numanode" => {
            let number = |index: usize| nodes.get(index).copied();
            let numbers: Option<Vec<usize>> = parse_processors(rest)?.into_iter().map(number).collect();
            Some(Memory::Bind(numbers?))
        }
        _ => Memory::parse(words.trim()),
    }
}

/// The policy for such words; `None` if they name none, and on a machine with one node.
pub(super) fn policy_of(words: &str, nodes: &[usize]) -> Option<MemoryPolicy> {
    if nodes.len() < 2 {
        return None;
    }
    let memory = memory_of(words, nodes)?;
    let all = nodes_of(&memory, nodes).ok()?;
    match &memory {
        Memory::Local => Some(MemoryPolicy::Preferred(current_node())),
        Memory::Preferred(node) => Some(MemoryPolicy::Preferred(*node)),
        Memory::Bind(nodes) => NodeSet::new(nodes).map(MemoryPolicy::Bound),
        Memory::Interleave(None) => Some(MemoryPolicy::Interleaved(all)),
        Memory::Interleave(Some(nodes)) => NodeSet::new(nodes).map(MemoryPolicy::Interleaved),
        Memory::FirstTouch | Memory::Pool | Memory::Map(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_have_the_names_of_hwloc_and_the_numbers_of_the_system() {
        let bound = |nodes: &[usize]| NodeSet::new(nodes).map(MemoryPolicy::Bound);
        let nodes = [4, 0, 2];
        assert_eq!(policy_of("numa:0", &nodes), bound(&[4]));
        assert_eq!(policy_of("NUMANode:1-2", &nodes), bound(&[0, 2]));
        assert_eq!(policy_of("bind:0", &nodes), bound(&[0]));
        let all = NodeSet::new(&nodes).expect("small numbers");
        assert_eq!(
            policy_of("interleave", &nodes),
            Some(MemoryPolicy::Interleaved(all))
        );
        for nothing in ["numa:3", "numa", "bind:1", "somewhere", "first-touch", ""] {
            assert_eq!(policy_of(nothing, &nodes), None, "{nothing}");
        }
        assert_eq!(policy_of("numa:0", &[0]), None);
    }
}
