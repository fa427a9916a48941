//! Which ranks each node gets.
//!
//! Ranks of a host have consecutive numbers. Unless the user wants it otherwise, so have those of a node. Each node
//! gets its slots in turn, until all ranks have a place. Ranks that are left over go round again, as with other
//! launchers; but those of the second round directly follow those of the first on the same node.
//!
//! With round robin, each rank goes to another node than the one before it. Then each rank is a host of its own.

use super::Node;
use simurgh_settings::Values;
use simurgh_settings::placement::{Order, Ranking};

/// How ranks are mapped to nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Mapping {
    /// To each node as many ranks as it has slots.
    #[default]
    Slots,
    /// This many ranks to each node.
    PerNode(u32),
    /// The same number of ranks to all nodes.
    Spread,
    /// One rank to each node in turn, as far as there are slots.
    RoundRobin,
}

/// Consecutive ranks on one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RankBlock {
    /// The node's place in the list of nodes.
    pub(crate) node: u32,
    /// The number of ranks.
    pub(crate) ranks: u32,
}

impl Mapping {
    /// The mapping of a job. `per_node` is the value of `-ppn`.
    pub(crate) fn of(settings: &Values, per_node: Option<u32>) -> Self {
        let map = settings.map();
        match (per_node, map.order) {
            (Some(ranks), _) | (None, Order::PerNode(ranks)) => Self::PerNode(ranks),
            (None, Order::Nodes) => Self::RoundRobin,
            (None, _) if settings.ranking() == Ranking::Nodes => Self::RoundRobin,
            (None, _) if map.spread => Self::Spread,
            (None, _) => Self::Slots,
        }
    }

    /// How many ranks a node takes in one round.
    fn round_of(self, node: &Node) -> u32 {
        match self {
            Self::Slots | Self::RoundRobin => node.slots,
            Self::PerNode(ranks) => ranks,
            Self::Spread => 1,
        }
    }

    /// How many ranks all nodes together take in one round.
    pub(crate) fn capacity(self, nodes: &[Node]) -> u32 {
        let slots = |node: &Node| match self {
            Self::Spread => node.slots,
            _ => self.round_of(node),
        };
        let sum: u64 = nodes.iter().map(|node| u64::from(slots(node))).sum();
        u32::try_from(sum).unwrap_or(u32::MAX)
    }

    /// The blocks of `ranks`, in the order of ranks.
    pub(crate) fn blocks(self, ranks: u32, nodes: &[Node]) -> Vec<RankBlock> {
        let blocks = |shares: Vec<u32>| (0..).zip(shares).map(|(node, ranks)| RankBlock { node, ranks });
        match self {
            Self::Slots | Self::PerNode(_) | Self::Spread => blocks(self.shares(ranks, nodes))
                .filter(|run| run.ranks > 0)
                .collect(),
            Self::RoundRobin => round_robin(ranks, nodes),
        }
    }

    /// How many of `ranks` each node gets, if the ranks of a node are consecutive.
    fn shares(self, ranks: u32, nodes: &[Node]) -> Vec<u32> {
        let round: Vec<u64> = nodes.iter().map(|node| u64::from(self.round_of(node))).collect();
        let per_round: u64 = round.iter().sum::<u64>().max(1);
        let (rounds, mut rest) = (u64::from(ranks) / per_round, u64::from(ranks) % per_round);
        let share = |slots: u64| {
            let more = slots.min(rest);
            rest -= more;
            u32::try_from(rounds * slots + more).unwrap_or(u32::MAX)
        };
        round.into_iter().map(share).collect()
    }
}

