//! Grids, graphs, collectives of neighbours, and inter-communicators through the Rust interface.

use simurgh::{
    Builder, Communicator, Comparison, Destination, ErrorClass, InterRoot, Op, Result, Source, Tag,
};

/// Runs `f` with 1, 2, 6 and 30 ranks; every rank must succeed.
fn with_ranks(f: impl Fn(&Communicator) -> Result<()> + Clone + Send + Sync + 'static) {
    [1, 2, 6, 30].into_iter().for_each(|ranks| with(ranks, f.clone()));
}

fn with(ranks: usize, f: impl Fn(&Communicator) -> Result<()> + Send + Sync + 'static) {
    let builder = Builder::new().ranks(ranks).vps(2).stack_size(256 << 10);
    let ended = builder.run(f).expect("the run succeeds");
    ended.into_iter().for_each(|end| end.expect("no call fails"));
}

/// A grid of all ranks, with two rows if that is possible; its second dimension is a ring.
fn plate(world: &Communicator) -> Result<Communicator> {
    let rows = if world.size().is_multiple_of(2) { 2 } else { 1 };
    let grid = world.cart_create(&[rows, world.size() / rows], &[false, true], true)?;
    Ok(grid.expect("all ranks are in the grid"))
}

#[test]
fn grids_have_rows_and_columns() {
    with_ranks(|world| {
        let dims = simurgh::dims_create(world.size(), &[0, 0])?;
        assert_eq!(dims.iter().product::<usize>(), world.size());
        let grid = world.cart_create(&dims, &[false, true], false)?;
        let grid = grid.expect("all ranks are in the grid");
        let (coords, row) = (grid.cart_coords(grid.rank())?, grid.cart_sub(&[false, true])?);
        assert_eq!(
            (grid.cart_dims()?, row.cart_dims()?),
            (dims.clone(), vec![dims[1]])
        );
        assert_eq!(
            (grid.cart_periods()?, row.cart_periods()?),
            (vec![false, true], vec![true])
        );
        assert_eq!(row.rank(), coords[1]);
        let mut sum = 0;
        row.all_reduce(&coords[0], &mut sum, &Op::sum())?;
        assert_eq!(sum, coords[0] * dims[1]);
        let wrong = grid.cart_sub(&[true]).map_err(|error| error.class());
        assert_eq!(wrong.err(), Some(ErrorClass::Dims));
        let none = world.cart_sub(&[true]).map_err(|error| error.class());
        assert_eq!(none.err(), Some(ErrorClass::Topology));
        let relations = [world, &world.dup()?, &row].map(|other| world.compare(other));
        let last = if dims[0] == 1 {
            Comparison::Congruent
        } else {
            Comparison::Unequal
        };
        assert_eq!(relations, [Comparison::Identical, Comparison::Congruent, last]);
        Ok(())
    });
}

#[test]
fn grids_know_places_and_neighbours() {
    with_ranks(|world| {
        let plate = plate(world)?;
        let (rows, columns) = (plate.cart_coords(plate.size() - 1)?[0] + 1, plate.size() / 2);
        let coords = plate.cart_coords(plate.rank())?;
        let signed: Vec<i32> = coords.iter().map(|&coord| coord as i32).collect();
        assert_eq!(plate.cart_rank(&signed)?, plate.rank());
        let around = plate.cart_rank(&[signed[0], signed[1] - plate.size() as i32])?;
        assert_eq!(around, plate.rank());
        let (above, below) = plate.cart_shift(0, 1)?;
        assert_eq!(above == Source::Null, coords[0] == 0);
        assert_eq!(below == Destination::Null, coords[0] + 1 == rows);
        if rows == 2 && coords[0] == 0 {
            assert_eq!(below, Destination::Rank(plate.rank() + columns));
        }
        let beyond = plate.cart_rank(&[rows as i32, 0]).map_err(|error| error.class());
        assert_eq!(beyond, Err(ErrorClass::Arg));
        let flat = plate.cart_rank(&[0]).map_err(|error| error.class());
        assert_eq!(flat, Err(ErrorClass::Dims));
        Ok(())
    });
}

