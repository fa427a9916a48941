//! The virtual processors of several hosts, as hosts describe them to each other.

use simurgh_base::portable::Portable;
use simurgh_sched::{Domain, DomainKind};

/// A virtual processor of some host, by its path in the tree of the hardware.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct VpPath {
    /// The number of the node, the number of the host, the children to take from the root of its domains on, and the
    /// virtual processor.
    pub(super) path: Vec<u32>,
    /// The number of the near memory among the node's; 0 for what lies outside any.
    pub(super) memory: u32,
    /// The number of the virtual processor on its host.
    pub vp: u32,
}

/// The depth that no tree of domains exceeds.
const DEEPEST: usize = 64;

impl VpPath {
    /// A virtual processor of this host, which has these domains.
    pub fn new((node, host): (u32, u32), domain: &Domain, vp: usize) -> Self {
        let core = vp % domain.cores.len().max(1);
        let vp = vp as u32;
        let mut vp_path = Self {
            path: vec![node, host],
            memory: 0,
            vp,
        };
        vp_path.descend(domain, core, &mut 0);
        vp_path.path.push(vp);
        vp_path
    }

    /// A host of a node, whatever virtual processors it has.
    pub fn of_host(node: u32, host: u32) -> Self {
        let (memory, vp) = (0, 0);
        Self {
            path: vec![node, host],
            memory,
            vp,
        }
    }

    /// Follows the tree to a core.
    fn descend(&mut self, domain: &Domain, core: usize, memories: &mut u32) {
        if domain.kind == DomainKind::Numa {
            *memories += 1;
            if domain.cores.contains(&core) {
                self.memory = *memories;
            }
        }
        for (index, child) in (0..).zip(&domain.children) {
            if child.cores.contains(&core) {
                self.path.push(index);
                return self.descend(child, core, memories);
            }
            *memories += count_memories(child);
        }
    }

    /// The memory that the virtual processor uses: one of the node's memories, as the host numbers them.
    pub(super) fn memory(&self) -> (&[u32], u32) {
        (&self.path[..2], self.memory)
    }
}

fn count_memories(domain: &Domain) -> u32 {
    let below: u32 = domain.children.iter().map(count_memories).sum();
    below + u32::from(domain.kind == DomainKind::Numa)
}

impl Portable for VpPath {
    fn write(&self, out: &mut Vec<u8>) {
        self.path.write(out);
        (self.memory, self.vp).write(out);
    }

    fn read(input: &mut &[u8]) -> Option<Self> {
        let path = Vec::read(input)?;
        let (memory, vp) = Portable::read(input)?;
        (2..=DEEPEST).contains(&path.len()).then_some(())?;
        Some(Self { path, memory, vp })
    }
}
