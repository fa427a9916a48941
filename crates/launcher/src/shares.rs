//! How ranks are shared out among hosts.

use simurgh_net::job::HostShare;

/// At most `most` hosts on one node, each with its share of the ranks: some have one more than others, none is empty.
pub(crate) fn of_one_node(ranks: u32, most: u32) -> Vec<HostShare> {
    on_node(0, ranks, most)
}

/// Hosts of several nodes, each of which has at most `most`. Nodes without ranks are left out.
pub(crate) fn of_nodes(ranks: &[u32], most: u32) -> Vec<HostShare> {
    let used = ranks.iter().filter(|&&ranks| ranks > 0);
    (0..)
        .zip(used)
        .flat_map(|(node, &ranks)| on_node(node, ranks, most))
        .collect()
}

fn on_node(node: u32, ranks: u32, most: u32) -> Vec<HostShare> {
    let hosts = most.min(ranks).max(1);
    let share = |host| HostShare {
        node,
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

    #[test]
    fn nodes_without_ranks_have_no_hosts() {
        let shares = of_nodes(&[3, 0, 1], 2);
        let shown: Vec<_> = shares.iter().map(|share| (share.node, share.ranks)).collect();
        assert_eq!(shown, [(0, 2), (0, 1), (1, 1)]);
    }
}
