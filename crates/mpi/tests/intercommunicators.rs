//! Inter-communicators: making them, messages over them, making communicators from them.

use crate::common;
use crate::common::{into, recv_one, run_everywhere, send_one};
use simurgh_mpi::constants::{ANY_SOURCE, UNDEFINED};
use simurgh_mpi::{Comm, Comparison, ErrorClass, Group};
use std::sync::Arc;

/// The even and the odd ranks of the world, each side led by its last rank.
fn even_and_odd(world: &Arc<Comm>) -> Arc<Comm> {
    let half = world.split(world.rank() % 2, 0).unwrap().unwrap();
    let leader = half.size() as i32 - 1;
    let size = world.size() as i32;
    let (last_even, last_odd) = ((size - 1) / 2 * 2, (size - 2) / 2 * 2 + 1);
    let remote = if world.rank() % 2 == 0 {
        last_odd
    } else {
        last_even
    };
    let leads = half.rank() == leader;
    half.create_inter(leader, leads.then_some(&**world), remote, 3)
        .unwrap()
}

/// Everybody sends to everybody of the other group, and nobody of it is missing.
fn talk(inter: &Comm, tag: i32) {
    for remote in 0..inter.peers() as i32 {
        send_one(inter, inter.rank() * 100 + remote, remote, tag);
    }
    let mut seen = vec![false; inter.peers()];
    for _ in 0..inter.peers() {
        let mut number = [0];
        let status = inter.recv(into(&mut number), ANY_SOURCE, tag).unwrap();
        assert_eq!(number[0], status.source * 100 + inter.rank());
        seen[status.source as usize] = true;
    }
    assert!(seen.into_iter().all(|seen| seen));
}

#[test]
fn two_groups_talk() {
    run_everywhere(7, |world| {
        let inter = even_and_odd(world);
        let even = world.rank() % 2 == 0;
        assert!(inter.is_inter() && !world.is_inter());
        assert_eq!((inter.size(), inter.peers()), if even { (4, 3) } else { (3, 4) });
        assert_eq!(inter.rank(), world.rank() / 2);
        let remote = inter.remote_group().unwrap();
        assert_eq!(remote.translate(1, world.group()), if even { 3 } else { 2 });
        talk(&inter, 1);
        inter.barrier().run().unwrap();
        let error = inter
            .send(&common::out(&[0]), inter.peers() as i32, 0)
            .unwrap_err();
        assert_eq!(error.class(), ErrorClass::Rank);
        assert!(error.message().contains("remote group"));
    });
}

#[test]
fn both_groups_become_one() {
    run_everywhere(5, |world| {
        let inter = even_and_odd(world);
        let even = world.rank() % 2 == 0;
        for (high, first) in [(even, false), (!even, true)] {
            let merged = inter.merge(high).unwrap();
            assert!(!merged.is_inter());
            let expected = match (even, first) {
                (true, true) => world.rank() / 2,
                (true, false) => 2 + world.rank() / 2,
                (false, true) => 3 + world.rank() / 2,
                (false, false) => world.rank() / 2,
            };
            assert_eq!(merged.rank(), expected);
            assert_eq!(merged.compare(world), Comparison::Similar);
            merged.barrier().run().unwrap();
        }
        let error = inter.merge(world.rank() == 0).unwrap_err();
        assert_eq!(error.class(), ErrorClass::Arg);
        assert_eq!(world.merge(true).unwrap_err().class(), ErrorClass::Comm);
    });
}

#[test]
fn an_intercommunicator_has_copies_and_parts() {
    run_everywhere(8, |world| {
        let inter = even_and_odd(world);
        let copy = inter.dup().unwrap();
        assert_eq!(copy.compare(&inter), Comparison::Congruent);
        assert_eq!(copy.compare(world), Comparison::Unequal);
        talk(&copy, 2);
        // Colour 0 is on both sides, colour 1 only on one, and the last has none.
        let (rank, even) = (inter.rank(), world.rank() % 2 == 0);
        let color = match rank {
            0 | 1 => 0,
            2 if even => 1,
            2 => 0,
            _ => UNDEFINED,
        };
        let part = inter.split(color, -rank).unwrap();
        assert_eq!(part.is_some(), color == 0);
        if let Some(part) = part {
            assert_eq!((part.size(), part.peers()), if even { (2, 3) } else { (3, 2) });
            assert_eq!(part.rank(), part.size() as i32 - 1 - rank);
            talk(&part, 0);
        }
        // Ranks 3 and 1 of each side, in this order.
        let group = inter.group().include(&[3, 1]).unwrap();
        let made = inter.create(&group).unwrap();
        assert_eq!(made.is_some(), rank % 2 == 1);
        if let Some(made) = made {
            assert_eq!((made.rank(), made.peers()), (i32::from(rank == 1), 2));
            talk(&made, 0);
        }
        let nobody = if even { group } else { Group::EMPTY };
        assert!(inter.create(&nobody).unwrap().is_none());
        let error = inter.create_group(inter.group(), 0).unwrap_err();
        assert_eq!(error.class(), ErrorClass::Comm);
    });
}

#[test]
fn wrong_arguments_are_errors_of_all_ranks() {
    run_everywhere(4, |world| {
        let half = world.split(world.rank() / 2, 0).unwrap().unwrap();
        let other = 2 - world.rank() / 2 * 2;
        let class =
            |leader, peer, remote, tag| half.create_inter(leader, peer, remote, tag).unwrap_err().class();
        assert_eq!(class(2, Some(&**world), other, 0), ErrorClass::Rank);
        assert_eq!(class(-1, Some(&**world), other, 0), ErrorClass::Rank);
        assert_eq!(class(half.rank(), Some(&**world), other, 0), ErrorClass::Rank);
        assert_eq!(class(0, Some(&**world), 4, 0), ErrorClass::Rank);
        assert_eq!(class(0, Some(&**world), other, -1), ErrorClass::Tag);
        assert_eq!(class(0, None, other, 0), ErrorClass::Comm);
        // The remote leader is in the local group.
        assert_eq!(class(0, Some(&**world), 3 - other, 0), ErrorClass::Comm);
        let inter = half.create_inter(0, Some(&**world), other, 0).unwrap();
        let error = inter.create_inter(0, Some(&**world), other, 0).unwrap_err();
        assert_eq!(error.class(), ErrorClass::Comm);
    });
}

#[test]
fn the_tag_of_the_call_is_no_tag_of_a_message() {
    run_everywhere(2, |world| {
        let (rank, other) = (world.rank(), 1 - world.rank());
        let own = world.process().comm_self().unwrap();
        send_one(world, rank, other, 5);
        let first = own.create_inter(0, Some(&**world), other, 5).unwrap();
        let second = own.create_inter(0, Some(&*first), 0, 5).unwrap();
        assert_eq!(recv_one(world, other, 5), other);
        talk(&first, 5);
        talk(&second, 5);
    });
}
