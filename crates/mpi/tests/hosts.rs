//! Messages between ranks of several hosts.

use crate::common;
use crate::common::{into, out, recv_one, run_hosts, run_hosts_over, send_one, start_send};
use simurgh_mpi::constants::{ANY_SOURCE, ANY_TAG};
use simurgh_mpi::{BufferSpace, Comm, ErrorClass, Mode, Started, Status};
use simurgh_net::transport::{Access, Cooperation, Loopback};
use simurgh_settings::{Id, Origin, Values};

/// Sizes around every threshold of the protocols.
const SIZES: [usize; 11] = [
    0, 1, 57, 500, 4096, 4097, 12_289, 65_536, 140_000, 400_003, 600_000,
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
                let status = world.recv(into(&mut data), source, tag).unwrap();
                assert_eq!((status.bytes, data[0]), (4 * length(number) as u64, number));
            }
        }
    });
}

#[test]
fn segments_of_several_senders_mix_on_the_way_and_not_in_the_messages() {
    // Two ranks of each of two hosts send to one, whose receives are there before some messages and after others, in
    // pieces and from anybody.
    run_hosts(3, 2, |world| {
        const COUNT: i32 = 60;
        let length = |tag: i32| [20_000, 5000, 4097, 60_001][tag as usize % 4];
        let rank = world.rank();
        if rank >= 2 {
            for tag in 0..COUNT {
                let data = pattern(length(tag), (tag + rank) as usize);
                world.send(&out(&data), 0, tag).unwrap();
            }
        }
        if rank != 0 {
            return;
        }
        let mut next = [0; 6];
        let mut room = vec![0; 70_000];
        for number in 0..4 * COUNT {
            let (source, tag) = match number % 3 {
                0 => (ANY_SOURCE, ANY_TAG),
                _ => {
                    let behind = (2..6).min_by_key(|rank| next[*rank]).expect("there are four");
                    (behind as i32, next[behind])
                }
            };
            let status = world.recv(into(&mut room), source, tag).unwrap();
            let expected = &mut next[status.source as usize];
            assert_eq!((status.tag, status.bytes), (*expected, length(status.tag) as u64));
            let data = pattern(length(status.tag), (status.tag + status.source) as usize);
            assert_eq!(room[..data.len()], data);
            *expected += 1;
        }
    });
}

#[test]
fn a_receive_that_is_too_short_gets_what_fits_of_all_segments() {
    run_hosts(2, 1, |world| {
        let data = pattern(30_000, 5);
        for (tag, room) in (0..).zip([0, 1, 4095, 4096, 4097, 10_000, 29_999]) {
            if world.rank() == 0 {
                world.send(&out(&data), 1, tag).unwrap();
                meet(world);
                continue;
            }
            let mut data_or_not = vec![0; room + 3];
            let (place, guard) = data_or_not.split_at_mut(room);
            let error = world.recv(into(place), 0, tag).expect_err("it is too long");
            assert_eq!(error.class(), ErrorClass::Truncate);
            assert_eq!((&*place, &*guard), (&data[..room], &[0; 3][..]));
            meet(world);
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
            let status = world.recv(into(&mut number), ANY_SOURCE, ANY_TAG).unwrap();
            assert_eq!((status.tag, number[0]), (status.source, status.source * 10));
            seen[status.source as usize - 1] += 1;
            send_one(world, status.source, status.source, 77);
        }
        assert_eq!(seen, [1; 5]);
    });
}

#[test]
fn sends_are_taken_back_until_they_are_received() {
    run_hosts(2, 1, |world| {
        const SIZES: [usize; 4] = [10, 4000, 50_000, 600_000];
        if world.rank() == 1 {
            meet(world);
            meet(world);
            // Of each size the first message has been taken back.
            for size in SIZES {
                receives(world, size, 0, 2);
            }
            meet(world);
            assert_eq!(world.iprobe(0, ANY_TAG), Ok(None));
            return;
        }
        let datas: Vec<_> = SIZES
            .iter()
            .flat_map(|size| [pattern(*size, 1), pattern(*size, 2)])
            .collect();
        let started: Vec<_> = (0..)
            .zip(&datas)
            .map(|(index, data)| world.isend(Mode::Standard, &out(data), 1, index % 2 + 1).unwrap())
            .collect();
        meet(world);
        let take_back = |started: &Started| match started {
            Started::Buffered(completed) => completed.withdraw(world.process()),
            Started::Waiting(request) => {
                request.cancel(world.process()).unwrap();
                request.wait().cancelled
            }
            Started::Done => false,
        };
        assert!(started.iter().step_by(2).all(take_back));
        meet(world);
        meet(world);
        assert!(!started.iter().skip(1).step_by(2).any(take_back));
    });
}

