//! Making communicators with a topology.
//!
//! Each call is one exchange of the parent's ranks. The last rank of a host to arrive makes what all share: the
//! topology itself and the placement of the ranks. Then each rank moves to the virtual processor on which it is to
//! live. Among several hosts ranks are renumbered only, because none can move to another host.

use super::arguments::{DescribedTopology, Edges, Location, PartialGraph};
use crate::check::Checks;
use crate::comm::{Comm, CommBuilder, CommShared, IdDemand};
use crate::error::{Error, ErrorClass, Result};
use crate::group::Group;
use crate::members::Members;
use simurgh_core::sync::Arc;
use simurgh_topology::mapping::{Assignment, Machine, Traffic, VpPath, map_ranks};
use simurgh_topology::{Cart, DistGraph, EdgeList, Graph, Topology};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The new communicator, for the ranks of the parent.
struct Made {
    /// `None` if none of them is on this host.
    shared: Option<Arc<CommShared>>,
    topology: Arc<Topology>,
    /// The virtual processor of each new rank, if the ranks have been placed.
    vps: Option<Vec<usize>>,
    /// The new rank of each rank of the parent.
    ranks: Vec<Option<usize>>,
}

impl Comm {
    /// A communicator whose ranks form a grid (`MPI_Cart_create`); `None` for ranks beyond it. With `reorder` the ranks
    /// are placed on the machine so that neighbours are near each other.
    ///
    /// A grid of which a dimension has no extent has no place for any rank.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Dims`] if an extent is negative or the grid is larger than the communicator,
    /// [`ErrorClass::NotSame`] if the ranks describe different grids.
    pub fn cart_create(&self, dims: &[i32], periods: &[bool], reorder: bool) -> Result<Option<Arc<Self>>> {
        self.check_intra()?;
        if Cart::is_empty(dims) {
            return Ok(None);
        }
        let cart = Cart::new(dims, periods)?;
        self.check_points(&cart)?;
        self.create_described::<Cart>(digest(&(dims, periods)), reorder, || {
            let traffic = Traffic::from(&cart);
            (Topology::Cart(cart), traffic)
        })
    }

    /// A communicator whose ranks form a graph (`MPI_Graph_create`); `None` for ranks beyond it. With `reorder` the
    /// ranks are placed on the machine so that neighbours are near each other.
    ///
    /// # Errors
    ///
    /// The errors of [`Graph::new`]; [`ErrorClass::Arg`] if the graph is larger than the communicator;
    /// [`ErrorClass::NotSame`] if the ranks describe different graphs.
    pub fn graph_create(&self, index: &[i32], edges: &[i32], reorder: bool) -> Result<Option<Arc<Self>>> {
        self.check_intra()?;
        let graph = Graph::new(index, edges)?;
        self.check_nodes(&graph)?;
        if index.is_empty() {
            return Ok(None);
        }
        self.create_described::<Graph>(digest(&(index, edges)), reorder, || {
            let traffic = Traffic::from(&graph);
            (Topology::Graph(graph), traffic)
        })
    }

    /// A communicator with a graph to which any rank may contribute edges (`MPI_Dist_graph_create`). With `reorder` the
    /// ranks are placed on the machine so that edges of large weight are short.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Arg`] if some ranks give weights and others none.
    pub fn dist_graph_create(&self, edges: EdgeList, reorder: bool) -> Result<Arc<Self>> {
        self.create_from_parts(edges, reorder, |lists| DistGraph::new(&lists))
    }

    /// A communicator with a graph of which each rank names its incoming and its outgoing edges
    /// (`MPI_Dist_graph_create_adjacent`), in the order in which it will see them. With `reorder` the ranks are placed
    /// on the machine so that edges of large weight are short.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Arg`] if some ranks give weights and others none, [`ErrorClass::Topology`] if an edge is named at
    /// one of its ends only, unless checks are off.
    pub fn dist_graph_create_adjacent(
        &self,
        incoming: EdgeList,
        outgoing: EdgeList,
        reorder: bool,
    ) -> Result<Arc<Self>> {
        self.create_from_parts((incoming, outgoing), reorder, |lists| {
            DistGraph::adjacent(&lists, self.checks() > Checks::Off)
        })
    }

    pub(super) fn check_points(&self, cart: &Cart) -> Result<()> {
        let (points, size) = (cart.points(), self.size());
        if points <= size {
            return Ok(());
        }
        let dims = cart.dims();
        Err(Error::new(
            ErrorClass::Dims,
            format!("the grid {dims:?} has {points} points, more than the {size} ranks of the communicator"),
        ))
    }

    pub(super) fn check_nodes(&self, graph: &Graph) -> Result<()> {
        let (nodes, size) = (graph.index().len(), self.size());
        if nodes <= size {
            return Ok(());
        }
        Err(Error::new(
            ErrorClass::Arg,
            format!("nnodes is {nodes}, more than the {size} ranks of the communicator"),
        ))
    }

