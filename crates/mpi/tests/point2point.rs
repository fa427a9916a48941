//! Blocking messages: modes, sizes, order, wildcards, errors.

use crate::common::{into, meet, out, recv_one, run, send_one, start_send};
use simurgh_mpi::constants::{ANY_SOURCE, ANY_TAG, PROC_NULL};
use simurgh_mpi::limits::{BSEND_OVERHEAD, INLINE_LIMIT};
use simurgh_mpi::{BufferSpace, Comm, ErrorClass, Mode, Status};
use simurgh_settings::Id;

/// Up to this size a send is copied out.
const EAGER_LIMIT: usize = Id::EagerLimit.preset().expect("it has a preset") as usize;

/// Sizes around every threshold of the protocol.
const SIZES: [usize; 9] = [
    0,
    1,
    INLINE_LIMIT,
    INLINE_LIMIT + 1,
    1000,
    EAGER_LIMIT,
    EAGER_LIMIT + 1,
    100_000,
    1 << 20,
];

fn pattern(size: usize, seed: usize) -> Vec<u8> {
    (0..size)
        .map(|index| (index * 31 + seed * 7 + (index >> 8)) as u8)
        .collect()
}

fn receives(comm: &Comm, size: usize, source: i32, tag: i32) {
    let mut data = vec![0; size + 3];
    let status = comm.recv(into(&mut data), source, tag).unwrap();
    assert_eq!(
        (status.source, status.tag, status.bytes),
        (source, tag, size as u64)
    );
    assert_eq!(data[..size], pattern(size, tag as usize));
    assert_eq!(data[size..], [0; 3]);
}

