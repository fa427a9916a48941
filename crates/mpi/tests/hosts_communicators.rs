//! Communicators of ranks on several hosts: what is special about hosts. What holds everywhere is tested everywhere.

use crate::common::{recv_one, run_hosts, run_laid_out, send_one};
use simurgh_mpi::{Comm, EdgeList, ErrorClass, Hardware, Info, Process, ProcessSet, SplitType};
use simurgh_net::transport::{Access, Loopback};
use simurgh_sched::Topology;
use simurgh_settings::Values;
use std::sync::Arc;

fn with_process<R>(f: impl FnOnce(&Arc<Process>) -> R) -> R {
    Process::with_current(|process| f(process.expect("a rank")))
}

/// Runs `f` on hosts with so many ranks each.
fn run(ranks: &[u32], f: impl Fn(&Arc<Comm>) + Send + Sync + 'static) {
    let ways = Loopback::hosts(ranks.len() as u32, Access::default());
    run_laid_out(ways, ranks, &Values::default(), f);
}

/// The world's ranks in a communicator.
fn world_ranks(comm: &Comm) -> Vec<i32> {
    let processes = comm.group().processes();
    processes.map(u32::cast_signed).collect()
}

/// Sends a number round all ranks of a communicator.
fn round_trip(comm: &Comm) {
    let (rank, size) = (comm.rank(), comm.size() as i32);
    if rank == 0 {
        send_one(comm, 1, (rank + 1) % size, 0);
        assert_eq!(recv_one(comm, size - 1, 0), size);
    } else {
        let number = recv_one(comm, rank - 1, 0);
        send_one(comm, number + 1, (rank + 1) % size, 0);
    }
}

#[test]
fn hosts_with_other_numbers_of_ranks_make_the_same_communicators() {
    run(&[1, 4, 2], |world| {
        let rank = world.rank();
        // Of all hosts, of one, of two.
        for color in [0, i32::from(rank / 3 == 1), rank % 2] {
            let part = world.split(color, -rank).unwrap().unwrap();
            assert!(world_ranks(&part).is_sorted_by(|a, b| a > b));
            round_trip(&part);
            let copy = part.dup().unwrap();
            round_trip(&copy);
            part.free().unwrap();
            copy.free().unwrap();
        }
    });
}

#[test]
fn ranks_alone_make_communicators_of_their_own() {
    run_hosts(2, 2, |world| {
        let alone = world.split(world.rank(), 0).unwrap().unwrap();
        assert_eq!((alone.size(), world_ranks(&alone)), (1, vec![world.rank()]));
        assert!(world.split(-32766, 0).unwrap().is_none());
    });
}

#[test]
fn making_and_freeing_communicators_for_long_works() {
    run(&[2, 1], |world| {
        for round in 0..3000 {
            let made = match round % 3 {
                0 => world.dup().unwrap(),
                1 => world.split(0, 0).unwrap().unwrap(),
                _ => world.idup().unwrap().0,
            };
            made.free().unwrap();
        }
        let last = world.dup().unwrap();
        round_trip(&last);
    });
}

#[test]
fn a_duplicate_is_made_while_the_first_host_computes() {
    run(&[1, 2], |world| {
        if world.rank() == 0 {
            // The others need no call of this rank to go on.
            assert_eq!(recv_one(world, 1, 0), 7);
            world.idup().unwrap().0.free().unwrap();
        } else {
            let copy = world.idup().unwrap().0;
            if world.rank() == 1 {
                send_one(world, 7, 0, 0);
            }
            copy.free().unwrap();
        }
    });
}

#[test]
fn members_alone_make_communicators_across_hosts() {
    run(&[2, 2, 2], |world| {
        let rank = world.rank();
        let all = world.group();
        // Two groups at the same time, under one tag.
        let members = if rank % 2 == 0 { [4, 2, 0] } else { [1, 3, 5] };
        let group = all.include(&members).unwrap();
        let made = world.create_group(&group, 3).unwrap().unwrap();
        assert_eq!(world_ranks(&made), members);
        round_trip(&made);
        for _ in 0..10 {
            let again = with_process(|process| Comm::create_from_group(process, &group, "again"));
            round_trip(&again.unwrap().unwrap());
        }
    });
}

