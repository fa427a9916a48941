//! Virtual topologies: functions for all kinds, and balanced grids.

use std::ffi::c_int;

use simurgh_mpi::{ErrorClass, Topology, dims_create as fill_in};
use simurgh_mpi_abi_macros::mpi;

use crate::arguments::{ArrayMut, Out};
use crate::constants::{MPI_CART, MPI_DIST_GRAPH, MPI_GRAPH, MPI_UNDEFINED};
use crate::error::{CallError, Outcome, ResultOf};
use crate::handles::Rank;
use crate::types::MPI_Comm;

/// A number as a length; a negative one is an error of this class.
pub(super) fn length_of(name: &str, number: c_int, class: ErrorClass) -> ResultOf<usize> {
    usize::try_from(number)
        .map_err(|_| CallError::new(class, format!("{name} is {number}: it must not be negative")))
}

/// Fails if there is room for fewer entries than there are.
pub(super) fn check_room(name: &str, room: c_int, needed: usize) -> Outcome {
    if usize::try_from(room).is_ok_and(|room| room >= needed) {
        return Ok(());
    }
    let reason = format!("{name} is {room}, but there are {needed} entries to store");
    Err(CallError::new(ErrorClass::Arg, reason))
}

/// The caller's logical values.
pub(super) fn flags(values: &[c_int]) -> Vec<bool> {
    values.iter().map(|&value| value != 0).collect()
}

/// `MPI_Topo_test`: the kind of topology a communicator has, or `MPI_UNDEFINED`.
#[mpi(raises = comm)]
fn topo_test(rank: Rank<'_>, comm: MPI_Comm, status: Out<c_int>) -> Outcome {
    let kind = match rank.comm(comm)?.topology() {
        Some(Topology::Cart(_)) => MPI_CART,
        Some(Topology::Graph(_)) => MPI_GRAPH,
        Some(Topology::DistGraph(_)) => MPI_DIST_GRAPH,
        None => MPI_UNDEFINED,
    };
    status.set("status", kind)
}

/// `MPI_Dims_create`: replaces the extents that are 0, so that a grid of so many nodes is balanced.
#[mpi]
fn dims_create(_rank: Rank<'_>, nnodes: c_int, ndims: c_int, mut dims: ArrayMut<c_int>) -> Outcome {
    let count = length_of("ndims", ndims, ErrorClass::Dims)?;
    Ok(fill_in(nnodes, dims.slice("dims", count)?)?)
}
