//! A Rust program whose ranks have heaps of their own.

use simurgh::{Allocator, Builder, Communicator, Error, HeapStatistics};
use std::collections::HashSet;
use std::sync::Mutex;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

/// The unit in which heaps take memory.
const SLICE: usize = 64 << 10;

fn run<T: Send + 'static>(ranks: usize, f: impl Fn(&Communicator) -> T + Send + Sync + 'static) -> Vec<T> {
    let run = Builder::new().ranks(ranks).vps(2).stack_size(256 << 10).run(f);
    run.expect("the run succeeds").into_iter().collect()
}

fn own() -> HeapStatistics {
    Allocator::statistics().expect("a rank has a heap")
}

/// Some blocks of many sizes.
fn some_blocks(value: u8) -> Vec<Vec<u8>> {
    let sizes = [10, 64, 100, 1000, 5000, 40_000, 200_000];
    let blocks = (0..100).map(|number| vec![value; sizes[number % sizes.len()]]);
    blocks.collect()
}

fn slices_of(blocks: &[Vec<u8>]) -> HashSet<usize> {
    let slices = blocks.iter().map(|block| block.as_ptr().addr() / SLICE);
    slices.collect()
}

#[test]
fn blocks_of_different_ranks_share_no_memory() {
    let of_ranks = run(7, |world| {
        let blocks = some_blocks(world.rank() as u8);
        world.barrier()?;
        let slices = slices_of(&blocks);
        world.barrier()?;
        Ok::<_, Error>(slices)
    });
    let of_ranks: Vec<_> = of_ranks
        .into_iter()
        .map(|slices| slices.expect("no call fails"))
        .collect();
    let all: HashSet<_> = of_ranks.iter().flatten().collect();
    assert_eq!(all.len(), of_ranks.iter().map(HashSet::len).sum::<usize>());
    // The thread that waits for the ranks is none of them.
    assert!(Allocator::statistics().is_none());
    assert!(
        slices_of(&some_blocks(0))
            .iter()
            .all(|slice| !all.contains(slice))
    );
}

#[test]
fn each_rank_is_told_what_it_has() {
    const BLOCKS: usize = 1000;
    let told = run(3, |world| {
        let before = own();
        let count = (world.rank() + 1) * BLOCKS;
        let small: Vec<Box<[u8; 200]>> = (0..count).map(|_| Box::new([1; 200])).collect();
        let long = vec![1_u8; 5 << 20];
        let now = own();
        let class = HeapStatistics::sizes()
            .iter()
            .position(|size| *size >= 200)
            .expect("a class");
        assert!(now.classes[class].count - before.classes[class].count >= count as u64 - 8);
        assert!(now.long.bytes - before.long.bytes >= long.len() as u64);
        assert!(now.in_use().count - before.in_use().count >= count as u64);
        assert!(now.held >= now.in_use().bytes && now.fragmentation() < 0.5);
        drop((small, long));
        let after = own();
        assert!(after.in_use().bytes < now.in_use().bytes - 200 * count as u64);
        assert!(after.most_held >= now.held);
        now.in_use().bytes - before.in_use().bytes
    });
    assert!(
        told[1] > told[0] + 200_000 && told[2] > told[1] + 200_000,
        "{told:?}"
    );
}

#[test]
fn ranks_free_what_others_have_allocated_and_what_is_left_outlives_them() {
    for value in 0..3 {
        let handed: &'static [Mutex<Vec<Vec<u8>>>] =
            Box::leak(Box::new([const { Mutex::new(Vec::new()) }; 4]));
        let kept = run(4, move |world| {
            let (rank, next) = (world.rank(), (world.rank() + 1) % world.size());
            *handed[next].lock().expect("no panic") = some_blocks(value);
            world.barrier()?;
            let of_other = std::mem::take(&mut *handed[rank].lock().expect("no panic"));
            assert!(of_other.iter().flatten().all(|byte| *byte == value));
            drop(of_other);
            Ok::<_, Error>(some_blocks(value))
        });
        let kept: Vec<_> = kept
            .into_iter()
            .map(|blocks| blocks.expect("no call fails"))
            .collect();
        assert!(kept.iter().flatten().flatten().all(|byte| *byte == value));
    }
}
