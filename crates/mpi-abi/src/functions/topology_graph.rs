//! Graph topologies, which each rank knows as a whole.

use std::ffi::c_int;

use simurgh_mpi::ErrorClass;
use simurgh_mpi_abi_macros::mpi;

use super::comm_create::give_out;
use super::topology::{check_room, length_of};
use crate::arguments::{Array, ArrayMut, Out};
use crate::constants::MPI_COMM_NULL;
use crate::error::{Outcome, ResultOf};
use crate::handles::Rank;
use crate::types::MPI_Comm;

/// The caller's graph: for each node the end of its list of neighbours, and all lists in a row.
fn graph_of<'a>(
    nnodes: c_int,
    index: &'a Array<c_int>,
    edges: &'a Array<c_int>,
) -> ResultOf<(&'a [c_int], &'a [c_int])> {
    let index = index.slice("index", length_of("nnodes", nnodes, ErrorClass::Arg)?)?;
    let count = index.last().copied().unwrap_or(0);
    let count = length_of("the last entry of index", count, ErrorClass::Arg)?;
    Ok((index, edges.slice("edges", count)?))
}

/// `MPI_Graph_create`: makes a communicator whose ranks form a graph.
#[mpi(raises = comm_old)]
fn graph_create(
    rank: Rank<'_>,
    comm_old: MPI_Comm,
    nnodes: c_int,
    index: Array<c_int>,
    edges: Array<c_int>,
    reorder: c_int,
    comm_graph: Out<MPI_Comm>,
) -> Outcome {
    comm_graph.set("comm_graph", MPI_COMM_NULL)?;
    let (index, edges) = graph_of(nnodes, &index, &edges)?;
    let made = rank.comm(comm_old)?.graph_create(index, edges, reorder != 0)?;
    give_out(rank, made, comm_graph)
}

/// `MPI_Graphdims_get`: number of nodes and of edges.
#[mpi(raises = comm)]
fn graphdims_get(rank: Rank<'_>, comm: MPI_Comm, nnodes: Out<c_int>, nedges: Out<c_int>) -> Outcome {
    let graph = rank.comm(comm)?.graph()?;
    nnodes.set("nnodes", graph.index().len() as c_int)?;
    nedges.set("nedges", graph.edges().len() as c_int)
}

/// `MPI_Graph_get`: the graph, as it was passed.
#[mpi(raises = comm)]
fn graph_get(
    rank: Rank<'_>,
    comm: MPI_Comm,
    maxindex: c_int,
    maxedges: c_int,
    mut index: ArrayMut<c_int>,
    mut edges: ArrayMut<c_int>,
) -> Outcome {
    let graph = rank.comm(comm)?.graph()?;
    let (all_index, all_edges) = (graph.index(), graph.edges());
    check_room("maxindex", maxindex, all_index.len())?;
    check_room("maxedges", maxedges, all_edges.len())?;
    index.slice("index", all_index.len())?.copy_from_slice(all_index);
    edges.slice("edges", all_edges.len())?.copy_from_slice(all_edges);
    Ok(())
}

/// `MPI_Graph_neighbors_count`: number of neighbours of a rank.
#[mpi(raises = comm)]
fn graph_neighbors_count(rank: Rank<'_>, comm: MPI_Comm, rank_: c_int, nneighbors: Out<c_int>) -> Outcome {
    let neighbors = rank.comm(comm)?.graph()?.neighbors(rank_)?;
    nneighbors.set("nneighbors", neighbors.len() as c_int)
}

/// `MPI_Graph_neighbors`: the neighbours of a rank.
#[mpi(raises = comm)]
fn graph_neighbors(
    rank: Rank<'_>,
    comm: MPI_Comm,
    rank_: c_int,
    maxneighbors: c_int,
    mut neighbors: ArrayMut<c_int>,
) -> Outcome {
    let found = rank.comm(comm)?.graph()?.neighbors(rank_)?;
    check_room("maxneighbors", maxneighbors, found.len())?;
    neighbors.slice("neighbors", found.len())?.copy_from_slice(found);
    Ok(())
}

/// `MPI_Graph_map`: the best rank for the caller in a graph.
#[mpi(raises = comm)]
fn graph_map(
    rank: Rank<'_>,
    comm: MPI_Comm,
    nnodes: c_int,
    index: Array<c_int>,
    edges: Array<c_int>,
    newrank: Out<c_int>,
) -> Outcome {
    let (index, edges) = graph_of(nnodes, &index, &edges)?;
    newrank.set("newrank", rank.comm(comm)?.graph_map(index, edges)?)
}