#[test]
fn neighbours_get_what_is_meant_for_them() {
    with_ranks(|world| {
        let ring = world
            .cart_create(&[world.size()], &[true], false)?
            .expect("all ranks");
        let (rank, size) = (ring.rank(), ring.size());
        let (left, right) = ((rank + size - 1) % size, (rank + 1) % size);
        let mut halo = [0; 4];
        ring.neighbor_all_to_all(
            &[10 * rank, 10 * rank + 1, 10 * rank + 2, 10 * rank + 3],
            &mut halo,
        )?;
        assert_eq!(halo, [10 * left + 2, 10 * left + 3, 10 * right, 10 * right + 1]);
        // One to the left, two to the right.
        let mut halo = [0; 3];
        ring.neighbor_all_to_allv(&[rank, 7, rank], &[1, 2], &mut halo, &[2, 1])?;
        assert_eq!(halo, [7, left, right]);
        let mut both = [0; 2];
        ring.neighbor_all_gather(&[rank], &mut both)?;
        assert_eq!(both, [left, right]);

        // Every rank sends twice to rank 0, as many values as its rank says.
        let sources: Vec<usize> = (0..2 * size).filter(|_| rank == 0).map(|edge| edge / 2).collect();
        let star = world.dist_graph_create_adjacent(&sources, &[0, 0], false)?;
        let mut all = vec![0; sources.iter().sum()];
        star.neighbor_all_gatherv(&vec![rank; rank], &mut all, &sources)?;
        let expected = sources.iter().flat_map(|&source| vec![source; source]);
        assert!(all.into_iter().eq(expected));
        Ok(())
    });
}

#[test]
fn edges_are_named_by_any_rank() {
    with_ranks(|world| {
        let (rank, size) = (world.rank(), world.size());
        let (left, right) = ((rank + size - 1) % size, (rank + 1) % size);
        // Each rank names the edge from its right neighbour to the one after that.
        let ring = world.dist_graph_create(&[(right, (right + 1) % size)], false)?;
        assert_eq!(ring.dist_graph_neighbors()?, (vec![left], vec![right]));
        let mut before = [size];
        ring.neighbor_all_gather(&[rank], &mut before)?;
        assert_eq!(before, [left]);

        // Rank 0 names them all: twice from each rank to the last one.
        let edges = (0..2 * size).map(|edge| (edge / 2, size - 1, edge as u32));
        let edges: Vec<_> = edges.filter(|_| rank == 0).collect();
        let star = world.dist_graph_create_weighted(&edges, true)?;
        let (sources, destinations) = star.dist_graph_neighbors()?;
        assert_eq!(destinations, [size - 1; 2]);
        let expected = (0..2 * size)
            .filter(|_| star.rank() == size - 1)
            .map(|edge| edge / 2);
        assert!(sources.into_iter().eq(expected));

        let class = |result: Result<Communicator>| result.expect_err("the edge is wrong").class();
        assert_eq!(
            class(world.dist_graph_create(&[(0, size)], false)),
            ErrorClass::Rank
        );
        let heavy = world.dist_graph_create_weighted(&[(0, 0, u32::MAX)], false);
        assert_eq!(class(heavy), ErrorClass::Arg);
        let none = world.dist_graph_neighbors().map_err(|error| error.class());
        assert_eq!(none, Err(ErrorClass::Topology));
        Ok(())
    });
}

#[test]
fn what_does_not_fit_is_refused() {
    with_ranks(|world| {
        let class = |result: Result<()>| result.expect_err("the argument is wrong").class();
        let ring = world
            .cart_create(&[world.size()], &[true], false)?
            .expect("all ranks");
        assert_eq!(
            class(world.neighbor_all_gather(&[1], &mut [0; 2])),
            ErrorClass::Topology
        );
        assert_eq!(
            class(ring.neighbor_all_gather(&[1], &mut [0; 3])),
            ErrorClass::Count
        );
        assert_eq!(
            class(ring.neighbor_all_to_all(&[1], &mut [0; 2])),
            ErrorClass::Count
        );
        let counts = class(ring.neighbor_all_gatherv(&[1], &mut [0; 2], &[1, 1, 0]));
        assert_eq!(counts, ErrorClass::Count);
        assert_eq!(
            class(ring.neighbor_all_gather(&[1, 2], &mut [0; 2])),
            ErrorClass::Truncate
        );
        let unequal = world.cart_create(&[1], &[], false).map(|_| ());
        assert_eq!(class(unequal), ErrorClass::Dims);
        let nowhere = world
            .dist_graph_create_adjacent(&[], &[world.size()], false)
            .map(|_| ());
        assert_eq!(class(nowhere), ErrorClass::Rank);
        Ok(())
    });
}

#[test]
fn uneven_parts_of_a_reduction_go_to_their_ranks() {
    with_ranks(|world| {
        let (rank, size) = (world.rank(), world.size());
        let counts: Vec<usize> = (0..size).map(|rank| rank % 3).collect();
        let total: usize = counts.iter().sum();
        let sent: Vec<[u64; 2]> = (0..total as u64).map(|index| [index, 1]).collect();
        let mut part = vec![[0; 2]; counts[rank]];
        world.reduce_scatter(&sent, &mut part, &counts, &Op::sum())?;
        let first: usize = counts[..rank].iter().sum();
        let expected = (first..).map(|index| [(index * size) as u64, size as u64]);
        assert!(part.iter().copied().eq(expected.take(counts[rank])));
        let short = world.reduce_scatter(&sent, &mut part, &counts[1..], &Op::sum());
        assert_eq!(short.map_err(|error| error.class()), Err(ErrorClass::Count));
        Ok(())
    });
}

