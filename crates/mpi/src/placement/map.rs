//! The map functions: the rank that a process would have in a topology.
//!
//! The functions are local, so the ranks have to come to one answer without communication. The answer follows from the
//! virtual processors on which the ranks began, or, over several hosts, from their hosts, because a host knows no more
//! of the others.

use crate::comm::Comm;
use crate::constants::UNDEFINED;
use crate::error::Result;
use crate::members::HostMap;
use simurgh_topology::mapping::{Assignment, Machine, Traffic, VpPath, map_ranks};
use simurgh_topology::{Cart, Graph};

impl Comm {
    /// The best rank for the caller in a grid (`MPI_Cart_map`); [`UNDEFINED`] beyond it, and for every rank if the
    /// extent of a dimension is zero.
    ///
    /// # Errors
    ///
    /// As [`Comm::cart_create`] otherwise.
    pub fn cart_map(&self, dims: &[i32], periods: &[bool]) -> Result<i32> {
        self.check_intra()?;
        if Cart::is_empty(dims) {
            return Ok(UNDEFINED);
        }
        let cart = Cart::new(dims, periods)?;
        self.check_points(&cart)?;
        Ok(self.mapped(&Traffic::from(&cart)))
    }

    /// The best rank for the caller in a graph (`MPI_Graph_map`); [`UNDEFINED`] beyond it.
    ///
    /// # Errors
    ///
    /// As [`Comm::graph_create`].
    pub fn graph_map(&self, index: &[i32], edges: &[i32]) -> Result<i32> {
        self.check_intra()?;
        let graph = Graph::new(index, edges)?;
        self.check_nodes(&graph)?;
        Ok(self.mapped(&Traffic::from(&graph)))
    }

    fn mapped(&self, traffic: &Traffic) -> i32 {
        let me = self.rank() as usize;
        if me >= traffic.ranks() {
            return UNDEFINED;
        }
        let assignments = match self.host_map() {
            Some(host_map) => Some(map_ranks(
                traffic,
                &self.machine_of_hosts(host_map),
                &hosts_of(host_map),
            )),
            None => self.assignments_here(traffic),
        };
        let rank = assignments
            .and_then(|assignments| assignments.iter().position(|assignment| assignment.process == me));
        rank.unwrap_or(me) as i32
    }

    /// The hosts as a machine, as if each had one virtual processor.
    fn machine_of_hosts(&self, host_map: &HostMap) -> Machine {
        let layout = self.process().job().layout();
        let vp_path = |position| {
            let host = host_map.host(position);
            VpPath::of_host(layout.node_of(host), host)
        };
        let vp_paths: Vec<VpPath> = (0..host_map.hosts()).map(vp_path).collect();
        Machine::of_sites(&vp_paths)
    }

    fn assignments_here(&self, traffic: &Traffic) -> Option<Vec<Assignment>> {
        let hardware = self.process().job().hardware();
        let homes = hardware.and_then(|hardware| {
            let homes = self.group().processes().map(|process| hardware.home(process));
            homes.collect::<Option<Vec<_>>>()
        });
        homes.and_then(|homes| self.map_ranks(traffic, &homes))
    }
}

/// The position of each rank's host.
fn hosts_of(host_map: &HostMap) -> Vec<usize> {
    (0..host_map.seats_of_all())
        .map(|seat| host_map.position_of(seat))
        .collect()
}
