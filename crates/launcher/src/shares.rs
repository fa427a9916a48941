//! How ranks are shared out among hosts.

use simurgh_net::job::HostShare;

/// At most `most` hosts on one node, each with its share of the ranks: some have one more than others, none is empty.
pub(crate) fn of_one_node(ranks: u32, most: u32) -> Vec<HostShare> {
    let hosts = most.min(ranks).max(1);
    let share = |host| HostShare {
        node: 0,
        ranks: ranks / hosts + u32::from(host < ranks % hosts),
    };
    (0..hosts).map(share).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_even_and_none_is_empty() {
        let ranks = |total, most| {
            of_one_node(total, most)
                .iter()
                .map(|host| host.ranks)
                .collect::<Vec<_>>()
        };
        assert_eq!(ranks(64, 4), [16; 4]);
        assert_eq!(ranks(7, 3), [3, 2, 2]);
        assert_eq!(ranks(2, 4), [1, 1]);
        assert_eq!(ranks(5, 1), [5]);
    }
}