#[test]
fn two_groups_exchange_what_they_have() {
    for ranks in [2, 7, 64] {
        with(ranks, |world| {
            let (rank, size) = (world.rank(), world.size());
            // The first group has a third of the ranks, and at least one.
            let first = size.div_ceil(3);
            let is_first = rank < first;
            let (own, others) = if is_first {
                (0..first, first..size)
            } else {
                (first..size, 0..first)
            };
            let group = world
                .split(Some(is_first.into()), 0)?
                .expect("a colour was given");
            let remote_leader = others.end - 1;
            let inter = group
                .inter_create(own.len() - 1, world, remote_leader, 5)?
                .dup()?;
            assert_eq!(
                (inter.rank(), inter.size(), inter.remote_size()),
                (rank - own.start, own.len(), others.len())
            );
            let mut all = vec![0; 2 * others.len()];
            inter.all_gather(&[rank, 1], &mut all)?;
            assert!(
                all.chunks(2)
                    .zip(others.clone())
                    .all(|(pair, other)| pair == [other, 1])
            );
            let sent: Vec<_> = others.clone().map(|other| 1000 * rank + other).collect();
            let mut received = vec![0; others.len()];
            inter.all_to_all(&sent, &mut received)?;
            assert!(
                received
                    .into_iter()
                    .zip(others.clone())
                    .all(|(value, other)| value == 1000 * other + rank)
            );
            let mut largest = 0;
            inter.all_reduce(&rank, &mut largest, &Op::max())?;
            assert_eq!(largest, others.end - 1);
            inter.barrier()?;
            if is_first {
                for other in (inter.rank()..inter.remote_size()).step_by(first) {
                    inter.send(&[rank; 3][..], other, 1)?;
                }
            } else {
                let (values, status) = inter.recv_vec::<usize>(Source::Any, Tag::Any)?;
                assert_eq!(
                    (values, status.source()),
                    (vec![inter.rank() % first; 3], Some(inter.rank() % first))
                );
            }
            let merged = inter.merge(is_first)?;
            let wanted = if is_first {
                size - first + rank
            } else {
                rank - first
            };
            assert_eq!((merged.rank(), merged.size()), (wanted, size));
            merged.barrier()
        });
    }
}

/// The last rank of one group is the root of collectives in which the other group takes part.
#[test]
fn a_root_and_the_other_group_exchange_what_they_have() {
    for (ranks, root_is_odd) in [(2, false), (7, true), (7, false), (64, true)] {
        with(ranks, move |world| {
            let (rank, is_odd) = (world.rank(), world.rank() % 2 == 1);
            let own = world.split(Some(is_odd.into()), 0)?.expect("a colour was given");
            let inter = own.inter_create(0, world, usize::from(!is_odd), 5)?;
            let root = match (is_odd == root_is_odd, own.rank() + 1 == own.size()) {
                (true, true) => InterRoot::Here,
                (true, false) => InterRoot::Local,
                (false, _) => InterRoot::Remote(inter.remote_size() - 1),
            };
            let (is_root, is_other) = (root == InterRoot::Here, is_odd != root_is_odd);
            let others = || (usize::from(!root_is_odd)..ranks).step_by(2);

            let mut value = if is_root { 5 } else { 0 };
            inter.broadcast(&mut value, root)?;
            assert_eq!(value, if is_root || is_other { 5 } else { 0 });

            let parts = if is_root { inter.remote_size() } else { 0 };
            let mut gathered = vec![0; 2 * parts];
            inter.gather(&[rank, 1][..if is_other { 2 } else { 0 }], &mut gathered, root)?;
            assert!(
                gathered
                    .chunks(2)
                    .zip(others())
                    .all(|(pair, other)| pair == [other, 1])
            );

            let sent: Vec<_> = others().take(parts).map(|other| 10 * other).collect();
            let mut part = [0];
            inter.scatter(&sent, &mut part[..usize::from(is_other)], root)?;
            assert_eq!(part, [if is_other { 10 * rank } else { 0 }]);

            let mut sum = 0;
            inter.reduce(&rank, &mut sum, &Op::sum(), root)?;
            assert_eq!(sum, if is_root { others().sum() } else { 0 });
            // A function of the program; the root has nothing to be combined.
            let mut ends = Vec::new();
            ends.resize(parts.min(1), [ranks, 0]);
            let sent = vec![[rank, rank]; usize::from(is_other)];
            let op =
                Op::commutative(|one: [usize; 2], two: [usize; 2]| [one[0].min(two[0]), one[1].max(two[1])]);
            inter.reduce(&sent, &mut ends, &op, root)?;
            let expected = [
                usize::from(!root_is_odd),
                others().next_back().expect("there are others"),
            ];
            assert!(!is_root || ends == [expected], "{ends:?}");
            inter.barrier()
        });
    }
}

