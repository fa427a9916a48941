//! Cartesian topologies.

use std::ffi::c_int;

use simurgh_mpi::ErrorClass;
use simurgh_mpi_abi_macros::mpi;

use super::comm_create::give_out;
use super::topology::{check_room, flags, length_of};
use crate::arguments::{Array, ArrayMut, Out};
use crate::constants::MPI_COMM_NULL;
use crate::error::Outcome;
use crate::handles::Rank;
use crate::types::MPI_Comm;

/// `MPI_Cart_create`: makes a communicator whose ranks form a grid.
#[mpi(raises = comm_old)]
fn cart_create(
    rank: Rank<'_>,
    comm_old: MPI_Comm,
    ndims: c_int,
    dims: Array<c_int>,
    periods: Array<c_int>,
    reorder: c_int,
    comm_cart: Out<MPI_Comm>,
) -> Outcome {
    comm_cart.set("comm_cart", MPI_COMM_NULL)?;
    let count = length_of("ndims", ndims, ErrorClass::Dims)?;
    let periods = flags(periods.slice("periods", count)?);
    let comm = rank.comm(comm_old)?;
    let made = comm.cart_create(dims.slice("dims", count)?, &periods, reorder != 0)?;
    give_out(rank, made, comm_cart)
}

/// `MPI_Cartdim_get`: number of dimensions.
#[mpi(raises = comm)]
fn cartdim_get(rank: Rank<'_>, comm: MPI_Comm, ndims: Out<c_int>) -> Outcome {
    ndims.set("ndims", rank.comm(comm)?.cart()?.dims().len() as c_int)
}

/// `MPI_Cart_get`: extents, periodic dimensions and the caller's coordinates.
#[mpi(raises = comm)]
fn cart_get(
    rank: Rank<'_>,
    comm: MPI_Comm,
    maxdims: c_int,
    mut dims: ArrayMut<c_int>,
    mut periods: ArrayMut<c_int>,
    mut coords: ArrayMut<c_int>,
) -> Outcome {
    let comm = rank.comm(comm)?;
    let cart = comm.cart()?;
    let count = cart.dims().len();
    check_room("maxdims", maxdims, count)?;
    dims.slice("dims", count)?.copy_from_slice(cart.dims());
    for (place, &period) in periods.slice("periods", count)?.iter_mut().zip(cart.periods()) {
        *place = c_int::from(period);
    }
    let mine = cart.coords(comm.rank())?;
    coords.slice("coords", count)?.copy_from_slice(&mine);
    Ok(())
}

/// `MPI_Cart_rank`: the rank at some coordinates.
#[mpi(raises = comm)]
fn cart_rank(rank: Rank<'_>, comm: MPI_Comm, coords: Array<c_int>, rank_: Out<c_int>) -> Outcome {
    let cart = rank.comm(comm)?.cart()?;
    rank_.set("rank", cart.rank(coords.slice("coords", cart.dims().len())?)?)
}

/// `MPI_Cart_coords`: the coordinates of a rank.
#[mpi(raises = comm)]
fn cart_coords(
    rank: Rank<'_>,
    comm: MPI_Comm,
    rank_: c_int,
    maxdims: c_int,
    mut coords: ArrayMut<c_int>,
) -> Outcome {
    let found = rank.comm(comm)?.cart()?.coords(rank_)?;
    check_room("maxdims", maxdims, found.len())?;
    coords.slice("coords", found.len())?.copy_from_slice(&found);
    Ok(())
}

/// `MPI_Cart_shift`: the ranks from which and to which the caller shifts data along a dimension.
#[mpi(raises = comm)]
fn cart_shift(
    rank: Rank<'_>,
    comm: MPI_Comm,
    direction: c_int,
    disp: c_int,
    rank_source: Out<c_int>,
    rank_dest: Out<c_int>,
) -> Outcome {
    let comm = rank.comm(comm)?;
    let (source, dest) = comm.cart()?.shift(comm.rank(), direction, disp)?;
    rank_source.set("rank_source", source)?;
    rank_dest.set("rank_dest", dest)
}

/// `MPI_Cart_sub`: makes communicators of the slices of a grid.
#[mpi(raises = comm)]
fn cart_sub(rank: Rank<'_>, comm: MPI_Comm, remain_dims: Array<c_int>, newcomm: Out<MPI_Comm>) -> Outcome {
    newcomm.set("newcomm", MPI_COMM_NULL)?;
    let comm = rank.comm(comm)?;
    let remain = flags(remain_dims.slice("remain_dims", comm.cart()?.dims().len())?);
    give_out(rank, Some(comm.cart_sub(&remain)?), newcomm)
}

/// `MPI_Cart_map`: the best rank for the caller in a grid.
#[mpi(raises = comm)]
fn cart_map(
    rank: Rank<'_>,
    comm: MPI_Comm,
    ndims: c_int,
    dims: Array<c_int>,
    periods: Array<c_int>,
    newrank: Out<c_int>,
) -> Outcome {
    let count = length_of("ndims", ndims, ErrorClass::Dims)?;
    let periods = flags(periods.slice("periods", count)?);
    let mapped = rank.comm(comm)?.cart_map(dims.slice("dims", count)?, &periods)?;
    newrank.set("newrank", mapped)
}