#[test]
fn messages_of_all_sizes_arrive_posted_or_unexpected() {
    run(2, |world| {
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
    run(2, |world| {
        const COUNT: i32 = 300;
        // Alternating sizes take different ways through the protocol.
        let length = |number: i32| [1, 500, 3000][number as usize % 3];
        if world.rank() == 0 {
            let data: Vec<_> = (0..COUNT).map(|number| vec![number; length(number)]).collect();
            let sends: Vec<_> = (0..)
                .zip(&data)
                .map(|(number, data)| start_send(world, Mode::Standard, &out(data), 1, number % 2))
                .collect();
            sends
                .iter()
                .for_each(|send| assert_eq!(send.wait().error, ErrorClass::Success));
            return;
        }
        let mut data = vec![0; 3000];
        for tag in [0, 1] {
            for number in (tag..COUNT).step_by(2) {
                let source = if number % 5 == 0 { ANY_SOURCE } else { 0 };
                let status = world.recv(into(&mut data), source, tag).unwrap();
                assert_eq!((status.bytes, data[0]), (4 * length(number) as u64, number));
            }
        }
    });
}

#[test]
fn wildcards_take_messages_from_anyone() {
    run(5, |world| {
        let rank = world.rank();
        if rank != 0 {
            send_one(world, rank * 10, 0, rank);
            assert_eq!(recv_one(world, 0, ANY_TAG), rank);
            return;
        }
        let mut seen = [0; 4];
        for _ in 0..4 {
            let mut number = [0];
            let status = world.recv(into(&mut number), ANY_SOURCE, ANY_TAG).unwrap();
            assert_eq!((status.tag, number[0]), (status.source, status.source * 10));
            seen[status.source as usize - 1] += 1;
            send_one(world, status.source, status.source, 77);
        }
        assert_eq!(seen, [1; 4]);
    });
}

#[test]
fn the_null_process_neither_sends_nor_receives() {
    run(1, |world| {
        world.send(&out(&[1]), PROC_NULL, 0).unwrap();
        world
            .send_in(Mode::Synchronous, &out(&[1]), PROC_NULL, 0)
            .unwrap();
        let mut number = [5];
        assert_eq!(world.recv(into(&mut number), PROC_NULL, 3), Ok(Status::PROC_NULL));
        assert_eq!(number, [5]);
        assert_eq!(world.probe(PROC_NULL, 3), Ok(Status::PROC_NULL));
        let (message, status) = world.mprobe(PROC_NULL, 3).unwrap();
        assert!(message.is_none() && status == Status::PROC_NULL);
        assert_eq!(message.recv(&into(&mut number)), Ok(Status::PROC_NULL));
    });
}

#[test]
fn a_rank_sends_to_itself() {
    run(1, |world| {
        send_one(world, 42, 0, 1);
        assert_eq!(recv_one(world, 0, 1), 42);
        let (mine, mut copy) = (pattern(100_000, 1), vec![0; 100_000]);
        world.sendrecv(&out(&mine), 0, 5, &into(&mut copy), 0, 5).unwrap();
        assert_eq!(copy, mine);
    });
}

#[test]
fn a_message_too_long_is_cut_and_reported() {
    run(2, |world| {
        for size in [4, 100, 20_000] {
            let data = pattern(size, 1);
            for posted_first in [false, true] {
                if world.rank() == 0 {
                    if posted_first {
                        meet(world);
                    }
                    let request = start_send(world, Mode::Standard, &out(&data), 1, 1);
                    if !posted_first {
                        meet(world);
                    }
                    assert_eq!(request.wait().error, ErrorClass::Success);
                } else {
                    let mut short = vec![0_u8; size / 2 + 1];
                    let request =
                        posted_first.then(|| world.irecv(&into(&mut short[..size / 2]), 0, 1).unwrap());
                    meet(world);
                    let status = match request {
                        Some(request) => request.wait(),
                        None => {
                            let error = world.recv(into(&mut short[..size / 2]), 0, 1).unwrap_err();
                            assert_eq!(error.class(), ErrorClass::Truncate);
                            *error.status().unwrap()
                        }
                    };
                    assert_eq!(
                        (status.error, status.bytes),
                        (ErrorClass::Truncate.into(), size as u64 / 2)
                    );
                    assert_eq!(short[..size / 2], data[..size / 2]);
                    assert_eq!(short[size / 2], 0);
                }
            }
        }
    });
}

#[test]
fn wrong_arguments_are_errors() {
    run(2, |world| {
        let (source, target) = (out(&[1]), into(&mut [0]));
        for rank in [2, -2, -4, 100] {
            assert_eq!(
                world.send(&source, rank, 0).unwrap_err().class(),
                ErrorClass::Rank
            );
            assert_eq!(
                world.isend(Mode::Standard, &source, rank, 0).unwrap_err().class(),
                ErrorClass::Rank
            );
        }
        assert_eq!(
            world.send(&source, ANY_SOURCE, 0).unwrap_err().class(),
            ErrorClass::Rank
        );
        assert_eq!(
            world.recv(target.clone(), 2, 0).unwrap_err().class(),
            ErrorClass::Rank
        );
        assert_eq!(world.irecv(&target, -4, 0).unwrap_err().class(), ErrorClass::Rank);
        assert_eq!(world.send(&source, 0, -1).unwrap_err().class(), ErrorClass::Tag);
        assert_eq!(
            world.send(&source, 0, ANY_TAG).unwrap_err().class(),
            ErrorClass::Tag
        );
        assert_eq!(
            world.recv(target.clone(), 0, -3).unwrap_err().class(),
            ErrorClass::Tag
        );
        assert_eq!(world.probe(7, 0).unwrap_err().class(), ErrorClass::Rank);
        let error = world.sendrecv(&source, 0, 0, &target, 9, 0).unwrap_err();
        assert_eq!(
            error.message(),
            "source 9 is not in the communicator of 2 ranks (0 to 1)"
        );
    });
}

#[test]
fn exchanges_in_a_ring_replace_or_keep() {
    run(4, |world| {
        let (rank, size) = (world.rank(), 4);
        let (right, left) = ((rank + 1) % size, (rank + size - 1) % size);
        for length in [1, 1000, 50_000] {
            let (mine, mut theirs) = (vec![rank; length], vec![-1; length]);
            let status = world
                .sendrecv(&out(&mine), right, 3, &into(&mut theirs), left, 3)
                .unwrap();
            assert_eq!((status.source, status.bytes), (left, 4 * length as u64));
            assert_eq!(theirs, vec![left; length]);
            world
                .sendrecv_replace(&into(&mut theirs), right, 4, left, 4)
                .unwrap();
            assert_eq!(theirs, vec![(left + size - 1) % size; length]);
        }
    });
}

#[test]
fn buffered_sends_return_at_once_and_are_limited_by_their_buffer() {
    run(2, |world| {
        let process = world.process();
        if world.rank() == 1 {
            meet(world);
            for number in [1, 2] {
                receives(world, 20_000, 0, number);
            }
            meet(world);
            return;
        }
        assert_eq!(
            world
                .send_in(Mode::Buffered, &out(&[1]), 1, 0)
                .unwrap_err()
                .class(),
            ErrorClass::Buffer
        );
        let space = BufferSpace::Fixed {
            address: 4096,
            size: 2 * (20_000 + BSEND_OVERHEAD),
        };
        process.buffer().attach(space).unwrap();
        for number in [1, 2] {
            world
                .send_in(Mode::Buffered, &out(&pattern(20_000, number)), 1, number as i32)
                .unwrap();
        }
        assert_eq!(
            world
                .send_in(Mode::Buffered, &out(&[1]), 1, 0)
                .unwrap_err()
                .class(),
            ErrorClass::Buffer
        );
        meet(world);
        meet(world);
        // The two have been received: their space is free again.
        let request = start_send(world, Mode::Buffered, &out(&pattern(30_000, 1)), 0, 1);
        assert!(request.is_done());
        receives(world, 30_000, 0, 1);
        assert_eq!(process.buffer().detach(), Ok(space));
        assert_eq!(process.buffer().detach().unwrap_err().class(), ErrorClass::Buffer);
    });
}

#[test]
fn a_flood_of_messages_is_received_in_reverse_order() {
    run(2, |world| {
        const COUNT: i32 = 20_000;
        if world.rank() == 0 {
            for tag in 0..COUNT {
                send_one(world, tag, 1, tag);
            }
            meet(world);
        } else {
            meet(world);
            for tag in (0..COUNT).rev() {
                assert_eq!(
                    recv_one(world, if tag % 2 == 0 { 0 } else { ANY_SOURCE }, tag),
                    tag
                );
            }
        }
    });
}

#[test]
fn many_ranks_exchange_with_all_others() {
    run(24, |world| {
        let (rank, size) = (world.rank(), 24);
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
