//! Ranks that form a grid or a graph (chapter 8 of the standard).

use simurgh_mpi::constants::UNDEFINED;
use simurgh_mpi::{EdgeList, Error, ErrorClass, Neighbors, Result};

use super::Communicator;
use crate::activity::Call;
use crate::peer::raw_rank;
use crate::{Destination, Source};

/// Extents of a grid of so many ranks, as close to each other as possible; those that are not zero stay
/// (`MPI_Dims_create`).
///
/// # Errors
///
/// [`ErrorClass::Dims`] if the number of ranks is no multiple of the extents that are given, or zero.
///
/// ```
/// assert_eq!(simurgh::dims_create(12, &[0, 0])?, [4, 3]);
/// assert_eq!(simurgh::dims_create(12, &[0, 6])?, [2, 6]);
/// assert!(simurgh::dims_create(12, &[5, 0]).is_err());
/// # Ok::<(), simurgh::Error>(())
/// ```
pub fn dims_create(ranks: usize, dims: &[usize]) -> Result<Vec<usize>> {
    let mut dims: Vec<i32> = dims.iter().copied().map(raw_rank).collect();
    simurgh_mpi::dims_create(raw_rank(ranks), &mut dims)?;
    Ok(dims
        .into_iter()
        .map(|extent| extent.unsigned_abs() as usize)
        .collect())
}

