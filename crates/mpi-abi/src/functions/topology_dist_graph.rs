//! Distributed graph topologies, of which each rank knows its own edges.

use std::ffi::c_int;

use simurgh_mpi::{EdgeList, ErrorClass, Neighbors};
use simurgh_mpi_abi_macros::mpi;

use super::comm_create::give_out;
use super::topology::length_of;
use crate::arguments::{Array, ArrayMut, Out};
use crate::constants::{MPI_COMM_NULL, MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY};
use crate::error::{CallError, Outcome, ResultOf};
use crate::handles::Rank;
use crate::types::{MPI_Comm, MPI_Info};

/// The caller's weights; `None` if the graph has no weights.
fn weights_of<'a>(name: &str, weights: &'a Array<c_int>, edges: usize) -> ResultOf<Option<&'a [c_int]>> {
    if weights.is_special(MPI_UNWEIGHTED) {
        return Ok(None);
    }
    if weights.is_special(MPI_WEIGHTS_EMPTY) && edges > 0 {
        let reason = format!("{name} is MPI_WEIGHTS_EMPTY, but there are {edges} edges: pass their weights");
        return Err(CallError::new(ErrorClass::Arg, reason));
    }
    weights.slice(name, edges).map(Some)
}

/// The edges between the caller and `others`; `edge` puts the two ends in order.
fn edges_with(
    nodes: usize,
    others: &[c_int],
    weights: Option<&[c_int]>,
    edge: impl Fn(c_int) -> (c_int, c_int),
) -> ResultOf<EdgeList> {
    let mut list = EdgeList::new(weights.is_some());
    for (index, &other) in others.iter().enumerate() {
        list.push(nodes, edge(other), weights.map_or(1, |weights| weights[index]))?;
    }
    Ok(list)
}

/// `MPI_Dist_graph_create_adjacent`: makes a communicator with a graph; each rank names its own edges.
#[mpi(raises = comm_old)]
fn dist_graph_create_adjacent(
    rank: Rank<'_>,
    comm_old: MPI_Comm,
    indegree: c_int,
    sources: Array<c_int>,
    sourceweights: Array<c_int>,
    outdegree: c_int,
    destinations: Array<c_int>,
    destweights: Array<c_int>,
    info: MPI_Info,
    reorder: c_int,
    comm_dist_graph: Out<MPI_Comm>,
) -> Outcome {
    comm_dist_graph.set("comm_dist_graph", MPI_COMM_NULL)?;
    let (comm, hints) = (rank.comm(comm_old)?, rank.hints(info)?);
    let (me, nodes) = (comm.rank(), comm.size());
    let indegree = length_of("indegree", indegree, ErrorClass::Arg)?;
    let weights = weights_of("sourceweights", &sourceweights, indegree)?;
    let sources = sources.slice("sources", indegree)?;
    let incoming = edges_with(nodes, sources, weights, |source| (source, me))?;
    let outdegree = length_of("outdegree", outdegree, ErrorClass::Arg)?;
    let weights = weights_of("destweights", &destweights, outdegree)?;
    let destinations = destinations.slice("destinations", outdegree)?;
    let outgoing = edges_with(nodes, destinations, weights, |destination| (me, destination))?;
    let made = comm.dist_graph_create_adjacent(incoming, outgoing, reorder != 0)?;
    made.set_info(&hints);
    give_out(rank, Some(made), comm_dist_graph)
}

