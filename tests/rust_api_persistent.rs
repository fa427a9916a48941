//! Persistent operations of the Rust interface, all of which do at each start what the call of the same name does.

use simurgh::{Builder, Communicator, ErrorClass, Op, PersistentCollective, Result};

/// Runs `f` with 1, 2, 6 and 30 ranks; every rank must succeed.
fn with_ranks(f: impl Fn(&Communicator) -> Result<()> + Clone + Send + Sync + 'static) {
    for ranks in [1, 2, 6, 30] {
        let builder = Builder::new().ranks(ranks).vps(2).stack_size(256 << 10);
        let ended = builder.run(f.clone()).expect("the run succeeds");
        ended.into_iter().for_each(|end| end.expect("no call fails"));
    }
}

/// The values of a rank in a round, as many as asked for.
fn values(rank: usize, round: usize, len: usize) -> Vec<u64> {
    (0..len)
        .map(|index| (round * 100_000 + rank * 1000 + index * 7) as u64)
        .collect()
}

/// Starts a collective three times, with other values, and compares what it has received with what a call receives.
fn does_as(
    mut collective: PersistentCollective<u64>,
    rank: usize,
    call: impl Fn(&[u64], &mut [u64]) -> Result<()>,
) -> Result<()> {
    for round in 0..3 {
        let sent = values(rank, round, collective.sent().len());
        collective.sent_mut().copy_from_slice(&sent);
        collective.received_mut().fill(1);
        collective.start()?;
        let mut received = vec![
            1;
            {
                // The length cannot be asked for meanwhile.
                collective.wait()?;
                collective.received().len()
            }
        ];
        call(&sent, &mut received)?;
        assert_eq!(collective.received(), received, "round {round}");
    }
    Ok(())
}

#[test]
fn collectives_of_uneven_parts_are_started_again_and_again() {
    with_ranks(|world| {
        let (rank, size, root) = (world.rank(), world.size(), world.size() / 2);
        let counts: Vec<usize> = (0..size).map(|rank| rank % 3 * 20).collect();
        let (own, total) = (vec![0; counts[rank]], vec![0; counts.iter().sum()]);

        let gather = world.persistent_gatherv(own.clone(), total.clone(), &counts, root)?;
        does_as(gather, rank, |sent, received| {
            world.gatherv(sent, received, &counts, root)
        })?;
        let gather = world.persistent_all_gatherv(own.clone(), total.clone(), &counts)?;
        does_as(gather, rank, |sent, received| {
            world.all_gatherv(sent, received, &counts)
        })?;
        let scatter = world.persistent_scatterv(total.clone(), &counts, own.clone(), root)?;
        does_as(scatter, rank, |sent, received| {
            world.scatterv(sent, &counts, received, root)
        })?;

        let both: Vec<usize> = (0..size).map(|other| (rank + other) % 4 * 10).collect();
        let each = vec![0; both.iter().sum()];
        let exchange = world.persistent_all_to_allv(each.clone(), &both, each, &both)?;
        does_as(exchange, rank, |sent, received| {
            world.all_to_allv(sent, &both, received, &both)
        })
    });
}

#[test]
fn reductions_and_scans_are_started_again_and_again() {
    with_ranks(|world| {
        let (rank, size) = (world.rank(), world.size());
        let op = Op::ordered(|left: u64, right: u64| left.wrapping_mul(31).wrapping_add(right));
        let counts: Vec<usize> = (0..size).map(|rank| rank % 3 * 20).collect();
        let (own, total) = (vec![0; counts[rank]], vec![0; counts.iter().sum()]);

        let block = world.persistent_reduce_scatter_block(vec![0; 9 * size], vec![0; 9], &op)?;
        does_as(block, rank, |sent, received| {
            world.reduce_scatter_block(sent, received, &op)
        })?;
        let parts = world.persistent_reduce_scatter(total, own, &counts, &op)?;
        does_as(parts, rank, |sent, received| {
            world.reduce_scatter(sent, received, &counts, &op)
        })?;
        let scan = world.persistent_scan(vec![0; 30], vec![0; 30], &op)?;
        does_as(scan, rank, |sent, received| world.scan(sent, received, &op))?;
        let scan = world.persistent_exscan(vec![0; 30], vec![0; 30], &op)?;
        does_as(scan, rank, |sent, received| world.exscan(sent, received, &op))
    });
}