#[test]
fn buffered_sends_are_taken_back_too() {
    run_hosts(2, 1, |world| {
        for size in [10, 50_000, 600_000] {
            if world.rank() == 1 {
                meet(world);
                assert_eq!(world.iprobe(0, 1), Ok(None));
                receives(world, size, 0, 2);
                meet(world);
                continue;
            }
            world.process().buffer().attach(BufferSpace::Automatic).unwrap();
            let send = |tag: i32| {
                let data = pattern(size, tag as usize);
                match world.isend(Mode::Buffered, &out(&data), 1, tag) {
                    Ok(Started::Buffered(completed)) => completed,
                    other => panic!("{other:?}"),
                }
            };
            let (first, _second) = (send(1), send(2));
            assert!(first.withdraw(world.process()));
            meet(world);
            world.process().buffer().detach().unwrap();
            assert!(!first.withdraw(world.process()));
            meet(world);
        }
    });
}

#[test]
fn a_posted_receive_is_taken_back() {
    run_hosts(2, 1, |world| {
        if world.rank() == 0 {
            meet(world);
            send_one(world, 5, 1, 3);
            return;
        }
        let mut number = [0];
        let request = world.irecv(&into(&mut number), 0, 3).unwrap();
        request.cancel(world.process()).unwrap();
        assert!(request.wait().cancelled);
        meet(world);
        assert_eq!(recv_one(world, 0, 3), 5);
    });
}

#[test]
fn a_message_too_long_is_cut_and_reported() {
    run_hosts(2, 1, |world| {
        for size in [4, 300, 20_000] {
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
                    continue;
                }
                let mut short = vec![0_u8; size / 2 + 1];
                let target = into(&mut short[..size / 2]);
                let request = posted_first.then(|| world.irecv(&target, 0, 1).unwrap());
                meet(world);
                let status = match request {
                    Some(request) => request.wait(),
                    None => *world.recv(target.clone(), 0, 1).unwrap_err().status().unwrap(),
                };
                assert_eq!(
                    (status.error, status.bytes),
                    (ErrorClass::Truncate.into(), size as u64 / 2)
                );
                assert_eq!(short[..size / 2], data[..size / 2]);
                assert_eq!(short[size / 2], 0);
            }
        }
    });
}

#[test]
fn probes_see_messages_of_other_hosts_and_take_them() {
    run_hosts(2, 1, |world| {
        for (tag, size) in (0..).zip(SIZES) {
            if world.rank() == 0 {
                world.send(&out(&pattern(size, tag as usize)), 1, tag).unwrap();
                world.send(&out(&pattern(size, tag as usize)), 1, tag).unwrap();
                continue;
            }
            let status = world.probe(ANY_SOURCE, tag).unwrap();
            assert_eq!((status.source, status.bytes), (0, size as u64));
            receives(world, size, 0, tag);
            let (message, status) = world.mprobe(0, tag).unwrap();
            assert_eq!(status.bytes, size as u64);
            let mut data = vec![0; size];
            let request = message.irecv(world.process(), &into(&mut data));
            assert_eq!(request.wait().bytes, size as u64);
            assert_eq!(data, pattern(size, tag as usize));
        }
    });
}

#[test]
fn synchronous_sends_end_when_they_are_received_and_buffered_ones_at_once() {
    run_hosts(2, 1, |world| {
        for size in [0, 100, 30_000] {
            let data = pattern(size, 0);
            if world.rank() == 0 {
                let space = BufferSpace::Automatic;
                world.process().buffer().attach(space).unwrap();
                let request = start_send(world, Mode::Synchronous, &out(&data), 1, 0);
                assert!(start_send(world, Mode::Buffered, &out(&data), 1, 0).is_done());
                assert!(!request.is_done());
                meet(world);
                request.wait();
                assert_eq!(world.process().buffer().detach(), Ok(space));
            } else {
                meet(world);
                receives(world, size, 0, 0);
                receives(world, size, 0, 0);
            }
        }
    });
}

