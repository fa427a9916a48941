//! How ranks are divided among hosts.

use crate::nodes::RankBlock;
use simurgh_net::job::{HostShare, Mode, Section};

/// The hosts of blocks of ranks. Each rank that is a process is a host. Ranks that are threads have at most `most`
/// hosts for each block with the same working directory, since a process has only one. So have the ranks of a native
/// program.
pub(crate) fn hosts_of_blocks(sections: &[Section], blocks: &[RankBlock], most: u32) -> Vec<HostShare> {
    let mut rows = rows(sections);
    let mut hosts = Vec::new();
    for &RankBlock { node, ranks } in blocks {
        let mut left = ranks;
        while let Some(row) = rows.first_mut().filter(|_| left > 0) {
            let here = row.1.min(left);
            let most = if row.0.shares_process() { most } else { here };
            hosts.extend(on_node(node, here, most));
            (row.1, left) = (row.1 - here, left - here);
            if row.1 == 0 {
                rows.remove(0);
            }
        }
    }
    hosts
}

/// The groups of consecutive ranks that may share a host, each with its size.
fn rows(sections: &[Section]) -> Vec<(Mode, u32)> {
    let rows = sections.chunk_by(|a, b| a.mode == b.mode && a.mode != Mode::Native && a.wdir == b.wdir);
    rows.map(|row| (row[0].mode, row.iter().map(|section| section.ranks).sum()))
        .collect()
}

/// At most `most` hosts on a node. Their numbers of ranks differ by at most one, and none is 0.
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
    use simurgh_net::encoding::Text;

    fn section(mode: Mode, ranks: u32) -> Section {
        let name = Text::new("/bin/true").unwrap();
        Section {
            program: name.clone(),
            argv: vec![name],
            ranks,
            mode,
            wdir: None,
            env: Vec::new(),
            preload: Vec::new(),
        }
    }

    fn shown(sections: &[Section], nodes: &[u32], most: u32) -> Vec<(u32, u32)> {
        let blocks: Vec<_> = (0..)
            .zip(nodes)
            .map(|(node, &ranks)| RankBlock { node, ranks })
            .collect();
        let shares = hosts_of_blocks(sections, &blocks, most);
        shares.iter().map(|share| (share.node, share.ranks)).collect()
    }

    #[test]
    fn shares_are_even_and_none_is_empty() {
        let ranks = |total, most| {
            let shares = shown(&[section(Mode::Threads, total)], &[total], most);
            shares.iter().map(|(_, ranks)| *ranks).collect::<Vec<_>>()
        };
        assert_eq!(ranks(64, 4), [16; 4]);
        assert_eq!(ranks(7, 3), [3, 2, 2]);
        assert_eq!(ranks(2, 4), [1, 1]);
        assert_eq!(ranks(5, 1), [5]);
    }

    #[test]
    fn a_node_may_have_several_blocks() {
        let threads = [section(Mode::Threads, 4)];
        let blocks = [(0, 1), (1, 1), (0, 2)].map(|(node, ranks)| RankBlock { node, ranks });
        let hosts = hosts_of_blocks(&threads, &blocks, 1);
        let shown: Vec<_> = hosts.iter().map(|host| (host.node, host.ranks)).collect();
        assert_eq!(shown, [(0, 1), (1, 1), (0, 2)]);
    }

    #[test]
    fn a_host_has_one_working_directory() {
        let mut sections = [1, 2, 2].map(|ranks| section(Mode::Threads, ranks));
        for (section, wdir) in sections.iter_mut().zip(["/a", "/b", "/b"]) {
            section.wdir = Text::new(wdir);
        }
        assert_eq!(shown(&sections, &[5], 1), [(0, 1), (0, 4)]);
        assert_eq!(shown(&sections, &[3, 2], 1), [(0, 1), (0, 2), (1, 2)]);
    }

    #[test]
    fn a_native_program_has_hosts_of_its_own() {
        let sections = [
            section(Mode::Native, 3),
            section(Mode::Native, 2),
            section(Mode::Threads, 1),
        ];
        assert_eq!(shown(&sections, &[6], 1), [(0, 3), (0, 2), (0, 1)]);
        assert_eq!(
            shown(&sections, &[4, 2], 2),
            [(0, 2), (0, 1), (0, 1), (1, 1), (1, 1)]
        );
    }

    #[test]
    fn a_rank_that_is_a_process_is_a_host() {
        let sections = [
            section(Mode::Threads, 2),
            section(Mode::Threads, 1),
            section(Mode::Processes, 2),
            section(Mode::Threads, 2),
        ];
        assert_eq!(shown(&sections, &[7], 1), [(0, 3), (0, 1), (0, 1), (0, 2)]);
        assert_eq!(
            shown(&sections, &[4, 3], 2),
            [(0, 2), (0, 1), (0, 1), (1, 1), (1, 1), (1, 1)]
        );
    }
}