    fn create_described<K: 'static>(
        &self,
        digest: u64,
        reorder: bool,
        describe: impl FnOnce() -> (Topology, Traffic),
    ) -> Result<Option<Arc<Self>>> {
        let described = DescribedTopology::<K>::new(digest, self.own_location(reorder));
        let made = self.exchange(described, IdDemand::One, |ranks, builder| {
            if let Some(other) = ranks.iter().position(|rank| rank.digest != ranks[0].digest) {
                return Err(Error::new(
                    ErrorClass::NotSame,
                    format!(
                        "rank 0 and rank {other} describe different topologies; all ranks have to pass the same"
                    ),
                ));
            }
            let (topology, traffic) = describe();
            let locations: Vec<Location> = ranks.into_iter().map(|rank| rank.location).collect();
            self.make(builder, topology, &traffic, &locations)
        })?;
        self.enter(&made)
    }

    fn create_from_parts<E: Edges + Send + 'static>(
        &self,
        edges: E,
        reorder: bool,
        join: impl FnOnce(Vec<E>) -> Result<DistGraph>,
    ) -> Result<Arc<Self>> {
        self.check_intra()?;
        let part = PartialGraph {
            edges,
            location: self.own_location(reorder),
        };
        let made = self.exchange(part, IdDemand::One, |parts: Vec<PartialGraph<E>>, builder| {
            parts.iter().try_for_each(|part| part.edges.check(self.size()))?;
            let (lists, locations): (Vec<E>, Vec<Location>) =
                parts.into_iter().map(|part| (part.edges, part.location)).unzip();
            let graph = join(lists)?;
            let traffic = Traffic::from(&graph);
            self.make(builder, Topology::DistGraph(graph), &traffic, &locations)
        })?;
        let entered = self.enter(&made)?;
        Ok(entered.expect("the graph has a node for every rank"))
    }

    /// Makes what the ranks will share.
    fn make(
        &self,
        builder: &mut CommBuilder<'_>,
        topology: Topology,
        traffic: &Traffic,
        locations: &[Location],
    ) -> Result<Made> {
        let assignments = self.assignments(traffic, locations);
        let processes = match &assignments {
            Some(assignments) => assignments.iter().map(|assignment| assignment.process).collect(),
            None => (0..traffic.ranks()).collect::<Vec<_>>(),
        };
        let mut ranks = vec![None; self.size()];
        for (rank, &process) in processes.iter().enumerate() {
            ranks[process] = Some(rank);
        }
        let members = processes
            .iter()
            .filter_map(|&process| self.group().process(process));
        let group = Group::from_processes(members.collect());
        Ok(Made {
            shared: builder.make(Members::intra(group))?,
            topology: Arc::new(topology),
            vps: assignments.map(|assignments| assignments.iter().map(|assignment| assignment.vp).collect()),
            ranks,
        })
    }

    /// The placement of the ranks; `None` unless all ranks allow one and run on virtual processors.
    fn assignments(&self, traffic: &Traffic, locations: &[Location]) -> Option<Vec<Assignment>> {
        if self.host_map().is_some() {
            return assignments_on_hosts(traffic, locations);
        }
        let free = locations
            .iter()
            .map(|location| location.vp.filter(|_| location.reorder));
        let homes: Vec<usize> = free.collect::<Option<_>>()?;
        self.map_ranks(traffic, &homes)
    }

    /// The placement of processes that are on these virtual processors; `None` if the hardware is not known.
    pub(super) fn map_ranks(&self, traffic: &Traffic, homes: &[usize]) -> Option<Vec<Assignment>> {
        let vps = homes.iter().max().map_or(0, |last| last + 1);
        let machine = Machine::new(self.process().job().hardware()?.domains(), vps);
        Some(map_ranks(traffic, &machine, homes))
    }

    /// Takes the caller's membership in a new communicator.
    fn enter(&self, made: &Result<Made>) -> Result<Option<Arc<Self>>> {
        let made = made.as_ref().map_err(Error::clone)?;
        let (Some(shared), Some(rank)) = (&made.shared, made.ranks[self.rank() as usize]) else {
            return Ok(None);
        };
        if let Some(vps) = &made.vps {
            simurgh_core::migrate(vps[rank]);
        }
        let topology = Some(Arc::clone(&made.topology));
        Ok(Some(self.child_with(Arc::clone(shared), rank, topology)))
    }
}

/// The placement of ranks of several hosts, on the virtual processors of each rank's own host.
fn assignments_on_hosts(traffic: &Traffic, locations: &[Location]) -> Option<Vec<Assignment>> {
    let free = locations
        .iter()
        .map(|location| location.vp_path.as_ref().filter(|_| location.reorder));
    let homes: Vec<&VpPath> = free.collect::<Option<_>>()?;
    let mut vp_paths: Vec<VpPath> = homes.iter().copied().cloned().collect();
    vp_paths.sort_unstable();
    vp_paths.dedup();
    let homes: Vec<usize> = homes
        .iter()
        .map(|home| vp_paths.partition_point(|vp_path| vp_path < home))
        .collect();
    let mut assignments = map_ranks(traffic, &Machine::of_sites(&vp_paths), &homes);
    for assignment in &mut assignments {
        assignment.vp = vp_paths[assignment.vp].vp as usize;
    }
    Some(assignments)
}

fn digest(description: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    description.hash(&mut hasher);
    hasher.finish()
}
