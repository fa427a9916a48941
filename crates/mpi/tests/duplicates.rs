//! Duplicating communicators without waiting, their hints, and communicators that come from groups alone.

use crate::common;
use crate::common::{into, out, recv_one, run_everywhere, run_with, send_one};
use simurgh_mpi::constants::{ANY_SOURCE, ANY_TAG};
use simurgh_mpi::{Comm, Comparison, ErrorClass, Group, Info, Process};
use std::sync::Arc;

#[test]
fn nobody_waits_for_a_duplicate_that_is_not_blocking() {
    run_everywhere(3, |world| {
        // Rank 0 has more than a blocking rank may be ahead before the others begin.
        const COUNT: i32 = 3000;
        if world.rank() > 0 {
            recv_one(world, 0, 1);
        }
        let made: Vec<_> = (0..COUNT)
            .map(|_| {
                let (made, request) = world.idup().unwrap();
                assert!(request.is_done());
                made
            })
            .collect();
        for other in 1..3 {
            if world.rank() == 0 {
                send_one(world, 0, other, 1);
            }
        }
        let (right, left) = ((world.rank() + 1) % 3, (world.rank() + 2) % 3);
        for (number, comm) in (0..COUNT).zip(&made).step_by(100) {
            assert_eq!(comm.compare(world), Comparison::Congruent);
            send_one(comm, number, right, 0);
        }
        for (number, comm) in (0..COUNT).zip(&made).step_by(100).rev() {
            assert_eq!(recv_one(comm, left, 0), number);
        }
    });
}

#[test]
fn blocking_duplications_of_a_slow_and_a_fast_rank_end() {
    run_everywhere(4, |world| {
        let own = world.process().comm_self().unwrap();
        for round in 0..5000 {
            let made = world.dup().unwrap();
            if world.rank() == 2 && round % 10 == 0 {
                // Slower than the others.
                let (again, _) = own.idup().unwrap();
                send_one(&again, round, 0, 0);
                assert_eq!(recv_one(&again, 0, 0), round);
            }
            made.free().unwrap();
        }
    });
}

#[test]
fn a_freed_communicator_keeps_its_messages_apart() {
    run_everywhere(2, |world| {
        let other = 1 - world.rank();
        let mut never = [-1];
        let freed = world.dup().unwrap();
        let pending = freed.irecv(&into(&mut never), ANY_SOURCE, ANY_TAG).unwrap();
        freed.free().unwrap();
        for round in 0..3000 {
            let made = world.dup().unwrap();
            if round % 64 == 0 {
                send_one(&made, round, other, 0);
                assert_eq!(recv_one(&made, other, 0), round);
            }
            made.free().unwrap();
        }
        pending.cancel(world.process()).unwrap();
        assert!(pending.wait().cancelled);
        assert_eq!(never, [-1]);
    });
}

#[test]
fn a_promise_forbids_the_wildcard() {
    run_everywhere(2, |world| {
        let (made, other) = (world.dup().unwrap(), 1 - world.rank());
        let mut info = Info::new();
        info.set("mpi_assert_no_any_source", "true").unwrap();
        made.set_info(&info);
        let mut number = [0];
        let class = |comm: &Comm, source, tag| comm.iprobe(source, tag).map_err(|error| error.class());
        assert_eq!(class(&made, ANY_SOURCE, 0), Err(ErrorClass::Rank));
        send_one(&made, 5, other, 7);
        let status = made.recv(into(&mut number), other, ANY_TAG).unwrap();
        assert_eq!((status.tag, number), (7, [5]));
        info.set("mpi_assert_no_any_source", "false").unwrap();
        info.set("mpi_assert_no_any_tag", "true").unwrap();
        made.set_info(&info);
        assert_eq!(class(&made, 0, ANY_TAG), Err(ErrorClass::Tag));
        // Hints are not passed on.
        let again = made.dup().unwrap();
        assert_eq!(again.info().flag("mpi_assert_no_any_tag"), Some(false));
        again.barrier().run().unwrap();
    });
}

#[test]
fn who_has_promised_nothing_finds_messages_of_who_has() {
    run_everywhere(2, |world| {
        let made = world.dup().unwrap();
        if world.rank() == 0 {
            let mut info = Info::new();
            info.set("mpi_assert_no_any_source", "true").unwrap();
            info.set("mpi_assert_no_any_tag", "true").unwrap();
            made.set_info(&info);
            (0..100).for_each(|tag| send_one(&made, tag, 1, tag));
            send_one(world, 0, 1, 0);
        } else {
            recv_one(world, 0, 0);
            assert_eq!(recv_one(&made, ANY_SOURCE, 50), 50);
            assert_eq!(recv_one(&made, 0, ANY_TAG), 0);
            assert_eq!(recv_one(&made, ANY_SOURCE, ANY_TAG), 1);
            assert_eq!(recv_one(&made, 0, 99), 99);
            (2..99)
                .filter(|&tag| tag != 50)
                .for_each(|tag| assert_eq!(recv_one(&made, ANY_SOURCE, ANY_TAG), tag));
        }
    });
}

#[test]
fn threads_of_a_rank_make_communicators_from_groups_at_once() {
    run_with(common::Runner::Threads, 3, |world| {
        let turned = world.group().include(&[2, 1, 0]).unwrap();
        let threads: Vec<_> = (0..6)
            .map(|number| {
                let (process, group) = (Arc::clone(world.process()), turned.clone());
                std::thread::spawn(move || {
                    Process::bind(Arc::clone(&process));
                    for round in 0..50 {
                        let made = Comm::create_from_group(&process, &group, &format!("thread {number}"));
                        let made = made.unwrap().unwrap();
                        assert_eq!(made.rank(), 2 - process.id() as i32);
                        let (right, left) = ((made.rank() + 1) % 3, (made.rank() + 2) % 3);
                        let mut got = [0];
                        made.sendrecv(&out(&[number * 100 + round]), right, 0, &into(&mut got), left, 0)
                            .unwrap();
                        assert_eq!(got, [number * 100 + round]);
                        made.free().unwrap();
                    }
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
}

#[test]
fn groups_alone_make_communicators() {
    run_everywhere(5, |world| {
        let process = world.process();
        let (all, rank) = (world.group(), world.rank());
        let made = Comm::create_from_group(process, all, "all").unwrap().unwrap();
        assert_eq!(made.compare(world), Comparison::Congruent);
        assert!(
            Comm::create_from_group(process, &Group::EMPTY, "none")
                .unwrap()
                .is_none()
        );
        let others = all.exclude(&[rank]).unwrap();
        let error = Comm::create_from_group(process, &others, "others").unwrap_err();
        assert_eq!(error.class(), ErrorClass::Group);
        let (few, many) = (all.include(&[4, 1]).unwrap(), all.include(&[0, 2, 3]).unwrap());
        let (local, remote) = if few.rank_of(process.id()).is_some() {
            (&few, &many)
        } else {
            (&many, &few)
        };
        let inter = Comm::create_inter_from_groups(process, (local, 1), (remote, 1), "two").unwrap();
        assert_eq!((inter.size(), inter.peers()), (local.size(), remote.size()));
        let class = |leader, remote: &Group, other| {
            let made = Comm::create_inter_from_groups(process, (local, leader), (remote, other), "bad");
            made.unwrap_err().class()
        };
        assert_eq!(class(3, remote, 1), ErrorClass::Rank);
        assert_eq!(class(0, remote, 7), ErrorClass::Rank);
        assert_eq!(class(0, &Group::EMPTY, 0), ErrorClass::Rank);
        assert_eq!(class(0, local, 1), ErrorClass::Comm);
    });
}
