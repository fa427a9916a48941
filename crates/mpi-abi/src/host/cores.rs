//! The cores of a node, shared out among its hosts.
//!
//! Each host gets consecutive cores, which share the most with each other. More hosts than cores take turns: each runs
//! on one core, as the only one there if possible. The share is the process's affinity, so all that looks at the
//! machine later, virtual processors and the ranks' own threads, sees this part of it alone.

use super::error::HostError;
use rustix::thread::CpuSet;
use simurgh_net::job::JobSpec;
use simurgh_sched::Topology;
use std::ops::Range;

/// Restricts the process to its share, if it has to share.
pub(super) fn take_share(spec: &JobSpec) -> Result<(), HostError> {
    let node = spec.hosts[spec.host as usize].node;
    let on_node =
        |hosts: &[simurgh_net::job::HostShare]| hosts.iter().filter(|host| host.node == node).count();
    let (place, hosts) = (on_node(&spec.hosts[..spec.host as usize]), on_node(&spec.hosts));
    if hosts == 1 {
        return Ok(());
    }
    let topology = Topology::detect()?;
    let cores = topology.cores();
    let mut cpus = CpuSet::new();
    for core in &cores[share(cores.len(), place, hosts)] {
        core.cpus.iter().for_each(|&cpu| cpus.set(cpu));
    }
    rustix::thread::sched_setaffinity(None, &cpus).map_err(HostError::system("taking a share of the cores"))
}

/// The cores of the host at this place among so many hosts.
fn share(cores: usize, place: usize, hosts: usize) -> Range<usize> {
    if hosts > cores {
        let core = place % cores;
        return core..core + 1;
    }
    place * cores / hosts..(place + 1) * cores / hosts
}

#[cfg(test)]
mod tests {
    use super::share;

    #[test]
    fn every_core_has_a_host_and_every_host_a_core() {
        for (cores, hosts) in [(1, 1), (8, 2), (7, 3), (2, 2)] {
            let shares: Vec<_> = (0..hosts).flat_map(|place| share(cores, place, hosts)).collect();
            assert!(shares.into_iter().eq(0..cores));
        }
        let crowded: Vec<_> = (0..5).map(|place| share(2, place, 5)).collect();
        assert_eq!(crowded, [0..1, 1..2, 0..1, 1..2, 0..1]);
    }
}