#[test]
fn a_sender_that_waits_and_knows_nothing_sends_128_kib_eagerly() {
    const BYTES: usize = 128 << 10;
    const MORE: usize = BYTES + 1;
    let hosts = Loopback::hosts(2, Access::default());
    run_hosts_over(hosts, 1, &Values::default(), |world| {
        let data = pattern(MORE, 0);
        if world.rank() == 0 {
            // It would not end before the receive.
            world.send(&out(&data[..BYTES]), 1, 0).unwrap();
            let request = start_send(world, Mode::Standard, &out(&data), 1, 0);
            assert!(!request.is_done(), "its sender may compute meanwhile");
            meet(world);
            request.wait();
        } else {
            meet(world);
            receives(world, BYTES, 0, 0);
            receives(world, MORE, 0, 0);
        }
    });
}

#[test]
fn messages_arrive_whole_however_senders_that_wait_begin() {
    const BYTES: usize = 100_003;
    let everything = Access {
        read: true,
        write: true,
    };
    for access in [Access::default(), everything] {
        run_hosts_over(Loopback::hosts(2, access), 1, &Values::default(), |world| {
            let data = pattern(BYTES, 0);
            // More than all trials take.
            for _ in 0..100 {
                if world.rank() == 0 {
                    world.send(&out(&data), 1, 0).unwrap();
                    receives(world, BYTES, 1, 0);
                } else {
                    receives(world, BYTES, 0, 0);
                    world.send(&out(&data), 0, 0).unwrap();
                }
            }
        });
    }
}

#[test]
fn a_flood_uses_up_the_window_and_loses_nothing() {
    const COUNT: i32 = 3000;
    let mut settings = Values::default();
    settings.set(Id::EagerWindow, 100_000, Origin::Preset).unwrap();
    run_hosts_over(Loopback::hosts(2, Access::default()), 1, &settings, |world| {
        if world.rank() == 0 {
            let sends: Vec<_> = (0..COUNT).map(|number| (number, vec![number; 256])).collect();
            let requests: Vec<_> = sends
                .iter()
                .map(|(_, data)| start_send(world, Mode::Standard, &out(data), 1, 0))
                .collect();
            let at_once = requests.iter().filter(|request| request.is_done()).count();
            // Each message takes its data, and what its entry takes.
            assert!((60..100_000 / 1024).contains(&at_once), "{at_once}");
            meet(world);
            requests.iter().for_each(|request| {
                request.wait();
            });
        } else {
            // Each message that is received makes room for another one.
            meet(world);
            let mut data = [0; 256];
            for number in 0..COUNT {
                world.recv(into(&mut data), 0, 0).unwrap();
                assert_eq!(data, [number; 256]);
            }
        }
    });
}

#[test]
fn what_both_hosts_copy_arrives_whole_and_so_it_does_if_one_of_them_cannot() {
    const SIZES: [usize; 6] = [60_000, 65_536, 70_001, 300_000, 262_144, 1_000_003];
    for cooperation in [Cooperation::Works, Cooperation::WritesFail] {
        let hosts = Loopback::cooperating(2, cooperation);
        run_hosts_over(hosts, 1, &Values::default(), |world| {
            let other = 1 - world.rank();
            for round in 0..40 {
                // More at a time than there are counters of chunks.
                let tags = || (0..).zip(SIZES).map(|(tag, size)| (tag + round, size));
                let data: Vec<_> = tags().map(|(tag, size)| pattern(size, tag as usize)).collect();
                let sends: Vec<_> = tags()
                    .zip(&data)
                    .map(|((tag, _), data)| start_send(world, Mode::Standard, &out(data), other, tag))
                    .collect();
                tags().for_each(|(tag, size)| receives(world, size, other, tag));
                sends.iter().for_each(|send| {
                    send.wait();
                });
            }
        });
    }
}