#[test]
fn groups_that_share_hosts_or_not_unite() {
    run(&[2, 2, 2], |world| {
        let rank = world.rank();
        // Two groups with a rank on each host; then two that share the second host only.
        for (side, leaders) in [(rank % 2, [0, 1]), (i32::from(rank > 2), [0, 3])] {
            let part = world.split(side, 0).unwrap().unwrap();
            let other = leaders[(1 - side) as usize];
            let inter = part.create_inter(0, Some(world), other, 4).unwrap();
            let partner = inter.remote_group().unwrap();
            assert_eq!((inter.size(), partner.size()), (3, 3));
            if side == 0 {
                send_one(&inter, rank, inter.rank(), 1);
            } else {
                let process = partner.process(inter.rank() as usize);
                assert_eq!(recv_one(&inter, inter.rank(), 1), process.unwrap().cast_signed());
            }
            let merged = inter.merge(side == 0).unwrap();
            assert_eq!(merged.size(), 6);
            round_trip(&merged);
            inter.free().unwrap();
        }
    });
}

#[test]
fn an_error_of_one_rank_is_an_error_on_all_hosts() {
    run(&[1, 2], |world| {
        let some = world.group().include(&[0, 2]).unwrap();
        let group = if world.rank() == 2 { &some } else { world.group() };
        let error = world.create(group).map(drop).unwrap_err();
        assert_eq!(error.class(), ErrorClass::Group);
        let error = world.cart_create(&[3 - world.rank() / 2], &[false], false);
        assert_eq!(error.map(drop).unwrap_err().class(), ErrorClass::NotSame);
        round_trip(world);
    });
}

#[test]
fn ranks_in_different_calls_are_told_on_all_hosts() {
    run(&[2, 1, 2], |world| {
        for other in 0..5 {
            let failed = if world.rank() == other {
                world.barrier().run()
            } else {
                world.split(0, 0).map(drop)
            };
            assert_eq!(failed.unwrap_err().class(), ErrorClass::Other);
        }
        assert_eq!(world.split(0, 0).unwrap().unwrap().size(), 5);
    });
}

/// The ranks with which the caller shares something.
fn shared(comm: &Comm, split_type: SplitType, pairs: &[(&str, &str)]) -> Vec<i32> {
    let mut info = Info::new();
    for (key, value) in pairs {
        info.set(key, value).unwrap();
    }
    let made = comm.split_type(split_type, 0, &info).unwrap();
    made.map_or_else(Vec::new, |(made, _)| world_ranks(&made))
}

#[test]
fn ranks_of_hosts_of_a_node_share_it() {
    run(&[2, 2], |world| {
        let topology = Topology::synthetic("package:2 core:2 pu:1").unwrap();
        with_process(|process| {
            // The ranks of the first host are on the first package, those of the second on the second.
            let first = process.job().layout().own() as usize * 2;
            let hardware = Hardware::new(&topology, 4, [first, first + 1]);
            process.job().set_hardware(hardware);
        });
        let rank = world.rank();
        assert_eq!(shared(world, SplitType::Shared, &[]), [0, 1, 2, 3]);
        let package = [rank / 2 * 2, rank / 2 * 2 + 1];
        assert_eq!(shared(world, SplitType::Unguided, &[]), package);
        let guided = |kind| shared(world, SplitType::Guided, &[("mpi_hw_resource_type", kind)]);
        assert_eq!(guided("package"), package);
        assert_eq!(guided("machine"), [0, 1, 2, 3]);
        assert_eq!(guided("core"), [rank]);
    });
}

#[test]
fn process_sets_tell_of_the_own_host() {
    run(&[1, 2], |world| {
        with_process(|process| {
            let size = |name| ProcessSet::find(process, name).unwrap().group.size();
            let here = process.job().layout().here();
            assert_eq!((size("mpi://WORLD"), size("mpi://SELF")), (3, 1));
            assert_eq!(size("simurgh://host"), here.len());
            let host = ProcessSet::find(process, "simurgh://host").unwrap().group;
            let comm = Comm::create_from_group(process, &host, "host").unwrap().unwrap();
            assert_eq!(comm.size(), here.len());
            round_trip(&comm);
        });
        let by = shared(
            world,
            SplitType::ResourceGuided,
            &[("mpi_pset_name", "simurgh://host")],
        );
        assert_eq!(by, if world.rank() == 0 { vec![0] } else { vec![1, 2] });
    });
}

#[test]
fn partners_get_numbers_of_one_host() {
    run(&[4, 4], |world| {
        // Rank r talks to rank r + 4, which lives on the other host.
        let partner = (world.rank() + 4) % 8;
        let mut edges = EdgeList::new(true);
        edges.push(8, (world.rank(), partner), 100).unwrap();
        let made = world.dist_graph_create(edges, true).unwrap();
        let (rank, hosts) = (made.rank(), made.process().job().layout());
        let host_of = |rank: i32| hosts.host_of(made.group().process(rank as usize).unwrap());
        assert_eq!(hosts.own(), host_of(rank));
        assert_eq!(host_of(rank), host_of((rank + 4) % 8));
        round_trip(&made);
        // As many on each host as before.
        assert_eq!((0..8).filter(|rank| host_of(*rank) == 0).count(), 4);
    });
}