#[test]
fn a_root_that_ranks_disagree_about_is_an_error() {
    with(4, |world| {
        let is_odd = world.rank() % 2 == 1;
        let own = world.split(Some(is_odd.into()), 0)?.expect("a colour was given");
        let inter = own.inter_create(0, world, usize::from(!is_odd), 5)?;
        let root = if is_odd {
            InterRoot::Remote(0)
        } else {
            InterRoot::Here
        };
        let error = inter.broadcast(&mut 0, root).map_err(|error| error.class());
        assert_eq!(error, Err(ErrorClass::Root));
        let error = inter
            .broadcast(&mut 0, InterRoot::Remote(2))
            .map_err(|error| error.class());
        assert_eq!(error, Err(ErrorClass::Root));
        Ok(())
    });
}

#[test]
fn a_group_that_is_its_own_partner_is_an_error() {
    with(2, |world| {
        let error = world
            .inter_create(0, world, 1, 0)
            .map(drop)
            .map_err(|error| error.class());
        assert_eq!(error, Err(ErrorClass::Comm));
        let error = world
            .inter_create(2, world, 1, 0)
            .map(drop)
            .map_err(|error| error.class());
        assert_eq!(error, Err(ErrorClass::Rank));
        Ok(())
    });
}

#[test]
fn edges_have_the_weights_that_both_ends_give() {
    let ended = Builder::new().ranks(6).vps(2).run(|world| {
        let (rank, size) = (world.rank(), world.size());
        // To the next rank a light edge, to the one after it a heavy one.
        let into = [
            ((rank + size - 1) % size, 1),
            ((rank + size - 2) % size, 1000 + rank as u32),
        ];
        let out = [
            ((rank + 1) % size, 1),
            ((rank + 2) % size, 1000 + ((rank + 2) % size) as u32),
        ];
        let graph = world.dist_graph_create_adjacent_weighted(&into, &out, false)?;
        let ranks = |edges: &[(usize, u32)]| edges.iter().map(|edge| edge.0).collect::<Vec<_>>();
        let weights = |edges: &[(usize, u32)]| edges.iter().map(|edge| edge.1).collect::<Vec<_>>();
        assert_eq!(graph.dist_graph_neighbors()?, (ranks(&into), ranks(&out)));
        assert_eq!(graph.dist_graph_weights()?, Some((weights(&into), weights(&out))));
        let mut from = [0; 2];
        graph.neighbor_all_to_all(&[rank, 10 * rank], &mut from)?;
        assert_eq!(from, [into[0].0, 10 * into[1].0]);

        let edges: Vec<_> = out.iter().map(|&(to, weight)| (rank, to, weight)).collect();
        let graph = world.dist_graph_create_weighted(&edges, false)?;
        let (_, found) = graph.dist_graph_weights()?.expect("the edges have weights");
        assert_eq!(found, weights(&out));
        let plain = world.dist_graph_create_adjacent(&ranks(&into), &ranks(&out), false)?;
        assert_eq!(plain.dist_graph_weights()?, None);
        let wrong = world.dist_graph_create_adjacent_weighted(&[(0, u32::MAX)], &[], false);
        assert_eq!(
            wrong.map(drop).map_err(|error| error.class()),
            Err(ErrorClass::Arg)
        );
        assert!(world.dist_graph_weights().is_err());
        world.barrier()
    });
    ended.unwrap().into_iter().for_each(|end| end.unwrap());
}

#[test]
fn duplicates_are_made_without_waiting() {
    let ended = Builder::new().ranks(5).vps(2).run(|world| {
        let (rank, size) = (world.rank(), world.size());
        // One after the other makes its duplicates, and gives the next one the turn.
        if rank > 0 {
            world.recv(&mut 0_u8, rank - 1, 0)?;
        }
        let duplicates = [world.idup()?, world.idup()?];
        if rank + 1 < size {
            world.send(&0_u8, rank + 1, 0)?;
        }
        for (number, duplicate) in duplicates.iter().enumerate() {
            let mut sum = 0;
            duplicate.all_reduce(&(rank + number), &mut sum, &Op::sum())?;
            assert_eq!(sum, 10 + number * size);
            assert_eq!(duplicate.compare(world), Comparison::Congruent);
        }
        Ok::<_, simurgh::Error>(())
    });
    ended.unwrap().into_iter().for_each(|end| end.unwrap());
}
