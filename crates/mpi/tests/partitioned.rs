//! Partitioned communication: the orders in which the two sides may meet.

use crate::common::{RUNNERS, Runner, into, meet, out, run, run_with};
use simurgh_mpi::constants::PROC_NULL;
use simurgh_mpi::{Comm, ErrorClass, Process, Request, Status};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const TOTAL: usize = 60;

/// The value of element `index` in a round.
fn value(round: usize, index: usize) -> i32 {
    (round * 1000 + index) as i32
}

fn expected(round: usize) -> Vec<i32> {
    (0..TOTAL).map(|index| value(round, index)).collect()
}

/// Fills a partition of the sender and says that it is ready.
fn send_partition(request: &Request, data: *mut i32, size: usize, partition: usize, round: usize) {
    for index in partition * size..(partition + 1) * size {
        // SAFETY:
        // - the callers fill partitions of a buffer that lives on, each partition once, before it is ready.
        unsafe { data.add(index).write(value(round, index)) };
    }
    request.ready(partition..partition + 1).unwrap();
}

#[test]
fn rounds_are_right_whoever_comes_first() {
    run(2, |world| {
        for (sent, received) in [(1, 1), (4, 4), (3, 20), (60, 5), (4, 6)] {
            if world.rank() == 0 {
                let mut data = vec![0; TOTAL];
                let address = data.as_mut_ptr();
                let send = world.psend_init(&out(&data), sent, 1, 4).unwrap();
                for round in 0..6 {
                    send.start().unwrap();
                    for partition in 0..sent {
                        send_partition(&send, address, TOTAL / sent, partition, round);
                        if round % 3 == 1 && partition == sent / 2 {
                            meet(world);
                        }
                    }
                    assert_eq!(send.wait(), Status::EMPTY);
                }
            } else {
                let mut data = vec![0; TOTAL];
                let receive = world.precv_init(&into(&mut data), received, 0, 4).unwrap();
                for round in 0..6 {
                    if round % 3 == 1 {
                        meet(world);
                    }
                    receive.start().unwrap();
                    for partition in 0..received {
                        while !receive.has_arrived(partition).unwrap() {}
                    }
                    assert!(receive.is_done());
                    let status = receive.wait();
                    assert_eq!(
                        (status.source, status.tag, status.bytes, status.error.is_success()),
                        (0, 4, 4 * TOTAL as u64, true)
                    );
                    assert_eq!(data, expected(round));
                }
            }
        }
    });
}

/// Threads of the sender say that partitions are ready while the receiver starts: the window in which they can miss
/// each other is hit again and again.
#[test]
fn threads_and_a_starting_receiver_move_each_partition_once() {
    const THREADS: usize = 3;
    const ROUNDS: usize = 300;
    run_with(Runner::Threads, 2, |world| {
        if world.rank() == 1 {
            let mut data = vec![0; TOTAL];
            let receive = world.precv_init(&into(&mut data), 12, 0, 4).unwrap();
            for round in 0..ROUNDS {
                receive.start().unwrap();
                if round % 2 == 0 {
                    for partition in 0..12 {
                        while !receive.has_arrived(partition).unwrap() {}
                    }
                    assert!(receive.is_done(), "all has arrived, so the request is complete");
                }
                assert_eq!(receive.wait().bytes, 4 * TOTAL as u64);
                assert_eq!(data, expected(round));
            }
            return;
        }
        let mut data = vec![0; TOTAL];
        let address = data.as_mut_ptr() as usize;
        let send = world.psend_init(&out(&data), TOTAL, 1, 4).unwrap();
        let next = Arc::new(AtomicUsize::new(usize::MAX));
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| {
                let (world, send, next) = (Arc::clone(world), Arc::clone(&send), Arc::clone(&next));
                std::thread::spawn(move || {
                    Process::bind(Arc::clone(world.process()));
                    for round in 0..ROUNDS {
                        while next.load(Ordering::Acquire) != round {
                            std::thread::yield_now();
                        }
                        for partition in (thread..TOTAL).step_by(THREADS) {
                            send_partition(&send, address as *mut i32, 1, partition, round);
                        }
                    }
                })
            })
            .collect();
        for round in 0..ROUNDS {
            send.start().unwrap();
            next.store(round, Ordering::Release);
            send.wait();
        }
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
}

#[test]
fn a_receiver_may_start_before_there_is_a_sender() {
    for sent in [0, 2] {
        for runner in RUNNERS {
            run_with(runner, 2, move |world| {
                if world.rank() == 1 {
                    let mut data = [0; 4];
                    let receive = world
                        .precv_init(&into(&mut data[..2 * sent]), sent, 0, 4)
                        .unwrap();
                    receive.start().unwrap();
                    assert!(!receive.is_done());
                    assert!(sent == 0 || !receive.has_arrived(0).unwrap());
                    meet(world);
                    assert_eq!(receive.wait().bytes, 8 * sent as u64);
                    assert_eq!(&data[..2 * sent], &[1, 2, 3, 4][..2 * sent]);
                } else {
                    meet(world);
                    let send = world
                        .psend_init(&out(&[1, 2, 3, 4][..2 * sent]), sent, 1, 4)
                        .unwrap();
                    send.start().unwrap();
                    send.ready(0..sent).unwrap();
                    send.wait();
                }
            });
        }
    }
}

fn fails<T: std::fmt::Debug>(class: ErrorClass, result: simurgh_mpi::Result<T>) {
    assert_eq!(result.unwrap_err().class(), class);
}

#[test]
fn wrong_calls_are_told() {
    run(1, |world: &Arc<Comm>| {
        let data = [1, 2];
        let mut theirs = [0; 2];
        let send = world.psend_init(&out(&data), 2, 0, 1).unwrap();
        let receive = world.precv_init(&into(&mut theirs), 2, 0, 1).unwrap();
        fails(ErrorClass::Request, send.ready(0..1));
        fails(ErrorClass::Request, receive.ready(0..1));
        fails(ErrorClass::Request, send.has_arrived(0));
        fails(ErrorClass::Arg, receive.has_arrived(2));
        assert!(receive.has_arrived(1).unwrap());
        Request::start_all([&send, &receive]).unwrap();
        fails(ErrorClass::Arg, send.ready(1..3));
        send.ready(1..2).unwrap();
        fails(ErrorClass::Arg, send.ready(1..2));
        fails(ErrorClass::Request, send.cancel(world.process()));
        assert!(receive.has_arrived(1).unwrap() && !receive.has_arrived(0).unwrap());
        send.ready(0..1).unwrap();
        assert!(receive.wait().error.is_success() && send.wait().error.is_success());
        assert_eq!(theirs, data);
        let nobody = world.psend_init(&out(&data), 2, PROC_NULL, 1).unwrap();
        nobody.start().unwrap();
        fails(ErrorClass::Arg, nobody.ready(2..3));
        nobody.ready(0..2).unwrap();
        assert_eq!(nobody.wait(), Status::EMPTY);
    });
}