#[test]
fn neighbours_exchange_again_and_again() {
    with_ranks(|world| {
        let ring = world.cart_create(&[world.size()], &[true], false)?;
        let ring = ring.expect("all ranks are in the ring");
        let rank = ring.rank();
        // What a rank sends up, all send up.
        let (out, into) = ([10, 20], [20, 10]);

        let gather = ring.persistent_neighbor_all_gather(vec![0; 15], vec![0; 30])?;
        does_as(gather, rank, |sent, received| {
            ring.neighbor_all_gather(sent, received)
        })?;
        let gather = ring.persistent_neighbor_all_gatherv(vec![0; 15], vec![0; 30], &[15, 15])?;
        does_as(gather, rank, |sent, received| {
            ring.neighbor_all_gatherv(sent, received, &[15, 15])
        })?;
        let exchange = ring.persistent_neighbor_all_to_allv(vec![0; 30], &out, vec![0; 30], &into)?;
        does_as(exchange, rank, |sent, received| {
            ring.neighbor_all_to_allv(sent, &out, received, &into)
        })
    });
}

#[test]
fn sends_of_all_modes_are_started_again_and_again() {
    with_ranks(|world| {
        let (rank, size) = (world.rank(), world.size());
        let (next, before) = ((rank + 1) % size, (rank + size - 1) % size);
        let buffer = world.attach_automatic_buffer()?;
        let mut sends = [
            world.persistent_send(vec![0; 40], next, 0)?,
            world.persistent_ssend(vec![0; 40], next, 1)?,
            world.persistent_rsend(vec![0; 40], next, 2)?,
            buffer.persistent_bsend(vec![0; 40], next, 3)?,
        ];
        let receives = (0..4).map(|tag| world.persistent_recv(vec![0; 40], before, tag));
        let mut receives: Vec<_> = receives.collect::<Result<_>>()?;
        for round in 0..3 {
            receives.iter_mut().try_for_each(|receive| receive.start())?;
            // A ready send needs its receive to have been started.
            world.barrier()?;
            for (mode, send) in sends.iter_mut().enumerate() {
                send.values_mut()
                    .copy_from_slice(&values(rank, 10 * round + mode, 40));
                send.start()?;
            }
            for (mode, receive) in receives.iter_mut().enumerate() {
                receive.wait()?;
                assert_eq!(receive.values(), values(before, 10 * round + mode, 40));
            }
            sends.iter_mut().try_for_each(|send| send.wait())?;
        }
        Ok(())
    });
}

#[test]
fn a_synchronous_send_waits_for_its_receive() {
    let ended = Builder::new().ranks(2).vps(1).run(|world| {
        let mut send = world.persistent_ssend(vec![1_u8], 1 - world.rank(), 0)?;
        if world.rank() == 0 {
            send.start()?;
            world.barrier()?;
            assert!(!send.is_complete());
            world.barrier()?;
            send.wait()?;
        } else {
            world.barrier()?;
            world.barrier()?;
            world.recv(&mut 0_u8, 0, 0)?;
        }
        Ok::<_, simurgh::Error>(())
    });
    ended.unwrap().into_iter().for_each(|end| end.unwrap());
}

#[test]
fn a_buffered_send_needs_a_buffer_at_its_start() {
    with_ranks(|world| {
        let buffer = world.attach_automatic_buffer()?;
        let mut send = buffer.persistent_bsend(vec![0_u8], world.rank(), 0)?;
        buffer.detach()?;
        let refused = send.start().map_err(|error| error.class());
        assert_eq!(refused, Err(ErrorClass::Buffer));
        Ok(())
    });
}
