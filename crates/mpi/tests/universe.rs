//! Worlds that start others, find them by name, talk to them and part from them.

use crate::common;
use crate::common::{into, out, recv_one, run_realms, run_universe, send_one};
use simurgh_mpi::constants::ANY_SOURCE;
use simurgh_mpi::memory::Parts;
use simurgh_mpi::op::{BuiltinOp, Op};
use simurgh_mpi::{Comm, ErrorClass, Info, Mode, SplitType};
use simurgh_net::control::Command;
use simurgh_net::encoding::Text;
use simurgh_net::job::Realm;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex};

fn command(program: &str, processes: u32) -> Command {
    Command {
        program: Text::new(program).expect("there is no NUL byte"),
        arguments: Vec::new(),
        processes,
        info: Vec::new(),
    }
}

fn parent(world: &Comm) -> Arc<Comm> {
    let parent = world.process().comm_parent().unwrap();
    parent.expect("somebody has started it")
}

/// Everybody sends to everybody of the other group, short and long, and nobody of it is missing.
fn talk(inter: &Comm) {
    for (tag, length) in (0..).zip([1, 100, 100_000]) {
        let data = vec![inter.rank(); length];
        let sends: Vec<_> = (0..inter.peers() as i32)
            .map(|rank| common::start_send(inter, Mode::Standard, &out(&data), rank, tag))
            .collect();
        let mut seen = vec![false; inter.peers()];
        for _ in 0..inter.peers() {
            let mut got = vec![-1; length];
            let status = inter.recv(into(&mut got), ANY_SOURCE, tag).unwrap();
            assert!(got.iter().all(|number| *number == status.source));
            assert!(!std::mem::replace(&mut seen[status.source as usize], true));
        }
        for send in sends {
            send.wait();
        }
    }
}

/// All sum up their ranks: blocking, nonblocking, and as a persistent collective.
fn sum_ranks(comm: &Comm) {
    let size = comm.size() as i32;
    for _ in 0..8 {
        let mut sum = [0];
        let (own, op) = ([comm.rank()], Op::Builtin(BuiltinOp::Sum));
        let collective = comm.allreduce(Some(&out(&own)), &into(&mut sum), &op);
        common::carry_out(collective.unwrap()).unwrap();
        assert_eq!(sum[0], size * (size - 1) / 2);
    }
}

#[test]
fn a_world_starts_another_and_they_work_together() {
    run_universe(&[2, 1], 4, |program, world| {
        let inter = match program {
            "first" => {
                assert!(world.process().comm_parent().unwrap().is_none());
                let commands = || Ok(vec![command("2 children", 4)]);
                let spawned = world.spawn(1, commands).unwrap();
                assert_eq!(spawned.processes, [4]);
                spawned.comm
            }
            _ => {
                assert_eq!((world.size(), world.process().rank()), (4, world.rank() as u32));
                parent(world)
            }
        };
        let ours = world.size();
        assert_eq!((inter.size(), inter.rank()), (ours, world.rank()));
        assert_eq!(inter.peers(), 7 - ours);
        sum_ranks(world);
        talk(&inter);
        inter.barrier().run().unwrap();
        let merged = inter.merge(program != "first").unwrap();
        assert_eq!(merged.size(), 7);
        let expected = if program == "first" { 0 } else { 3 };
        assert_eq!(merged.rank(), world.rank() + expected);
        sum_ranks(&merged);
        let part = merged.split(merged.rank() % 2, 0).unwrap().unwrap();
        sum_ranks(&part);
        sum_ranks(&part.dup().unwrap());
        let mut seven = vec![0; 7];
        merged
            .allgather(Some(&out(&[merged.rank()])), Parts::Even(into(&mut seven[..1])))
            .unwrap()
            .run()
            .unwrap();
        assert_eq!(seven, [0, 1, 2, 3, 4, 5, 6]);
        merged.disconnect().unwrap();
        part.disconnect().unwrap();
        inter.disconnect().unwrap();
        assert!(world.process().comm_parent().unwrap().is_none());
    });
}

