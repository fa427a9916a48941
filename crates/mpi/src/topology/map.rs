//! Where a rank would be in a topology: the map functions.
//!
//! They are local, so the ranks have to come to one answer without talking: it follows from the virtual processors on
//! which they began, or, over several hosts, from their hosts, which is what all know of the others.

use super::layout::{Machine, Place, Site, Traffic, lay_out};
use super::{Cart, Graph};
use crate::comm::Comm;
use crate::constants::UNDEFINED;
use crate::error::Result;
use crate::members::Span;

impl Comm {
    /// The rank that the caller would best have in a grid (`MPI_Cart_map`); [`UNDEFINED`] beyond it.
    ///
    /// A grid of which a dimension has no extent is no place for anybody.
    ///
    /// # Errors
    ///
    /// As [`Comm::cart_create`] otherwise.
    pub fn cart_map(&self, dims: &[i32], periods: &[bool]) -> Result<i32> {
        self.check_intra()?;
        if dims.contains(&0) && dims.iter().all(|&extent| extent >= 0) {
            return Ok(UNDEFINED);
        }
        let cart = Cart::new(dims, periods)?;
        self.check_points(&cart)?;
        Ok(self.mapped(&Traffic::from(&cart)))
    }

    /// The rank that the caller would best have in a graph (`MPI_Graph_map`); [`UNDEFINED`] beyond it.
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
        let places = match self.span() {
            Some(span) => Some(lay_out(traffic, &self.machine_of_hosts(span), &hosts_of(span))),
            None => self.places_here(traffic),
        };
        let rank = places.and_then(|places| places.iter().position(|place| place.process == me));
        rank.unwrap_or(me) as i32
    }

    /// The hosts, as if each had one virtual processor.
    fn machine_of_hosts(&self, span: &Span) -> Machine {
        let layout = self.process().job().layout();
        let site = |position| {
            let host = span.host(position);
            Site::of_host(layout.node_of(host), host)
        };
        let sites: Vec<Site> = (0..span.hosts()).map(site).collect();
        Machine::of_sites(&sites)
    }

    fn places_here(&self, traffic: &Traffic) -> Option<Vec<Place>> {
        let hardware = self.process().job().hardware();
        let homes = hardware.and_then(|hardware| {
            let homes = self.group().processes().map(|process| hardware.home(process));
            homes.collect::<Option<Vec<_>>>()
        });
        homes.and_then(|homes| self.lay_out(traffic, &homes))
    }
}

/// The position of each rank's host.
fn hosts_of(span: &Span) -> Vec<usize> {
    (0..span.seats_of_all())
        .map(|seat| span.position_of(seat))
        .collect()
}
