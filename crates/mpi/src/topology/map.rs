//! Where a rank would be in a topology: the map functions.
//!
//! They are local, so the ranks have to come to one answer without talking: it follows from the virtual processors on
//! which they began.

use super::layout::Traffic;
use super::{Cart, Graph};
use crate::comm::Comm;
use crate::constants::UNDEFINED;
use crate::error::Result;

impl Comm {
    /// The rank that the caller would best have in a grid (`MPI_Cart_map`); [`UNDEFINED`] beyond it.
    ///
    /// # Errors
    ///
    /// As [`Comm::cart_create`].
    pub fn cart_map(&self, dims: &[i32], periods: &[bool]) -> Result<i32> {
        self.check_intra()?;
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
        let hardware = self.process().job().hardware();
        let homes = hardware.and_then(|hardware| {
            let homes = self.group().processes().map(|process| hardware.home(process));
            homes.collect::<Option<Vec<_>>>()
        });
        let places = homes.and_then(|homes| self.lay_out(traffic, &homes));
        let rank = places.and_then(|places| places.iter().position(|place| place.process == me));
        rank.unwrap_or(me) as i32
    }
}
