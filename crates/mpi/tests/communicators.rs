//! Making, comparing and freeing communicators.

use crate::common::{recv_one, run_everywhere, send_one};
use simurgh_mpi::constants::UNDEFINED;
use simurgh_mpi::{Comm, Comparison, ErrorClass, ErrorHandler, Group};
use std::sync::Arc;

/// Sends a number round all ranks of a communicator.
fn round_trip(comm: &Comm, tag: i32) {
    let (rank, size) = (comm.rank(), comm.size() as i32);
    if rank == 0 {
        send_one(comm, 1, (rank + 1) % size, tag);
        assert_eq!(recv_one(comm, size - 1, tag), size);
    } else {
        let number = recv_one(comm, rank - 1, tag);
        send_one(comm, number + 1, (rank + 1) % size, tag);
    }
}

#[test]
fn every_process_has_a_world_and_itself() {
    run_everywhere(3, |world| {
        let own = world.process().comm_self().unwrap();
        assert_eq!((world.size(), own.size(), own.rank()), (3, 1, 0));
        assert_eq!(
            (world.name().as_str(), own.name().as_str()),
            ("MPI_COMM_WORLD", "MPI_COMM_SELF")
        );
        assert_eq!(world.group().translate(world.rank() as usize, own.group()), 0);
        round_trip(&own, 1);
        round_trip(world, 1);
        assert_eq!(Arc::clone(world).free().unwrap_err().class(), ErrorClass::Comm);
    });
}

#[test]
fn a_duplicate_has_a_context_of_its_own() {
    run_everywhere(4, |world| {
        world.set_errhandler(ErrorHandler::Return);
        let copy = world.dup().unwrap();
        assert!(matches!(copy.errhandler(), ErrorHandler::Return));
        assert_eq!(world.compare(&copy), Comparison::Congruent);
        assert_eq!(copy.compare(&copy), Comparison::Identical);
        let right = (world.rank() + 1) % 4;
        let left = (world.rank() + 3) % 4;
        send_one(world, 1, right, 7);
        send_one(&copy, 2, right, 7);
        assert_eq!(recv_one(&copy, left, 7), 2);
        assert_eq!(recv_one(world, left, 7), 1);
        copy.set_name("a name");
        assert_eq!(copy.name(), "a name");
        copy.set_name(&"ä".repeat(100));
        assert!(copy.name().len() < 128);
        copy.free().unwrap();
    });
}

#[test]
fn a_split_sorts_ranks_by_color_and_key() {
    run_everywhere(7, |world| {
        let rank = world.rank();
        let color = if rank == 6 { UNDEFINED } else { rank % 2 };
        let part = world.split(color, -rank).unwrap();
        let Some(part) = part else {
            assert_eq!(rank, 6);
            return;
        };
        assert_eq!((part.size(), part.rank()), (3, 2 - rank / 2));
        assert_eq!(part.compare(world), Comparison::Unequal);
        round_trip(&part, 0);
        // The same key for all keeps the order.
        let same = part.split(3, 0).unwrap().unwrap();
        assert_eq!(same.rank(), part.rank());
        assert_eq!(same.compare(&part), Comparison::Congruent);
        let turned = part.split(0, -part.rank()).unwrap().unwrap();
        assert_eq!(turned.compare(&part), Comparison::Similar);
        assert_eq!(world.split(-5, 0).unwrap_err().class(), ErrorClass::Arg);
    });
}

#[test]
fn disjoint_groups_become_communicators_in_one_call() {
    run_everywhere(5, |world| {
        let rank = world.rank();
        let all = world.group().clone();
        let group = match rank {
            0 | 3 => all.include(&[3, 0]).unwrap(),
            4 => Group::EMPTY,
            _ => all.include(&[1, 2]).unwrap(),
        };
        let made = world.create(&group).unwrap();
        match made {
            None => assert_eq!(rank, 4),
            Some(made) => {
                assert_eq!((made.size(), made.rank()), (2, [1, 0, 1, 0][rank as usize]));
                round_trip(&made, 9);
            }
        }
        // The same group named by all, of which some are not members.
        let some = all.exclude(&[2]).unwrap();
        assert_eq!(world.create(&some).unwrap().is_some(), rank != 2);
    });
}

#[test]
fn a_group_outside_the_communicator_is_an_error() {
    run_everywhere(4, |world| {
        let half = world.split(world.rank() / 2, 0).unwrap().unwrap();
        let error = half.create(world.group()).unwrap_err();
        assert_eq!(error.class(), ErrorClass::Group);
        let error = half.create_group(world.group(), 0).unwrap_err();
        assert_eq!(error.class(), ErrorClass::Group);
        // Both begin with the first rank, in one call.
        let mine = world
            .group()
            .include(if world.rank() == 3 { &[0, 3] } else { &[0, 1, 2] })
            .unwrap();
        assert_eq!(world.create(&mine).unwrap_err().class(), ErrorClass::Group);
        round_trip(&half, 0);
    });
}

#[test]
fn members_alone_make_a_communicator() {
    run_everywhere(5, |world| {
        let rank = world.rank();
        let members: &[i32] = if rank % 2 == 0 { &[4, 0, 2] } else { &[1, 3] };
        let group = world.group().include(members).unwrap();
        for tag in [1, 1, 2] {
            let made = world.create_group(&group, tag).unwrap().unwrap();
            assert_eq!(made.group().compare(&group), Comparison::Identical);
            round_trip(&made, 0);
        }
        if rank == 0 {
            assert!(
                world
                    .create_group(&world.group().include(&[1]).unwrap(), 0)
                    .unwrap()
                    .is_none()
            );
        }
    });
}

#[test]
fn communicators_come_and_go() {
    run_everywhere(3, |world| {
        for round in 0..300 {
            let copy = world.dup().unwrap();
            round_trip(&copy, round);
            copy.free().unwrap();
        }
    });
}