#[test]
fn a_receive_that_is_too_short_gets_what_fits_of_what_both_hosts_copy() {
    const ROOM: usize = 200_000;
    let hosts = Loopback::cooperating(2, Cooperation::Works);
    run_hosts_over(hosts, 1, &Values::default(), |world| {
        let data = pattern(500_000, 7);
        for _ in 0..20 {
            if world.rank() == 0 {
                start_send(world, Mode::Standard, &out(&data), 1, 7).wait();
            } else {
                let mut room = vec![0; ROOM];
                let error = world.recv(into(&mut room), 0, 7).expect_err("it is too long");
                assert_eq!(error.class(), ErrorClass::Truncate);
                assert_eq!(room, data[..ROOM]);
            }
        }
    });
}

#[test]
fn the_data_of_a_rendezvous_goes_the_way_that_is_wanted() {
    // More than an eager message of a sender that waits.
    const BYTES: usize = 600_000;
    let (read, write) = (true, true);
    // By the protocol, the sender sends a request, and then nothing, the end of its put, or the data itself.
    for (way, requests) in [
        ("auto", Some(1)),
        ("read", Some(1)),
        ("write", Some(2)),
        ("fragments", None),
    ] {
        let mut settings = Values::default();
        settings.read(Id::Rendezvous, "a test", way.as_ref()).unwrap();
        run_hosts_over(
            Loopback::hosts(2, Access { read, write }),
            1,
            &settings,
            move |world| {
                if world.rank() == 1 {
                    receives(world, BYTES, 0, 0);
                    return meet(world);
                }
                let stats = || {
                    world
                        .process()
                        .job()
                        .network()
                        .expect("there are two hosts")
                        .stats()
                };
                let before = stats();
                world.send(&out(&pattern(BYTES, 0)), 1, 0).unwrap();
                let after = stats();
                let sent = after.packets_sent - before.packets_sent;
                let in_packets = after.bytes_sent - before.bytes_sent >= BYTES as u64;
                assert_eq!(in_packets, requests.is_none(), "{way}");
                assert!(requests.is_none_or(|requests| sent == requests), "{way}: {sent}");
                meet(world);
            },
        );
    }
}

#[test]
fn partitioned_operations_are_paired_in_the_order_of_their_setting_up() {
    run_hosts(2, 1, |world| {
        const ROUNDS: usize = 4;
        const COUNT: usize = 1200;
        let value = |pair: usize, round: usize| (pair * 100 + round) as i32;
        if world.rank() == 0 {
            let mut data = [vec![0; COUNT], vec![0; COUNT]];
            let sends = data
                .each_ref()
                .map(|data| world.psend_init(&out(data), 6, 1, 4).unwrap());
            for round in 0..ROUNDS {
                // The second of the pair first: order of starting means nothing.
                for pair in [1, 0] {
                    data[pair].fill(value(pair, round));
                    sends[pair].start().unwrap();
                    sends[pair].ready(3..6).unwrap();
                    assert_eq!(sends[pair].ready(3..4).unwrap_err().class(), ErrorClass::Arg);
                    sends[pair].ready(0..3).unwrap();
                }
                sends
                    .iter()
                    .for_each(|send| assert_eq!(send.wait(), Status::EMPTY));
            }
            return;
        }
        let mut data = [vec![0; COUNT], vec![0; COUNT]];
        let receives = data
            .each_mut()
            .map(|data| world.precv_init(&into(data), 4, 0, 4).unwrap());
        for round in 0..ROUNDS {
            receives.iter().for_each(|receive| receive.start().unwrap());
            while !receives[0].has_arrived(2).unwrap() {}
            for (pair, receive) in receives.iter().enumerate() {
                let status = receive.wait();
                assert_eq!(
                    (status.source, status.tag, status.bytes),
                    (0, 4, 4 * COUNT as u64)
                );
                assert_eq!(data[pair], vec![value(pair, round); COUNT]);
            }
            assert_eq!(receives[0].has_arrived(2), Ok(true));
        }
    });
}

#[test]
fn sends_without_counterpart_are_told() {
    run_hosts(2, 1, |world| {
        if world.rank() == 1 {
            meet(world);
            assert_eq!(recv_one(world, 0, 7), 1);
            return;
        }
        let data = [1];
        let send = start_send(world, Mode::Synchronous, &out(&data), 1, 7);
        let told: Vec<_> = world.process().job().unmatched(10);
        let told: Vec<_> = told.iter().map(ToString::to_string).collect();
        assert_eq!(told, ["rank 0 has started a send to rank 1 with tag 7"]);
        meet(world);
        send.wait();
    });
}
