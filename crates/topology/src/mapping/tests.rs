use super::*;
use crate::Cart;
use proptest::prelude::*;
use simurgh_sched::Topology;
use std::time::Duration;

fn machine(description: &str, vps: usize) -> Machine {
    let topology = Topology::synthetic(description).expect("a valid description");
    Machine::new(topology.root(), vps)
}

fn two_processors() -> Machine {
    machine("numa:1 l3:1 core:2 pu:1", 2)
}

/// Two NUMA nodes of two L3 caches of two cores.
fn eight_processors() -> Machine {
    machine("package:2 numa:1 l3:2 core:2 pu:1", 8)
}

/// Blocks of processes, as the scheduler places them.
fn blocks(processes: usize, vps: usize) -> Vec<usize> {
    (0..processes).map(|process| process * vps / processes).collect()
}

/// The numbers up to `count` in an order that looks random.
fn shuffled(count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|&number| {
        (number as u64 + 1)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(23)
    });
    order
}

fn vps_of(assignments: &[Assignment]) -> Vec<usize> {
    assignments.iter().map(|assignment| assignment.vp).collect()
}

/// Checks what holds for every mapping, and returns its cost and that of leaving all as it is.
fn check(traffic: &Traffic, machine: &Machine, homes: &[usize]) -> (u128, u128) {
    let assignments = map_ranks(traffic, machine, homes);
    let mut processes: Vec<usize> = assignments.iter().map(|assignment| assignment.process).collect();
    processes.sort_unstable();
    assert!(
        processes.into_iter().eq(0..traffic.ranks()),
        "each process has one rank"
    );
    let sorted = |mut vps: Vec<usize>| {
        vps.sort_unstable();
        vps
    };
    let homes = &homes[..traffic.ranks()];
    assert_eq!(
        sorted(vps_of(&assignments)),
        sorted(homes.to_vec()),
        "the load stays as it is"
    );
    for assignment in &assignments {
        assert_eq!(
            machine.memory(homes[assignment.process]),
            machine.memory(assignment.vp),
            "nobody leaves its memory"
        );
    }
    let (after, before) = (
        cost(traffic, machine, &vps_of(&assignments)),
        cost(traffic, machine, homes),
    );
    assert!(after <= before);
    (after, before)
}

#[test]
fn a_shuffled_ring_is_cut_in_two_places() {
    let order = shuffled(64);
    let ring = (0..64).map(|at| (order[at], order[(at + 1) % 64], 1));
    let (after, before) = check(&Traffic::new(64, ring), &two_processors(), &blocks(64, 2));
    assert!(before > 20);
    assert_eq!(after, 2);
}

#[test]
fn a_shuffled_grid_is_cut_across_its_shorter_side() {
    let order = shuffled(32 * 16);
    let at = |row: usize, column: usize| order[row * 16 + column];
    let down = (0..31).flat_map(|row| (0..16).map(move |column| (row, column, row + 1, column)));
    let along = (0..32).flat_map(|row| (0..15).map(move |column| (row, column, row, column + 1)));
    let edges = down.chain(along).map(|(a, b, c, d)| (at(a, b), at(c, d), 1));
    let (after, before) = check(&Traffic::new(512, edges), &two_processors(), &blocks(512, 2));
    assert!(before > 300);
    assert!(after <= 20, "{after}, but 16 is possible");
}

#[test]
fn a_grid_becomes_tiles() {
    // In blocks of rows, each of 8 processors has 2 of 16 rows: 7 borders of 64. Tiles have shorter borders.
    let grid = Traffic::from(&Cart::new(&[16, 64], &[false, false]).unwrap());
    let flat = machine("numa:1 core:8 pu:1", 8);
    let (after, before) = check(&grid, &flat, &blocks(1024, 8));
    assert_eq!(before, 7 * 64);
    assert!(after <= 7 * 16, "{after}");
}