#[test]
fn commands_follow_each_other_and_only_the_root_counts() {
    run_universe(&[3], 4, |program, world| {
        if program == "first" {
            let commands = || {
                assert_eq!(world.rank(), 2);
                Ok(vec![command("one", 1), command("2 two", 2)])
            };
            let spawned = world.spawn(2, commands).unwrap();
            assert_eq!((spawned.comm.peers(), spawned.processes), (3, vec![1, 2]));
            talk(&spawned.comm);
        } else {
            assert_eq!(program == "one", world.rank() == 0);
            talk(&parent(world));
        }
    });
}

#[test]
fn what_cannot_be_started_is_an_error_of_all() {
    run_universe(&[2, 1], 4, |_, world| {
        for _ in 0..3 {
            let error = world.spawn(0, || Ok(vec![command("missing", 1)])).unwrap_err();
            assert_eq!(error.class(), ErrorClass::Spawn);
        }
        let error = world.spawn(3, || Ok(Vec::new())).unwrap_err();
        assert_eq!(error.class(), ErrorClass::Root);
        let error = world.spawn(world.rank(), || Ok(Vec::new())).unwrap_err();
        assert_eq!(error.class(), ErrorClass::Root);
        sum_ranks(world);
    });
}

#[test]
fn without_a_launcher_nothing_can_be_started() {
    common::run(2, |world| {
        let error = world.spawn(0, || Ok(vec![command("child", 1)])).unwrap_err();
        assert_eq!(error.class(), ErrorClass::Spawn);
        assert!(error.message().contains("mpiexec"));
        let error = world.process().open_port().unwrap_err();
        assert_eq!(error.class(), ErrorClass::Port);
    });
}

/// A manager that starts workers, one after the other, and lets them go.
#[test]
fn worlds_come_and_go() {
    run_universe(&[1, 1], 30, |program, world| {
        if program != "first" {
            let parent = parent(world);
            send_one(&parent, 7, 0, 0);
            sum_ranks(&parent.merge(true).unwrap());
            return parent.disconnect().unwrap();
        }
        for _ in 0..12 {
            let spawned = world.spawn(0, || Ok(vec![command("2 workers", 2)])).unwrap();
            if world.rank() == 0 {
                assert_eq!(recv_one(&spawned.comm, 0, 0) + recv_one(&spawned.comm, 1, 0), 14);
            }
            sum_ranks(&spawned.comm.merge(false).unwrap());
            spawned.comm.disconnect().unwrap();
            sum_ranks(world);
        }
    });
}

#[test]
fn children_have_children_and_siblings_meet() {
    run_universe(&[1], 6, |program, world| match program {
        "first" => {
            let process = world.process();
            process
                .publish_name("siblings".to_owned(), process.open_port().unwrap())
                .unwrap();
            let one = world.spawn(0, || Ok(vec![command("one", 2)])).unwrap().comm;
            let two = world.spawn(0, || Ok(vec![command("2 two", 2)])).unwrap().comm;
            one.barrier().run().unwrap();
            two.barrier().run().unwrap();
            let port = process.lookup_name("siblings".to_owned()).unwrap();
            process
                .unpublish_name("siblings".to_owned(), port.clone())
                .unwrap();
            let error = process.lookup_name("siblings".to_owned()).unwrap_err();
            assert_eq!(error.class(), ErrorClass::Name);
            process.close_port(port.clone()).unwrap();
            let error = world.connect_to(0, || Ok((port, None))).unwrap_err();
            assert_eq!(error.class(), ErrorClass::Port);
        }
        "grandchild" => talk(&parent(world)),
        _ => {
            let port = || world.process().lookup_name("siblings".to_owned());
            let siblings = match program {
                "one" => world.accept_at(1, port),
                _ => world.connect_to(0, || Ok((port()?, None))),
            };
            let siblings = siblings.unwrap();
            assert_eq!((siblings.size(), siblings.peers()), (2, 2));
            talk(&siblings);
            sum_ranks(&siblings.merge(program == "one").unwrap());
            if program == "one" {
                let grandchild = world.spawn(0, || Ok(vec![command("grandchild", 1)])).unwrap();
                talk(&grandchild.comm);
            }
            siblings.disconnect().unwrap();
            parent(world).barrier().run().unwrap();
        }
    });
}

