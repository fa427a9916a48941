//! The node on which a rank lives.

/// How often in a row a rank has to be seen on a node before it lives there.
const SETTLED: u32 = 10;

/// The node on which a rank lives, by where it is seen now and then. A rank that another virtual processor takes for a
/// moment does not move: its memory would follow it to and fro.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Home {
    node: Option<usize>,
    /// The other node on which it has been seen last, and how often in a row.
    other: usize,
    seen: u32,
}

impl Home {
    /// Notes that the rank is on this node. Returns the node if the rank has moved there for good.
    pub(super) fn see(&mut self, node: usize) -> Option<usize> {
        let Some(home) = self.node else {
            self.node = Some(node);
            return None;
        };
        if node == home {
            self.seen = 0;
            return None;
        }
        self.seen = if node == self.other { self.seen + 1 } else { 1 };
        self.other = node;
        if self.seen < SETTLED {
            return None;
        }
        (self.node, self.seen) = (Some(node), 0);
        self.node
    }
}

#[cfg(test)]
mod tests {
    use super::{Home, SETTLED};

    fn moves(seen: impl IntoIterator<Item = usize>) -> Vec<usize> {
        let mut home = Home::default();
        seen.into_iter().filter_map(|node| home.see(node)).collect()
    }

    #[test]
    fn a_rank_lives_where_it_is_seen_again_and_again() {
        let often = SETTLED as usize;
        assert!(moves([0; 50]).is_empty());
        assert_eq!(moves(std::iter::once(0).chain(vec![1; 3 * often])), [1]);
        let there_and_back = [
            vec![0],
            vec![1; often],
            vec![0; often - 1],
            vec![1],
            vec![0; often],
        ]
        .concat();
        assert_eq!(moves(there_and_back), [1, 0]);
    }

    #[test]
    fn a_rank_that_comes_and_goes_stays_where_it_is() {
        let by_turns: Vec<usize> = (0..1000).map(|turn| turn / 5 % 2).collect();
        assert!(moves(by_turns).is_empty());
        assert!(moves((0..1000).map(|turn| turn % 3)).is_empty());
    }
}
