//! Nonblocking collectives through the Rust interface.

use simurgh::{Builder, Communicator, ErrorClass, Op, Result};

/// Runs `f` with 1, 2, 6 and 30 ranks; every rank must succeed.
fn with_ranks(f: impl Fn(&Communicator) -> Result<()> + Clone + Send + Sync + 'static) {
    for ranks in [1, 2, 6, 30] {
        let builder = Builder::new().ranks(ranks).vps(2).stack_size(256 << 10);
        let ended = builder.run(f.clone()).expect("the run succeeds");
        ended.into_iter().for_each(|end| end.expect("no call fails"));
    }
}

/// The values of a rank, as many as asked for.
fn values(rank: usize, len: usize) -> Vec<u64> {
    (0..len).map(|index| (rank * 1000 + index * 7) as u64).collect()
}

#[test]
fn collectives_that_move_data_do_as_those_that_wait() {
    with_ranks(|world| {
        let (rank, size, root) = (world.rank(), world.size(), world.size() / 2);
        let each = values(rank, 300 * size);
        let one = &each[..300];
        let counts: Vec<usize> = (0..size).map(|rank| rank % 3 * 100).collect();
        let (own, total) = (counts[rank], counts.iter().sum());
        let all = || vec![0; 300 * size];
        let uneven = || vec![0; total];

        let (mut given, mut gathered, mut gathered_all, mut scattered) =
            (one.to_vec(), all(), all(), [0; 300]);
        world.broadcast(&mut given, root)?;
        world.gather(one, &mut gathered, root)?;
        world.all_gather(one, &mut gathered_all)?;
        world.scatter(&each, &mut scattered, root)?;
        let (mut exchanged, mut parts, mut parts_all, mut part) = (all(), uneven(), uneven(), vec![0; own]);
        world.all_to_all(&each, &mut exchanged)?;
        world.gatherv(&one[..own], &mut parts, &counts, root)?;
        world.all_gatherv(&one[..own], &mut parts_all, &counts)?;
        world.scatterv(&each, &counts, &mut part, root)?;

        let mut buffers = [
            one.to_vec(),
            all(),
            all(),
            vec![0; 300],
            all(),
            uneven(),
            uneven(),
            vec![0; own],
        ];
        world.scope(|scope| {
            let [b0, b1, b2, b3, b4, b5, b6, b7] = &mut buffers;
            let _barrier = scope.ibarrier()?;
            let broadcast = scope.ibroadcast(b0, root)?;
            scope.igather(one, b1, root)?;
            scope.iall_gather(one, b2)?;
            scope.iscatter(&each, b3, root)?;
            let exchange = scope.iall_to_all(&each, b4)?;
            scope.igatherv(&one[..own], b5, &counts, root)?;
            scope.iall_gatherv(&one[..own], b6, &counts)?;
            scope.iscatterv(&each, &counts, b7, root)?;
            assert_eq!(*exchange.wait()?, exchanged);
            assert_eq!(*broadcast.wait()?, given);
            Ok(())
        })?;
        let expected = [
            given,
            gathered,
            gathered_all,
            scattered.to_vec(),
            exchanged,
            parts,
            parts_all,
            part,
        ];
        assert_eq!(buffers, expected);
        Ok(())
    });
}

