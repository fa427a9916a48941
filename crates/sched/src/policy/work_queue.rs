//! Work queue (WQ): every virtual processor runs compute and network execution contexts alike.

use super::Policy;

/// Members start in blocks of neighbours on each virtual processor. An idle one asks the nearest others for half of
/// what they have ready.
#[derive(Clone, Copy, Debug, Default)]
pub struct WorkQueue;

impl Policy for WorkQueue {
    fn name(&self) -> &str {
        "wq"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Machine;
    use crate::topology::Topology;

    #[test]
    fn placement_is_in_even_blocks() {
        let topology = Topology::synthetic("core:4 pu:1").expect("a valid description");
        let place = |count, vps| {
            (0..count)
                .map(|index| WorkQueue.place(index, count, &Machine::new(vps, &topology)))
                .collect::<Vec<_>>()
        };
        assert_eq!(place(4, 2), [0, 0, 1, 1]);
        assert_eq!(place(2, 2), [0, 1]);
        assert_eq!(place(3, 4), [0, 1, 2]);
    }

    #[test]
    fn the_nearest_are_asked_first() {
        let topology = Topology::synthetic("package:2 core:2 pu:1").expect("a valid description");
        let machine = Machine::new(4, &topology);
        assert_eq!(WorkQueue.victims(0, &machine), [1, 2, 3]);
        assert_eq!(WorkQueue.victims(2, &machine)[0], 3);
    }
}