/// `MPI_Dist_graph_create`: makes a communicator with a graph; any rank may name any edges.
#[mpi(raises = comm_old)]
fn dist_graph_create(
    rank: Rank<'_>,
    comm_old: MPI_Comm,
    n: c_int,
    sources: Array<c_int>,
    degrees: Array<c_int>,
    destinations: Array<c_int>,
    weights: Array<c_int>,
    info: MPI_Info,
    reorder: c_int,
    comm_dist_graph: Out<MPI_Comm>,
) -> Outcome {
    comm_dist_graph.set("comm_dist_graph", MPI_COMM_NULL)?;
    let (comm, hints) = (rank.comm(comm_old)?, rank.hints(info)?);
    let n = length_of("n", n, ErrorClass::Arg)?;
    let sources = sources.slice("sources", n)?;
    let degrees = degrees.slice("degrees", n)?.iter();
    let degrees = degrees.map(|&degree| length_of("an entry of degrees", degree, ErrorClass::Arg));
    let degrees: Vec<usize> = degrees.collect::<ResultOf<_>>()?;
    let count = degrees.iter().sum();
    let weights = weights_of("weights", &weights, count)?;
    let destinations = destinations.slice("destinations", count)?;
    let origins = sources.iter().zip(&degrees);
    let origins = origins.flat_map(|(&source, &degree)| std::iter::repeat_n(source, degree));
    let mut edges = EdgeList::new(weights.is_some());
    for (index, (source, &destination)) in origins.zip(destinations).enumerate() {
        let weight = weights.map_or(1, |weights| weights[index]);
        edges.push(comm.size(), (source, destination), weight)?;
    }
    let made = comm.dist_graph_create(edges, reorder != 0)?;
    made.set_info(&hints);
    give_out(rank, Some(made), comm_dist_graph)
}

/// `MPI_Dist_graph_neighbors_count`: number of edges to and from the caller, and whether they have weights.
#[mpi(raises = comm)]
fn dist_graph_neighbors_count(
    rank: Rank<'_>,
    comm: MPI_Comm,
    indegree: Out<c_int>,
    outdegree: Out<c_int>,
    weighted: Out<c_int>,
) -> Outcome {
    let comm = rank.comm(comm)?;
    let (graph, me) = (comm.dist_graph()?, comm.rank() as usize);
    indegree.set("indegree", graph.incoming(me).ranks.len() as c_int)?;
    outdegree.set("outdegree", graph.outgoing(me).ranks.len() as c_int)?;
    weighted.set("weighted", c_int::from(graph.is_weighted()))
}

/// Stores the first neighbours, as many as there is room for, and their weights unless the caller does not want them.
fn give_neighbors(
    neighbors: Neighbors<'_>,
    room: usize,
    (ranks_name, mut ranks): (&str, ArrayMut<c_int>),
    (weights_name, mut weights): (&str, ArrayMut<c_int>),
) -> Outcome {
    let count = neighbors.ranks.len().min(room);
    ranks
        .slice(ranks_name, count)?
        .copy_from_slice(&neighbors.ranks[..count]);
    match neighbors.weights {
        Some(found) if !weights.is_special(MPI_UNWEIGHTED) => {
            weights
                .slice(weights_name, count)?
                .copy_from_slice(&found[..count]);
        }
        _ => {}
    }
    Ok(())
}

/// `MPI_Dist_graph_neighbors`: the ranks at the other ends of the caller's edges, and the edges' weights.
#[mpi(raises = comm)]
fn dist_graph_neighbors(
    rank: Rank<'_>,
    comm: MPI_Comm,
    maxindegree: c_int,
    sources: ArrayMut<c_int>,
    sourceweights: ArrayMut<c_int>,
    maxoutdegree: c_int,
    destinations: ArrayMut<c_int>,
    destweights: ArrayMut<c_int>,
) -> Outcome {
    let comm = rank.comm(comm)?;
    let (graph, me) = (comm.dist_graph()?, comm.rank() as usize);
    give_neighbors(
        graph.incoming(me),
        length_of("maxindegree", maxindegree, ErrorClass::Arg)?,
        ("sources", sources),
        ("sourceweights", sourceweights),
    )?;
    give_neighbors(
        graph.outgoing(me),
        length_of("maxoutdegree", maxoutdegree, ErrorClass::Arg)?,
        ("destinations", destinations),
        ("destweights", destweights),
    )
}