#[test]
fn collectives_that_combine_data_do_as_those_that_wait() {
    with_ranks(|world| {
        let (rank, size, root) = (world.rank(), world.size(), world.size() / 3);
        let each = values(rank, 200 * size);
        let one = &each[..200];
        let counts: Vec<usize> = (0..size).map(|rank| rank % 3 * 100).collect();
        let total: usize = counts.iter().sum();
        // Left operands are those of lower ranks.
        let ordered = Op::ordered(|left: u64, right| left.wrapping_mul(31).wrapping_add(right));
        let sum = Op::sum();

        let some = || vec![0; 200];
        let mut expected = [
            some(),
            some(),
            some(),
            some(),
            some(),
            some(),
            vec![0; counts[rank]],
        ];
        let [e0, e1, e2, e3, e4, e5, e6] = &mut expected;
        world.reduce(one, &mut e0[..], &ordered, root)?;
        world.all_reduce(one, &mut e1[..], &ordered)?;
        e2.copy_from_slice(one);
        world.all_reduce_in_place(&mut e2[..], &sum)?;
        world.scan(one, &mut e3[..], &ordered)?;
        world.exscan(one, &mut e4[..], &sum)?;
        world.reduce_scatter_block(&each, e5, &ordered)?;
        world.reduce_scatter(&each[..total], e6, &counts, &sum)?;

        let mut buffers = [
            some(),
            some(),
            one.to_vec(),
            some(),
            some(),
            some(),
            vec![0; counts[rank]],
        ];
        world.scope(|scope| {
            let [b0, b1, b2, b3, b4, b5, b6] = &mut buffers;
            scope.ireduce(one, &mut b0[..], &ordered, root)?;
            scope.iall_reduce(one, &mut b1[..], &ordered)?;
            let in_place = scope.iall_reduce_in_place(&mut b2[..], &sum)?;
            scope.iscan(one, &mut b3[..], &ordered)?;
            scope.iexscan(one, &mut b4[..], &sum)?;
            scope.ireduce_scatter_block(&each, b5, &ordered)?;
            scope.ireduce_scatter(&each[..total], b6, &counts, &sum)?;
            while !in_place.is_complete() {}
            assert_eq!(*in_place.wait()?, expected[2]);
            scope.wait_all()
        })?;
        assert_eq!(buffers, expected);
        Ok(())
    });
}

#[test]
fn neighbours_exchange_while_others_do_something_else() {
    with_ranks(|world| {
        let ring = world
            .cart_create(&[world.size()], &[true], false)?
            .expect("all ranks");
        let (rank, size) = (ring.rank(), ring.size());
        let (left, right) = ((rank + size - 1) % size, (rank + 1) % size);
        let (mine, twice) = ([10 * rank, 10 * rank + 1], [rank, rank, 7]);
        let (mut halo, mut both, mut uneven, mut more) = ([0; 2], [0; 2], [0; 3], [0; 3]);
        ring.scope(|scope| {
            let exchange = scope.ineighbor_all_to_all(&mine, &mut halo)?;
            scope.ineighbor_all_gather(&mine[..1], &mut both)?;
            scope.ineighbor_all_to_allv(&twice, &[2, 1], &mut uneven, &[1, 2])?;
            scope.ineighbor_all_gatherv(&mine[..1], &mut more, &[1, 1])?;
            let mut token = 0;
            ring.send_receive(&rank, right, 0, &mut token, left, 0)?;
            assert_eq!(token, left);
            assert_eq!(exchange.wait()?, [10 * left + 1, 10 * right]);
            Ok(())
        })?;
        assert_eq!(both, [10 * left, 10 * right]);
        assert_eq!(uneven, [7, right, right]);
        assert_eq!(more, [10 * left, 10 * right, 0]);
        Ok(())
    });
}

#[test]
fn what_others_do_wrong_is_told_at_the_end() {
    with_ranks(|world| {
        let mut short = vec![0; if world.rank() == 0 { 3 } else { 2 }];
        let end = world.scope(|scope| scope.ibroadcast(&mut short, 0)?.wait().map(|_| ()));
        if world.size() > 1 {
            assert_eq!(end.map_err(|error| error.class()), Err(ErrorClass::Truncate));
        }
        let mut byte = 0;
        let start = world.scope(|scope| scope.ibroadcast(&mut byte, world.size()).map(|_| ()));
        assert_eq!(start.map_err(|error| error.class()), Err(ErrorClass::Root));
        // An error of the scope does not withdraw a collective that other ranks count on.
        let (one, mut sum) = (1, 0);
        let failed = world.scope(|scope| {
            scope.iall_reduce(&one, &mut sum, &Op::sum())?;
            scope.isend(&one, world.size(), 0).map(|_| ())
        });
        assert_eq!(failed.map_err(|error| error.class()), Err(ErrorClass::Rank));
        assert_eq!(sum, world.size());
        Ok(())
    });
}
