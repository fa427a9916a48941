//! Which processes live on which host.

use std::ops::Range;

/// The hosts of a job and the processes that live on each: consecutive ones, in the order of the hosts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    own: u32,
    /// Of each host, its first process; then the number of processes.
    firsts: Box<[u32]>,
    /// The node, by number, on which each host runs.
    nodes: Box<[u32]>,
    first: u32,
    count: u32,
}

impl Layout {
    /// All of so many processes on one host.
    #[must_use]
    pub fn one_host(processes: u32) -> Self {
        Self::new(0, [(processes, 0)])
    }

    /// Hosts with so many processes each, on the node of this number, as host `own` sees them.
    ///
    /// # Panics
    ///
    /// When there is no host `own`.
    #[must_use]
    pub fn new(own: u32, hosts: impl IntoIterator<Item = (u32, u32)>) -> Self {
        let (mut firsts, mut nodes) = (vec![0], Vec::new());
        for (processes, node) in hosts {
            firsts.push(firsts.last().map_or(0, |first| first + processes));
            nodes.push(node);
        }
        let (first, end) = (firsts[own as usize], firsts[own as usize + 1]);
        Self {
            own,
            firsts: firsts.into(),
            nodes: nodes.into(),
            first,
            count: end - first,
        }
    }

    /// The host that sees it so.
    #[must_use]
    pub fn own(&self) -> u32 {
        self.own
    }

    /// Number of hosts.
    #[must_use]
    pub fn hosts(&self) -> u32 {
        self.nodes.len() as u32
    }

    /// Number of processes, on all hosts.
    #[must_use]
    pub fn processes(&self) -> u32 {
        self.firsts[self.nodes.len()]
    }

    /// The processes of a host.
    #[must_use]
    pub fn on(&self, host: u32) -> Range<u32> {
        self.firsts[host as usize]..self.firsts[host as usize + 1]
    }

    /// The processes of this host.
    #[must_use]
    pub fn here(&self) -> Range<u32> {
        self.first..self.first + self.count
    }

    /// Whether a process lives on this host.
    #[inline]
    #[must_use]
    pub fn is_here(&self, process: u32) -> bool {
        process.wrapping_sub(self.first) < self.count
    }

    /// The place of a process among those of this host.
    #[inline]
    pub(crate) fn place(&self, process: u32) -> usize {
        process.wrapping_sub(self.first) as usize
    }

    /// The host of a process.
    #[must_use]
    pub fn host_of(&self, process: u32) -> u32 {
        self.firsts.partition_point(|&first| first <= process) as u32 - 1
    }

    /// The node on which a host runs.
    #[must_use]
    pub fn node_of(&self, host: u32) -> u32 {
        self.nodes[host as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_are_found_on_their_hosts() {
        let layout = Layout::new(1, [(3, 0), (2, 0), (4, 1)]);
        assert_eq!((layout.processes(), layout.hosts(), layout.here()), (9, 3, 3..5));
        for host in 0..3 {
            assert!(layout.on(host).all(|process| layout.host_of(process) == host));
        }
        assert!((0..9).all(|process| layout.is_here(process) == (3..5).contains(&process)));
        assert_eq!((layout.place(3), layout.place(4), layout.node_of(2)), (0, 1, 1));
    }
}
