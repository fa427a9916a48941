//! Communicators with a topology, and ranks that come to live near their neighbours.

use crate::common::{
    Runner, carry_out, into, out, recv_one, run_everywhere, run_hosts, run_job, run_with, send_one,
};
use simurgh_mpi::memory::Parts;
use simurgh_mpi::{Comm, EdgeList, ErrorClass, Hardware, Job, Topology};
use std::sync::{Arc, Mutex};

/// The virtual processor of the calling rank.
fn vp() -> usize {
    simurgh_core::current().vp().expect("the rank is on one")
}

/// The edges of the caller to its partner half a communicator away, which are heavy, and round a ring, which are light.
fn pairs_and_ring(world: &Comm) -> EdgeList {
    let (me, size) = (world.rank(), world.size());
    let count = size as i32;
    let mut edges = EdgeList::new(true);
    edges.push(size, (me, (me + count / 2) % count), 1000).unwrap();
    edges.push(size, (me, (me + 1) % count), 1).unwrap();
    edges
}

/// Sends each rank's number along its outgoing edges.
fn talk_along_edges(comm: &Comm) {
    let (graph, me) = (comm.dist_graph().unwrap(), comm.rank());
    for &to in graph.outgoing(me as usize).ranks {
        send_one(comm, me, to, 5);
    }
    for &from in graph.incoming(me as usize).ranks {
        assert_eq!(recv_one(comm, from, 5), from);
    }
}

/// The places of a rank of a new communicator.
#[derive(Clone, Copy, Debug, Default)]
struct Fate {
    /// Its rank in the world.
    old: usize,
    /// The virtual processor on which it began.
    began: usize,
    /// The virtual processor on which it came to live.
    lives: usize,
}

/// Runs a job of 16 ranks in blocks on two virtual processors, has them make a communicator, and returns their fates by
/// new rank.
fn fates(job: &Arc<Job>, make: impl Fn(&Comm) -> Arc<Comm> + Send + Sync + 'static) -> Vec<Fate> {
    let fates = Arc::new(Mutex::new(vec![Fate::default(); 16]));
    let noted = Arc::clone(&fates);
    run_job(job, Runner::Blocks(2), move |world| {
        let began = vp();
        let made = make(world);
        let fate = Fate {
            old: world.rank() as usize,
            began,
            lives: vp(),
        };
        noted.lock().unwrap()[made.rank() as usize] = fate;
    });
    Arc::into_inner(fates).unwrap().into_inner().unwrap()
}

/// A job on two cores that have a memory each.
fn job_on_two_memories() -> Arc<Job> {
    let job = Job::new(16);
    let two = simurgh_sched::Topology::synthetic("package:2 numa:1 core:1 pu:1").unwrap();
    job.set_hardware(Hardware::new(&two, 2, (0..16).map(|rank| rank / 8)));
    job
}

fn all_partners_are_together(fates: &[Fate]) -> bool {
    (0..8).all(|rank| fates[rank].lives == fates[rank + 8].lives)
}

#[test]
fn heavy_partners_move_to_one_processor() {
    let fates = fates(&Job::new(16), |world| {
        let made = world.dist_graph_create(pairs_and_ring(world), true).unwrap();
        talk_along_edges(&made);
        made
    });
    assert!(all_partners_are_together(&fates), "{fates:?}");
    assert!(
        (0..16).all(|rank| fates[rank].old == rank),
        "nobody has a new number"
    );
    let on_first = fates.iter().filter(|fate| fate.lives == 0).count();
    assert_eq!(on_first, 8, "the load is as even as before");
}

#[test]
fn across_memories_partners_get_new_numbers() {
    let fates = fates(&job_on_two_memories(), |world| {
        let made = world.dist_graph_create(pairs_and_ring(world), true).unwrap();
        talk_along_edges(&made);
        made
    });
    assert!(all_partners_are_together(&fates), "{fates:?}");
    assert!(fates.iter().all(|fate| fate.began == fate.lives), "nobody moves");
    assert!((0..16).any(|rank| fates[rank].old != rank));
}

