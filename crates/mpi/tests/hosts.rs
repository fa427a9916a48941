//! Messages between ranks of several hosts.
#![allow(missing_docs, reason = "a test")]

mod common;

use common::{into, out, recv_one, run_hosts, send_one, start_send};
use simurgh_mpi::constants::{ANY_SOURCE, ANY_TAG};
use simurgh_mpi::{Comm, ErrorClass, Mode};

/// Sizes around every threshold of the protocols.
const SIZES: [usize; 7] = [0, 1, 57, 500, 4096, 4097, 70_000];

fn pattern(size: usize, seed: usize) -> Vec<u8> {
    (0..size)
        .map(|index| (index * 31 + seed * 7 + (index >> 8)) as u8)
        .collect()
}

fn receives(comm: &Comm, size: usize, source: i32, tag: i32) {
    let mut data = vec![0; size + 3];
    let status = comm.recv(&into(&mut data), source, tag).unwrap();
    assert_eq!(
        (status.source, status.tag, status.bytes),
        (source, tag, size as u64)
    );
    assert_eq!(data[..size], pattern(size, tag as usize));
    assert_eq!(data[size..], [0; 3]);
}

/// Makes both ranks of a pair come here before either goes on.
fn meet(comm: &Comm) {
    common::meet(comm);
}

#[test]
fn messages_of_all_sizes_arrive_posted_or_unexpected() {
    run_hosts(2, 1, |world| {
        for (tag, size) in (0..).zip(SIZES) {
            let data = pattern(size, tag as usize);
            if world.rank() == 0 {
                world.send(&out(&data), 1, tag).unwrap();
                receives(world, size, 1, tag);
                meet(world);
                world.send_in(Mode::Synchronous, &out(&data), 1, tag).unwrap();
                world.send_in(Mode::Ready, &out(&data), 1, tag).unwrap();
            } else {
                receives(world, size, 0, tag);
                world.send(&out(&data), 0, tag).unwrap();
                meet(world);
                receives(world, size, 0, tag);
                receives(world, size, 0, tag);
            }
        }
    });
}

#[test]
fn messages_between_two_ranks_do_not_overtake() {
    run_hosts(2, 2, |world| {
        const COUNT: i32 = 200;
        // Alternating sizes take different ways through the protocol.
        let length = |number: i32| [1, 500, 3000][number as usize % 3];
        let other = (world.rank() + 2) % 4;
        if world.rank() < 2 {
            let data: Vec<_> = (0..COUNT).map(|number| vec![number; length(number)]).collect();
            let sends: Vec<_> = (0..)
                .zip(&data)
                .map(|(number, data)| start_send(world, Mode::Standard, &out(data), other, number % 2))
                .collect();
            sends
                .iter()
                .for_each(|send| assert_eq!(send.wait().error, ErrorClass::Success));
            return;
        }
        let mut data = vec![0; 3000];
        for tag in [0, 1] {
            for number in (tag..COUNT).step_by(2) {
                let source = if number % 5 == 0 { ANY_SOURCE } else { other };
                let status = world.recv(&into(&mut data), source, tag).unwrap();
                assert_eq!((status.bytes, data[0]), (4 * length(number) as u64, number));
            }
        }
    });
}

#[test]
fn many_ranks_exchange_with_all_others() {
    run_hosts(3, 4, |world| {
        let (rank, size) = (world.rank(), 12);
        for step in 1..size {
            let (to, from) = ((rank + step) % size, (rank + size - step) % size);
            let mut theirs = [0; 40];
            world
                .sendrecv(&out(&[rank; 40]), to, step, &into(&mut theirs), from, step)
                .unwrap();
            assert_eq!(theirs, [from; 40]);
        }
    });
}

#[test]
fn wildcards_take_messages_from_any_host() {
    run_hosts(3, 2, |world| {
        let rank = world.rank();
        if rank != 0 {
            send_one(world, rank * 10, 0, rank);
            assert_eq!(recv_one(world, 0, ANY_TAG), rank);
            return;
        }
        let mut seen = [0; 5];
        for _ in 0..5 {
            let mut number = [0];
            let status = world.recv(&into(&mut number), ANY_SOURCE, ANY_TAG).unwrap();
            assert_eq!((status.tag, number[0]), (status.source, status.source * 10));
            seen[status.source as usize - 1] += 1;
            send_one(world, status.source, status.source, 77);
        }
        assert_eq!(seen, [1; 5]);
    });
}
