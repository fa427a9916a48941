//! Work queue (WQ): every virtual processor runs compute and network execution contexts alike.

use super::Policy;
use crate::topology::Topology;

/// Members start in blocks of neighbours on each virtual processor. An idle one asks the nearest others for half of
/// what they have ready.
#[derive(Clone, Copy, Debug, Default)]
pub struct WorkQueue;

impl Policy for WorkQueue {
    fn name(&self) -> &'static str {
        "wq"
    }

    fn place(&self, index: usize, count: usize, vps: usize) -> usize {
        // In blocks, so that neighbours by number, which often communicate most, share a processor.
        index * vps / count.max(1)
    }

    fn victims(&self, vp: usize, vps: usize, topology: &Topology) -> Vec<usize> {
        let core = |vp: usize| vp % topology.cores().len();
        let mut others: Vec<usize> = (0..vps).filter(|&other| other != vp).collect();
        others.sort_by_key(|&other| topology.root().distance(core(vp), core(other)));
        others
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placement_is_in_even_blocks() {
        let place = |count, vps| {
            (0..count)
                .map(|index| WorkQueue.place(index, count, vps))
                .collect::<Vec<_>>()
        };
        assert_eq!(place(4, 2), [0, 0, 1, 1]);
        assert_eq!(place(2, 2), [0, 1]);
        assert_eq!(place(3, 4), [0, 1, 2]);
    }

    #[test]
    fn the_nearest_are_asked_first() {
        let topology = Topology::synthetic("package:2 core:2 pu:1").expect("a valid description");
        assert_eq!(WorkQueue.victims(0, 4, &topology), [1, 2, 3]);
        assert_eq!(WorkQueue.victims(2, 4, &topology)[0], 3);
    }
}