#[test]
fn without_leave_to_reorder_all_stays_as_it_is() {
    for job in [Job::new(16), job_on_two_memories()] {
        let fates = fates(&job, |world| {
            world.dist_graph_create(pairs_and_ring(world), false).unwrap()
        });
        assert!((0..16).all(|rank| fates[rank].old == rank && fates[rank].began == fates[rank].lives));
    }
}

#[test]
fn a_grid_is_cut_along_its_short_side_as_its_map_says() {
    let (dims, periods) = ([2, 8], [false, false]);
    let fates = fates(&job_on_two_memories(), move |world| {
        let mapped = world.cart_map(&dims, &periods).unwrap();
        let made = world.cart_create(&dims, &periods, true).unwrap().unwrap();
        assert_eq!(made.rank(), mapped);
        made
    });
    for (rank, fate) in fates.iter().enumerate() {
        assert_eq!(fate.lives, fates[(rank % 8) / 4 * 4].lives, "{fates:?}");
    }
    assert_ne!(fates[0].lives, fates[4].lives);
}

#[test]
fn maps_over_hosts_cut_where_little_goes() {
    run_hosts(2, 8, |world| {
        let edges: Vec<i32> = (0..16).map(|rank| (rank + 8) % 16).collect();
        let index: Vec<i32> = (1..=16).collect();
        let maps = [
            world.cart_map(&[2, 8], &[false, false]).unwrap(),
            world.graph_map(&index, &edges).unwrap(),
        ];
        for mapped in maps {
            let mut all = vec![0; 16];
            world
                .allgather(Some(&out(&[mapped])), Parts::Even(into(&mut all[..1])))
                .and_then(carry_out)
                .unwrap();
            let host = |mapped: i32| all.iter().position(|other| *other == mapped).map(|rank| rank / 8);
            // Each of a column or pair on the same host, and all ranks are there.
            assert!(
                (0..8).all(|column| host(column).is_some() && host(column) == host(column + 8)),
                "{all:?}"
            );
        }
        assert_eq!(world.cart_map(&[3], &[true]).unwrap() < 0, world.rank() >= 3);
    });
}

#[test]
fn graphs_and_their_maps_agree() {
    let fates = fates(&job_on_two_memories(), |world| {
        let index: Vec<i32> = (1..=16).collect();
        let edges: Vec<i32> = (0..16).map(|rank| (rank + 8) % 16).collect();
        let mapped = world.graph_map(&index, &edges).unwrap();
        let made = world.graph_create(&index, &edges, true).unwrap().unwrap();
        assert_eq!(made.rank(), mapped);
        made
    });
    assert!(all_partners_are_together(&fates), "{fates:?}");
}

#[test]
fn ranks_beyond_a_grid_are_not_in_it() {
    run_everywhere(5, |world| {
        let made = world.cart_create(&[2, 2], &[true, false], true).unwrap();
        assert_eq!(made.is_some(), world.rank() < 4);
        if let Some(made) = made {
            let copy = made.dup().unwrap();
            assert_eq!(copy.cart().unwrap().dims(), [2, 2]);
            let row = copy.cart_sub(&[false, true]).unwrap();
            assert_eq!((row.size(), row.rank()), (2, copy.rank() % 2));
            assert!(matches!(row.topology(), Some(Topology::Cart(cart)) if cart.dims() == [2]));
            assert!(copy.split(0, 0).unwrap().unwrap().topology().is_none());
            assert_eq!(copy.graph().unwrap_err().class(), ErrorClass::Topology);
        }
        assert_eq!(world.cart().unwrap_err().class(), ErrorClass::Topology);
    });
}

#[test]
fn ranks_that_describe_different_grids_are_told() {
    run_with(Runner::Contexts(2, None), 3, |world| {
        let error = world
            .cart_create(&[1 + world.rank()], &[false], false)
            .unwrap_err();
        assert_eq!(error.class(), ErrorClass::NotSame);
    });
}