/// Ranks of one world, each by itself, several at a time at one port.
#[test]
fn ranks_meet_at_ports() {
    run_universe(&[2, 2], 2, |_, world| {
        let process = world.process();
        let mut name = [0_u8; 64];
        if world.rank() == 0 {
            let port = process.open_port().unwrap();
            name[..port.len()].copy_from_slice(port.as_bytes());
        }
        world.bcast(&into(&mut name), 0).unwrap().run().unwrap();
        let end = name.iter().position(|byte| *byte == 0).unwrap();
        let port = || Ok(String::from_utf8(name[..end].to_vec()).unwrap());
        let own = process.comm_self().unwrap();
        for _ in 0..5 {
            let met = match world.rank() % 2 {
                0 => own.accept_at(0, port),
                _ => own.connect_to(0, || Ok((port()?, None))),
            };
            let met = met.unwrap();
            talk(&met);
            met.disconnect().unwrap();
        }
    });
}

#[test]
fn processes_join_over_a_socket() {
    run_universe(&[1, 1], 2, |_, world| {
        static ENDS: Mutex<Vec<UnixStream>> = Mutex::new(Vec::new());
        if world.rank() == 0 {
            let (one, other) = UnixStream::pair().unwrap();
            ENDS.lock().unwrap().extend([one, other]);
        }
        world.barrier().run().unwrap();
        let end = ENDS.lock().unwrap().pop().unwrap();
        for _ in 0..3 {
            let joined = world.process().join(end.as_fd()).unwrap().unwrap();
            assert_eq!((joined.size(), joined.peers()), (1, 1));
            talk(&joined);
            joined.disconnect().unwrap();
        }
        world.barrier().run().unwrap();
    });
}

/// The first worlds of several launchers meet: those of the program "first" accept.
fn meet(program: &str, comm: &Comm, service: &str) -> Arc<Comm> {
    let process = comm.process();
    if program == "first" {
        let port = || {
            let port = process.open_port()?;
            process.publish_name(service.to_owned(), port.clone())?;
            Ok(port)
        };
        return comm.accept_at(0, port).unwrap();
    }
    let port = || loop {
        if let Ok(port) = process.lookup_name(service.to_owned()) {
            return Ok(port);
        }
        simurgh_core::yield_now();
    };
    comm.connect_to(0, || Ok((port()?, None))).unwrap()
}

/// The numbers of all ranks, in the order of the ranks.
fn gathered<const N: usize>(comm: &Comm, own: [i32; N]) -> Vec<i32> {
    let mut all = vec![0; comm.size() * N];
    let to = Parts::Even(into(&mut all[..N]));
    comm.allgather(Some(&out(&own)), to).unwrap().run().unwrap();
    all
}

#[test]
fn worlds_of_different_launchers_meet_and_work_together() {
    let first = [(Realm(3), "first", &[2, 1][..]), (Realm(1), "second", &[1, 1, 2])];
    run_realms(&first, 3, |program, world| {
        let is_first = program == "first";
        assert_eq!(world.process().rank(), world.rank() as u32);
        sum_ranks(world);
        for service in ["here", "here again"] {
            let inter = meet(program, world, service);
            assert_eq!((inter.size() + inter.peers(), inter.rank()), (7, world.rank()));
            talk(&inter);
            inter.barrier().run().unwrap();
            let merged = inter.merge(!is_first).unwrap();
            assert_eq!(merged.rank(), world.rank() + if is_first { 0 } else { 3 });
            sum_ranks(&merged);
            assert_eq!(gathered(&merged, [merged.rank()]), [0, 1, 2, 3, 4, 5, 6]);
            let part = merged.split(merged.rank() % 2, -merged.rank()).unwrap().unwrap();
            sum_ranks(&part);
            sum_ranks(&part.dup().unwrap());
            for comm in [merged, part, inter] {
                comm.disconnect().unwrap();
            }
            sum_ranks(world);
        }
    });
}