/// Gives one rank to each node in turn that has slots left. When none has, all slots are free again.
fn round_robin(ranks: u32, nodes: &[Node]) -> Vec<RankBlock> {
    let mut blocks: Vec<RankBlock> = Vec::new();
    let most = nodes.iter().map(|node| node.slots).max().unwrap_or(1);
    let rounds = (0..most).cycle().flat_map(|round| {
        let free = (0..).zip(nodes).filter(move |(_, node)| node.slots > round);
        free.map(|(node, _)| node)
    });
    for node in rounds.take(ranks as usize) {
        match blocks.last_mut() {
            Some(last) if last.node == node => last.ranks += 1,
            _ => blocks.push(RankBlock { node, ranks: 1 }),
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use simurgh_settings::Id;

    fn nodes(slots: &[u32]) -> Vec<Node> {
        let node = |&slots| Node {
            name: "n".into(),
            slots,
        };
        slots.iter().map(node).collect()
    }

    #[test]
    fn slots_are_filled_and_then_again() {
        let shares = |ranks, slots: &[u32]| Mapping::Slots.shares(ranks, &nodes(slots));
        assert_eq!(shares(3, &[2, 4]), [2, 1]);
        assert_eq!(shares(8, &[1, 1]), [4, 4]);
        assert_eq!(shares(9, &[2, 4]), [4, 5]);
        assert_eq!(shares(1, &[2, 4]), [1, 0]);
        assert_eq!(Mapping::PerNode(3).shares(5, &nodes(&[1, 1, 1])), [3, 2, 0]);
        assert_eq!(Mapping::PerNode(3).capacity(&nodes(&[1, 1])), 6);
        assert_eq!(Mapping::Slots.capacity(&nodes(&[2, 4])), 6);
    }

    #[test]
    fn nodes_take_turns_as_far_as_they_have_slots() {
        let blocks = |ranks, slots: &[u32]| -> Vec<_> {
            let blocks = Mapping::RoundRobin.blocks(ranks, &nodes(slots));
            blocks.iter().map(|run| (run.node, run.ranks)).collect()
        };
        assert_eq!(blocks(4, &[2, 2]), [(0, 1), (1, 1), (0, 1), (1, 1)]);
        assert_eq!(blocks(4, &[1, 3]), [(0, 1), (1, 3)]);
        assert_eq!(blocks(3, &[1, 1]), [(0, 1), (1, 1), (0, 1)]);
        assert_eq!(blocks(5, &[4]), [(0, 5)]);
    }

    #[test]
    fn settings_say_how_nodes_are_used() {
        let mapping = |map: &str, rank: &str, per_node| {
            let mut settings = Values::default();
            settings.read(Id::MapBy, "test", map.as_ref()).unwrap();
            settings.read(Id::RankBy, "test", rank.as_ref()).unwrap();
            Mapping::of(&settings, per_node)
        };
        assert_eq!(mapping("core:PE=2", "slot", None), Mapping::Slots);
        assert_eq!(mapping("ppr:2:node", "slot", None), Mapping::PerNode(2));
        assert_eq!(mapping("numa", "slot", Some(3)), Mapping::PerNode(3));
        assert_eq!(mapping("node:OVERSUBSCRIBE", "fill", None), Mapping::RoundRobin);
        assert_eq!(mapping("core", "node", None), Mapping::RoundRobin);
        assert_eq!(mapping("core:SPAN", "fill", None), Mapping::Spread);
    }

    #[test]
    fn all_nodes_may_take_part_alike() {
        assert_eq!(Mapping::Spread.shares(5, &nodes(&[8, 8])), [3, 2]);
        assert_eq!(Mapping::Spread.capacity(&nodes(&[8, 8])), 16);
    }

    proptest! {
        #[test]
        fn every_rank_has_one_place(ranks in 1u32..5000, slots in proptest::collection::vec(1u32..40, 1..9)) {
            let shares = Mapping::Slots.shares(ranks, &nodes(&slots));
            prop_assert_eq!(shares.iter().sum::<u32>(), ranks);
            for mapping in [Mapping::Slots, Mapping::Spread, Mapping::RoundRobin] {
                let blocks = mapping.blocks(ranks, &nodes(&slots));
                prop_assert_eq!(blocks.iter().map(|run| run.ranks).sum::<u32>(), ranks);
                prop_assert!(blocks.iter().all(|run| run.ranks > 0));
            }
        }
    }
}