impl Communicator {
    /// A communicator whose ranks form a grid, in row-major order, that is a ring in each periodic dimension; none for
    /// ranks beyond it (`MPI_Cart_create`). With `reorder`, ranks come to lie near their neighbours. Collective.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Dims`] if an extent is zero, the grid is larger than the communicator, or there are not as many
    /// flags as dimensions; [`ErrorClass::NotSame`] if the ranks describe different grids.
    ///
    /// ```
    /// # simurgh::Builder::new().ranks(6).run(|world| {
    /// let plate = world.cart_create(&[2, 3], &[false, true], true)?.expect("six ranks are in the grid");
    /// let coords = plate.cart_coords(plate.rank())?;
    /// let (west, east) = plate.cart_shift(1, 1)?;
    /// let mut from_west = [0, 0];
    /// plate.send_receive(&coords[..], east, 0, &mut from_west[..], west, 0)?;
    /// assert_eq!(from_west, [coords[0], (coords[1] + 2) % 3]);
    /// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    pub fn cart_create(&self, dims: &[usize], periodic: &[bool], reorder: bool) -> Result<Option<Self>> {
        check_dimensions("flags for periodic dimensions", periodic.len(), dims.len())?;
        let dims: Vec<i32> = dims.iter().copied().map(raw_rank).collect();
        let _inside = self.enter(Call::CreateTopology, UNDEFINED, UNDEFINED);
        let grid = self.comm.cart_create(&dims, periodic, reorder)?;
        Ok(grid.map(|comm| self.child(comm)))
    }

    /// The extents of the grid (`MPI_Cart_get`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Topology`] if the communicator is no grid.
    pub fn cart_dims(&self) -> Result<Vec<usize>> {
        let dims = self.comm.cart()?.dims().iter();
        Ok(dims.map(|extent| extent.unsigned_abs() as usize).collect())
    }

    /// Which dimensions of the grid are periodic (`MPI_Cart_get`).
    ///
    /// # Errors
    ///
    /// As [`cart_dims`](Self::cart_dims).
    pub fn cart_periods(&self) -> Result<Vec<bool>> {
        Ok(self.comm.cart()?.periods().to_vec())
    }

    /// The part of the grid that has the calling rank, with the dimensions that `kept` says: a row or a column of a
    /// plate (`MPI_Cart_sub`). Collective.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Topology`] if the communicator is no grid, [`ErrorClass::Dims`] if there are not as many flags as
    /// dimensions.
    ///
    /// ```
    /// # simurgh::Builder::new().ranks(6).run(|world| {
    /// let plate = world.cart_create(&[2, 3], &[false, false], false)?.expect("six ranks are in the grid");
    /// let row = plate.cart_sub(&[false, true])?;
    /// assert_eq!((row.cart_dims()?, row.rank()), (vec![3], plate.rank() % 3));
    /// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    pub fn cart_sub(&self, kept: &[bool]) -> Result<Self> {
        check_dimensions(
            "flags for kept dimensions",
            kept.len(),
            self.comm.cart()?.dims().len(),
        )?;
        let _inside = self.enter(Call::CreateTopology, UNDEFINED, UNDEFINED);
        Ok(self.child(self.comm.cart_sub(kept)?))
    }

    /// The coordinates of a rank in the grid (`MPI_Cart_coords`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Topology`] if the communicator is no grid, [`ErrorClass::Rank`] if there is no such rank.
    pub fn cart_coords(&self, rank: usize) -> Result<Vec<usize>> {
        let coords = self.comm.cart()?.coords(raw_rank(rank))?;
        Ok(coords
            .into_iter()
            .map(|coord| coord.unsigned_abs() as usize)
            .collect())
    }

    /// The rank at these coordinates of the grid, which wrap around in periodic dimensions (`MPI_Cart_rank`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Topology`] if the communicator is no grid, [`ErrorClass::Dims`] if there are not as many
    /// coordinates as dimensions, [`ErrorClass::Arg`] if one lies outside a dimension that is not periodic.
    pub fn cart_rank(&self, coords: &[i32]) -> Result<usize> {
        let grid = self.comm.cart()?;
        check_dimensions("coordinates", coords.len(), grid.dims().len())?;
        grid.rank(coords).map(|rank| rank.unsigned_abs() as usize)
    }

    /// The source and the destination of a shift by so many steps along a dimension (`MPI_Cart_shift`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Topology`] if the communicator is no grid, [`ErrorClass::Arg`] if there is no such dimension.
    pub fn cart_shift(&self, dimension: usize, steps: i32) -> Result<(Source, Destination)> {
        let grid = self.comm.cart()?;
        let (source, destination) = grid.shift(self.comm.rank(), raw_rank(dimension), steps)?;
        Ok((
            Destination::from_raw(source).into(),
            Destination::from_raw(destination),
        ))
    }

    /// A communicator with a graph of which each rank names the ranks that it receives from and those that it sends to;
    /// a rank that is named several times has as many edges (`MPI_Dist_graph_create_adjacent`). With `reorder`, ranks
    /// come to lie near their neighbours. Collective.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Rank`] if there is no such rank, [`ErrorClass::Topology`] if only one of its ends names an edge.
    pub fn dist_graph_create_adjacent(
        &self,
        sources: &[usize],
        destinations: &[usize],
        reorder: bool,
    ) -> Result<Self> {
        let unweighted = |ranks: &[usize]| ranks.iter().map(|&rank| (rank, 1)).collect::<Vec<_>>();
        self.create_adjacent(false, &unweighted(sources), &unweighted(destinations), reorder)
    }

    /// As [`dist_graph_create_adjacent`](Self::dist_graph_create_adjacent), with the weight of each edge, which both of
    /// its ends give. With `reorder`, the ends of heavy edges come to lie near each other. Collective.
    ///
    /// # Errors
    ///
    /// As [`dist_graph_create_adjacent`](Self::dist_graph_create_adjacent); [`ErrorClass::Arg`] if a weight is larger
    /// than `i32::MAX`, or other ranks give no weights.
    ///
    /// ```
    /// # simurgh::Builder::new().ranks(3).run(|world| {
    /// let (before, next) = ((world.rank() + 2) % 3, (world.rank() + 1) % 3);
    /// let ring = world.dist_graph_create_adjacent_weighted(&[(before, 7)], &[(next, 7)], false)?;
    /// assert_eq!(ring.dist_graph_weights()?, Some((vec![7], vec![7])));
    /// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    pub fn dist_graph_create_adjacent_weighted(
        &self,
        sources: &[(usize, u32)],
        destinations: &[(usize, u32)],
        reorder: bool,
    ) -> Result<Self> {
        self.create_adjacent(true, sources, destinations, reorder)
    }

    fn create_adjacent(
        &self,
        weighted: bool,
        sources: &[(usize, u32)],
        destinations: &[(usize, u32)],
        reorder: bool,
    ) -> Result<Self> {
        let (size, rank) = (self.size(), self.comm.rank());
        let (mut incoming, mut outgoing) = (EdgeList::new(weighted), EdgeList::new(weighted));
        for &(source, weight) in sources {
            incoming.push(size, (raw_rank(source), rank), raw_weight(weight))?;
        }
        for &(destination, weight) in destinations {
            outgoing.push(size, (rank, raw_rank(destination)), raw_weight(weight))?;
        }
        let _inside = self.enter(Call::CreateTopology, UNDEFINED, UNDEFINED);
        let graph = self
            .comm
            .dist_graph_create_adjacent(incoming, outgoing, reorder)?;
        Ok(self.child(graph))
    }

    /// A communicator with a graph, whose edges lead from the first rank of a pair to the second one; any rank names
    /// any of them, each edge once (`MPI_Dist_graph_create`). With `reorder`, ranks come to lie near their neighbours.
    /// Collective.
    ///
    /// Each rank finds its own edges by [`dist_graph_neighbors`](Self::dist_graph_neighbors).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Rank`] if there is no such rank.
    ///
    /// ```
    /// # simurgh::Builder::new().ranks(4).run(|world| {
    /// // Rank 0 has read the graph: a ring.
    /// let ring = [(0, 1), (1, 2), (2, 3), (3, 0)];
    /// let ring = world.dist_graph_create(if world.rank() == 0 { &ring } else { &[] }, false)?;
    /// let (sources, destinations) = ring.dist_graph_neighbors()?;
    /// assert_eq!((sources, destinations), (vec![(ring.rank() + 3) % 4], vec![(ring.rank() + 1) % 4]));
    /// let mut before = [0];
    /// ring.neighbor_all_gather(&[ring.rank()], &mut before)?;
    /// assert_eq!(before, [(ring.rank() + 3) % 4]);
    /// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    pub fn dist_graph_create(&self, edges: &[(usize, usize)], reorder: bool) -> Result<Self> {
        self.create_dist_graph(
            false,
            edges
                .iter()
                .map(|&(source, destination)| (source, destination, 1)),
            reorder,
        )
    }

    /// As [`dist_graph_create`](Self::dist_graph_create), with edges of different weights: source, destination and
    /// weight. With `reorder`, the ends of heavy edges come to lie near each other. Collective.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Rank`] if there is no such rank, [`ErrorClass::Arg`] if a weight is larger than `i32::MAX`, or
    /// other ranks give no weights.
    pub fn dist_graph_create_weighted(&self, edges: &[(usize, usize, u32)], reorder: bool) -> Result<Self> {
        self.create_dist_graph(true, edges.iter().copied(), reorder)
    }

    fn create_dist_graph(
        &self,
        weighted: bool,
        edges: impl Iterator<Item = (usize, usize, u32)>,
        reorder: bool,
    ) -> Result<Self> {
        let mut list = EdgeList::new(weighted);
        for (source, destination, weight) in edges {
            let ends = (raw_rank(source), raw_rank(destination));
            list.push(self.size(), ends, raw_weight(weight))?;
        }
        let _inside = self.enter(Call::CreateTopology, UNDEFINED, UNDEFINED);
        Ok(self.child(self.comm.dist_graph_create(list, reorder)?))
    }

    /// The ranks from which edges of the graph lead to the calling rank, and those to which edges lead from it, in the
    /// order in which collectives of neighbours see them (`MPI_Dist_graph_neighbors`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Topology`] if the communicator has no such graph.
    pub fn dist_graph_neighbors(&self) -> Result<(Vec<usize>, Vec<usize>)> {
        let graph = self.comm.dist_graph()?;
        let ranks = |neighbors: Neighbors<'_>| {
            let ranks = neighbors.ranks.iter();
            ranks.map(|rank| rank.unsigned_abs() as usize).collect()
        };
        Ok((
            ranks(graph.incoming(self.rank())),
            ranks(graph.outgoing(self.rank())),
        ))
    }

    /// The weights of the edges of [`dist_graph_neighbors`](Self::dist_graph_neighbors), in the same order; none if the
    /// graph has been made without weights (`MPI_Dist_graph_neighbors`).
    ///
    /// # Errors
    ///
    /// As [`dist_graph_neighbors`](Self::dist_graph_neighbors).
    pub fn dist_graph_weights(&self) -> Result<Option<(Vec<u32>, Vec<u32>)>> {
        let graph = self.comm.dist_graph()?;
        let weights = |neighbors: Neighbors<'_>| {
            let weights = neighbors.weights?.iter();
            Some(weights.map(|weight| weight.unsigned_abs()).collect())
        };
        let incoming = weights(graph.incoming(self.rank()));
        Ok(incoming.zip(weights(graph.outgoing(self.rank()))))
    }
}

/// A weight as the engine takes it. One that is too large is refused there as a negative one is.
fn raw_weight(weight: u32) -> i32 {
    i32::try_from(weight).unwrap_or(-1)
}

fn check_dimensions(what: &str, given: usize, dimensions: usize) -> Result<()> {
    if given == dimensions {
        return Ok(());
    }
    let message = format!("{given} {what} for a grid of {dimensions} dimensions: give one for each");
    Err(Error::new(ErrorClass::Dims, message))
}