#[test]
fn hosts_of_different_launchers_have_nodes_of_their_own() {
    // Two hosts of each launcher are on one node, the others alone.
    let first = [
        (Realm(2), "first", &[1, 2, 1][..]),
        (Realm(9), "second", &[1, 1, 1]),
    ];
    run_realms(&first, 3, |program, world| {
        let merged = meet(program, world, "here").merge(program != "first").unwrap();
        let (shared, _) = merged
            .split_type(SplitType::Shared, 0, &Info::new())
            .unwrap()
            .unwrap();
        let members = gathered(&merged, [shared.size() as i32]);
        assert_eq!(members, [2, 2, 2, 2, 2, 1, 2]);
        // All agree on where everybody is, or two would have one place in the grid.
        let grid = merged.cart_create(&[7], &[true], true).unwrap().unwrap();
        let mut places = gathered(&merged, [grid.rank()]);
        places.sort_unstable();
        assert_eq!(places, [0, 1, 2, 3, 4, 5, 6]);
        sum_ranks(&grid);
    });
}

#[test]
fn who_has_met_others_starts_worlds_for_all() {
    let first = [(Realm(1), "first", &[1][..]), (Realm(2), "second", &[2])];
    run_realms(&first, 4, |program, world| {
        if program.ends_with("children") {
            let parent = parent(world);
            assert_eq!((world.size(), parent.peers()), (2, 3));
            talk(&parent);
            sum_ranks(&parent.merge(true).unwrap());
            parent.disconnect().unwrap();
            return;
        }
        let merged = meet(program, world, "here").merge(program != "first").unwrap();
        for (root, command) in [
            (0, self::command("2 children", 2)),
            (2, self::command("children", 2)),
        ] {
            let spawned = merged.spawn(root, || Ok(vec![command.clone()])).unwrap();
            talk(&spawned.comm);
            sum_ranks(&spawned.comm.merge(false).unwrap());
            spawned.comm.disconnect().unwrap();
        }
        sum_ranks(&merged);
    });
}

#[test]
fn chains_of_launchers_know_each_other() {
    let first = [
        (Realm(5), "first", &[1, 1][..]),
        (Realm(4), "second", &[2]),
        (Realm(1), "third", &[1, 1]),
    ];
    run_realms(&first, 2, |program, world| {
        let both = match program {
            "third" => world.dup().unwrap(),
            _ => meet(program, world, "the first two")
                .merge(program != "first")
                .unwrap(),
        };
        let side = if program == "third" { "third" } else { "first" };
        let inter = meet(side, &both, "all");
        talk(&inter);
        let all = inter.merge(program == "third").unwrap();
        assert_eq!(all.size(), 6);
        sum_ranks(&all);
        all.disconnect().unwrap();
    });
}

#[test]
fn processes_of_different_launchers_join_over_a_socket() {
    static ENDS: Mutex<Vec<UnixStream>> = Mutex::new(Vec::new());
    let first = [(Realm(2), "first", &[1][..]), (Realm(1), "second", &[1])];
    run_realms(&first, 1, |_, world| {
        let end = {
            let mut ends = ENDS.lock().unwrap();
            ends.pop().unwrap_or_else(|| {
                let (one, other) = UnixStream::pair().unwrap();
                ends.push(one);
                other
            })
        };
        for _ in 0..3 {
            let joined = world.process().join(end.as_fd()).unwrap().unwrap();
            assert_eq!((joined.size(), joined.peers()), (1, 1));
            talk(&joined);
            joined.disconnect().unwrap();
        }
    });
}
