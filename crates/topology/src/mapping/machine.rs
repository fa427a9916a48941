//! The machine as the mapping sees it: the distances between virtual processors.

use super::VpPath;
use simurgh_sched::{Domain, DomainKind};

/// A tree of virtual processors in which every inner node has several children.
#[derive(Clone, Debug)]
pub struct Machine {
    root: Node,
    /// For each virtual processor, by number.
    vps: Vec<Spot>,
    /// Length of the longest path.
    depth: usize,
}

/// A node of the tree.
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// A virtual processor.
    Vp(usize),
    /// Nodes that share a part of the hardware.
    Group(Vec<Node>),
}

/// Where a virtual processor is.
#[derive(Clone, Debug, Default)]
struct Spot {
    /// The children to take from the root on.
    path: Vec<u32>,
    /// The number of its memory.
    memory: usize,
}

impl Machine {
    /// A machine of these domains with `vps` virtual processors, which are distributed over its cores in turns.
    pub fn new(domain: &Domain, vps: usize) -> Self {
        let cores = domain.cores.len().max(1);
        let root =
            node(domain, &|core| (core..vps).step_by(cores).collect()).unwrap_or(Node::Group(Vec::new()));
        let mut machine = Self {
            root: Node::Group(Vec::new()),
            vps: vec![Spot::default(); vps],
            depth: 0,
        };
        machine.enter(&root, &mut Vec::new());
        machine.root = root;
        let mut memories = 0;
        number_memories(domain, &mut memories, &mut |core, memory| {
            (core..vps)
                .step_by(cores)
                .for_each(|vp| machine.vps[vp].memory = memory);
        });
        machine
    }

    /// The virtual processors of several hosts, numbered by their index in `sites`, which are different and in order.
    pub fn of_sites(vp_paths: &[VpPath]) -> Self {
        let all: Vec<usize> = (0..vp_paths.len()).collect();
        let root = node_of_sites(vp_paths, &all, 0);
        let mut machine = Self {
            root: Node::Group(Vec::new()),
            vps: vec![Spot::default(); vp_paths.len()],
            depth: 0,
        };
        machine.enter(&root, &mut Vec::new());
        machine.root = root;
        let mut memories: Vec<_> = vp_paths.iter().map(VpPath::memory).collect();
        memories.sort_unstable();
        memories.dedup();
        for (spot, vp_path) in machine.vps.iter_mut().zip(vp_paths) {
            spot.memory = memories.partition_point(|known| *known < vp_path.memory());
        }
        machine
    }

    /// Notes the paths below a node.
    fn enter(&mut self, node: &Node, path: &mut Vec<u32>) {
        self.depth = self.depth.max(path.len());
        match node {
            Node::Vp(vp) => self.vps[*vp].path.clone_from(path),
            Node::Group(children) => {
                for (index, child) in (0..).zip(children) {
                    path.push(index);
                    self.enter(child, path);
                    path.pop();
                }
            }
        }
    }

    /// The whole tree.
    pub(super) fn root(&self) -> &Node {
        &self.root
    }

    /// The distance of two virtual processors: 0 for the same one, and more the less they share.
    pub fn distance(&self, a: usize, b: usize) -> u32 {
        if a == b {
            return 0;
        }
        let (a, b) = (&self.vps[a].path, &self.vps[b].path);
        let common = a.iter().zip(b).take_while(|(a, b)| a == b).count();
        (self.depth - common) as u32
    }

    /// The number of the memory that is near a virtual processor.
    pub(super) fn memory(&self, vp: usize) -> usize {
        self.vps[vp].memory
    }
}

/// The virtual processors below a domain; levels that offer no choice are left out.
fn node(domain: &Domain, vps_of: &impl Fn(usize) -> Vec<usize>) -> Option<Node> {
    let mut nodes: Vec<Node> = if domain.children.is_empty() {
        domain
            .cores
            .iter()
            .flat_map(|&core| vps_of(core))
            .map(Node::Vp)
            .collect()
    } else {
        domain
            .children
            .iter()
            .filter_map(|child| node(child, vps_of))
            .collect()
    };
    match nodes.len() {
        0 | 1 => nodes.pop(),
        _ => Some(Node::Group(nodes)),
    }
}

/// The tree of some of the virtual processors, whose paths are the same up to `depth`.
fn node_of_sites(vp_paths: &[VpPath], some: &[usize], depth: usize) -> Node {
    if let [vp_path] = some {
        return Node::Vp(*vp_path);
    }
    let step = |vp_path: &usize| vp_paths[*vp_path].path.get(depth);
    let mut children: Vec<Node> = some
        .chunk_by(|a, b| step(a) == step(b))
        .map(|chunk| node_of_sites(vp_paths, chunk, depth + 1))
        .collect();
    match children.len() {
        1 => children.remove(0),
        _ => Node::Group(children),
    }
}

/// Numbers the NUMA nodes; everything outside of them is one memory of its own.
fn number_memories(domain: &Domain, next: &mut usize, note: &mut impl FnMut(usize, usize)) {
    if domain.kind == DomainKind::Numa {
        *next += 1;
        domain.cores.iter().for_each(|&core| note(core, *next));
    } else {
        domain
            .children
            .iter()
            .for_each(|child| number_memories(child, next, note));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use simurgh_sched::Topology;

    fn machine(description: &str, vps: usize) -> Machine {
        let topology = Topology::synthetic(description).expect("a valid description");
        Machine::new(topology.root(), vps)
    }

    #[test]
    fn distances_follow_what_is_shared() {
        let machine = machine("package:2 numa:1 l3:2 core:2 pu:1", 8);
        assert_eq!(machine.distance(3, 3), 0);
        assert_eq!(machine.distance(0, 1), 1);
        assert_eq!(machine.distance(0, 2), 2);
        assert_eq!(machine.distance(0, 7), 3);
        assert_eq!(machine.memory(0), machine.memory(3));
        assert_ne!(machine.memory(3), machine.memory(4));
    }

    #[test]
    fn more_processors_than_cores_share_cores() {
        let machine = machine("numa:1 core:2 pu:1", 4);
        assert_eq!(machine.distance(0, 2), 1);
        assert_eq!(machine.distance(0, 1), 2);
    }

    #[test]
    fn hosts_are_farther_than_what_they_share_inside_and_nodes_farther_still() {
        let topology = Topology::synthetic("package:2 numa:1 core:2 pu:1").expect("a valid description");
        let vp_path = |place, vp| VpPath::new(place, topology.root(), vp);
        let mut vp_paths: Vec<_> = [(0, 0), (0, 1), (1, 2)]
            .into_iter()
            .flat_map(|place| [0, 1, 2].map(|vp| vp_path(place, vp)))
            .collect();
        vp_paths.sort();
        let machine = Machine::of_sites(&vp_paths);
        let distances = [1, 2, 3, 6].map(|other| machine.distance(0, other));
        assert_eq!(distances, [1, 2, 3, 4]);
        assert_eq!(machine.memory(0), machine.memory(1));
        let memories: std::collections::HashSet<_> = (0..9).map(|vp| machine.memory(vp)).collect();
        assert_eq!(memories.len(), 6);
    }

    #[test]
    fn levels_without_a_choice_do_not_count() {
        let machine = machine("package:1 numa:1 l3:1 l2:2 core:1 pu:1", 2);
        assert_eq!(machine.distance(0, 1), 1);
        let one = super::tests::machine("package:1 core:4 pu:1", 1);
        assert_eq!(one.distance(0, 0), 0);
    }
}