#[test]
fn heavy_partners_come_together_without_new_numbers() {
    let pairs = (0..8).map(|rank| (rank, rank + 8, 1000));
    let light = (0..16).map(|rank| (rank, (rank + 1) % 16, 1));
    let traffic = Traffic::new(16, pairs.chain(light));
    let (machine, homes) = (two_processors(), blocks(16, 2));
    check(&traffic, &machine, &homes);
    let assignments = map_ranks(&traffic, &machine, &homes);
    for rank in 0..8 {
        assert_eq!(assignments[rank].vp, assignments[rank + 8].vp);
    }
    assert!(
        assignments
            .iter()
            .enumerate()
            .all(|(rank, assignment)| assignment.process == rank)
    );
}

#[test]
fn ranks_are_renumbered_across_memories() {
    let machine = eight_processors();
    let traffic = Traffic::new(8, (0..4).map(|rank| (rank, rank + 4, 1)));
    let homes = blocks(8, 8);
    let (after, before) = check(&traffic, &machine, &homes);
    assert_eq!((after, before), (4, 12));
    let assignments = map_ranks(&traffic, &machine, &homes);
    assert!(
        assignments
            .iter()
            .enumerate()
            .any(|(rank, assignment)| assignment.process != rank)
    );
}

#[test]
fn what_is_good_is_left_alone() {
    let ring = Traffic::from(&Cart::new(&[16], &[true]).unwrap());
    let homes = blocks(20, 2);
    let assignments = map_ranks(&ring, &two_processors(), &homes);
    assert_eq!(vps_of(&assignments), homes[..16]);
    let nobody = Traffic::new(0, []);
    assert!(map_ranks(&nobody, &two_processors(), &homes).is_empty());
}

#[test]
fn thousands_of_ranks_take_no_time() {
    let side = if cfg!(debug_assertions) { 32 } else { 96 };
    let torus = Traffic::from(&Cart::new(&[side, side], &[true, true]).unwrap());
    let ranks = torus.ranks();
    let machine = machine("package:2 numa:2 l3:4 core:4 pu:1", 64);
    let homes: Vec<usize> = shuffled(ranks).into_iter().map(|number| number % 64).collect();
    let mut watch = simurgh_testing::Stopwatch::start();
    let (after, before) = check(&torus, &machine, &homes);
    assert!(after * 3 < before, "{before} -> {after}");
    let passed = watch.passed();
    assert!(passed < Duration::from_secs(5), "{passed:?}");
}

/// A graph of up to 40 ranks with random edges.
fn random_traffic() -> impl Strategy<Value = (usize, Vec<(usize, usize, u64)>)> {
    (1_usize..40).prop_flat_map(|ranks| {
        let edge = (0..ranks, 0..ranks, 0_u64..100);
        (Just(ranks), proptest::collection::vec(edge, 0..120))
    })
}

proptest! {
    #[test]
    fn no_layout_is_worse_than_none((ranks, edges) in random_traffic(), seed in 0_usize..1000) {
        let traffic = Traffic::new(ranks, edges);
        for (machine, vps) in [(two_processors(), 2), (eight_processors(), 8), (machine("core:3 pu:1", 5), 5)] {
            let mut homes: Vec<usize> = (0..ranks + 3).map(|process| (process * 7 + seed) / 3 % vps).collect();
            check(&traffic, &machine, &homes);
            homes.sort_unstable();
            check(&traffic, &machine, &homes);
        }
    }

    #[test]
    fn the_answer_is_always_the_same((ranks, edges) in random_traffic()) {
        let traffic = Traffic::new(ranks, edges);
        let homes = blocks(ranks, 8);
        prop_assert_eq!(
            map_ranks(&traffic, &eight_processors(), &homes),
            map_ranks(&traffic, &eight_processors(), &homes)
        );
    }
}

#[test]
fn ranks_that_have_not_begun_go_anywhere() {
    let topology = Topology::synthetic("package:2 numa:1 core:2 pu:1").unwrap();
    let machine = Machine::new(topology.root(), 4);
    let homes = [0, 0, 1, 1, 2, 2, 3, 3];
    let traffic = Traffic::new(8, (0..4).map(|rank| (rank, rank + 4, 100)));
    let vps = lay_out(&traffic, &machine, &homes);
    assert!((0..4).all(|rank| vps[rank] == vps[rank + 4]), "{vps:?}");
    assert_eq!(lay_out(&Traffic::new(8, []), &machine, &homes), homes);
}
