//! Tests of long blocks of several ranks that lie side by side.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use super::huge_pages::wants_huge_pages;
use super::{C, Filled, Random, as_thread};
use crate::RankHeaps;
use crate::arena::{HUGE_PAGE, makes_huge_pages};

/// The tests take turns: they look at memory that is free for all ranks.
fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn rank_among_others() -> &'static RankHeaps {
    Box::leak(Box::new(RankHeaps::new().among_others()))
}

/// The numbers of the pages of `size` in which blocks of this length lie.
fn pages(blocks: &[Filled], size: usize) -> HashSet<usize> {
    let of_block = |block: &Filled| {
        let start = block.block.addr();
        start / size..=(start + block.size - 1) / size
    };
    blocks.iter().flat_map(of_block).collect()
}

#[test]
fn blocks_of_several_ranks_fill_huge_pages_and_share_no_page() {
    let _turn = turn();
    if !makes_huge_pages() {
        return;
    }
    const RANKS: usize = 32;
    const SIZE: usize = 270_000;
    let ranks: Vec<_> = (0..RANKS).map(|_| rank_among_others()).collect();
    let of_rank = |rank: usize| {
        let block = |seed| Filled::new(C::malloc(SIZE), SIZE, seed);
        as_thread(ranks[rank], || vec![block(rank as u8), block(rank as u8 + 100)])
    };
    let all: Vec<_> = (0..RANKS).map(of_rank).collect();
    let small: Vec<_> = all.iter().map(|blocks| pages(blocks, 4096)).collect();
    let together: HashSet<_> = small.iter().flatten().collect();
    assert_eq!(together.len(), small.iter().map(HashSet::len).sum::<usize>());
    let blocks: Vec<_> = all.into_iter().flatten().collect();
    let huge = pages(&blocks, HUGE_PAGE);
    assert!(
        huge.len() <= 2 * RANKS * SIZE / HUGE_PAGE * 3 / 2,
        "{}",
        huge.len()
    );
    let wanted = huge
        .iter()
        .filter(|page| wants_huge_pages((*page * HUGE_PAGE) as *const u8));
    assert!(wanted.count() + 2 >= huge.len());
    // Another rank frees them.
    as_thread(ranks[0], || blocks.into_iter().for_each(Filled::free));
    for rank in ranks {
        as_thread(rank, || {
            C::free(C::malloc(SIZE));
            let statistics = RankHeaps::statistics_of_caller().expect("a rank");
            assert_eq!(statistics.long.count, 0);
        });
    }
}

#[test]
fn a_heap_with_much_uses_its_own_segments_too() {
    let _turn = turn();
    as_thread(rank_among_others(), || {
        let blocks: Vec<_> = (0..100)
            .map(|seed| Filled::new(C::malloc(300_000), 300_000, seed))
            .collect();
        blocks.into_iter().for_each(Filled::free);
        C::trim();
        let statistics = RankHeaps::statistics_of_caller().expect("a rank");
        assert_eq!((statistics.long.count, statistics.spare), (0, 0));
    });
}

#[test]
fn freed_memory_is_zero_for_the_next_rank_and_goes_back_to_the_system() {
    let _turn = turn();
    const SIZE: usize = 800_000;
    let block = as_thread(rank_among_others(), || {
        let block = Filled::new(C::malloc(SIZE), SIZE, 9);
        let address = block.block.addr();
        block.free();
        address
    });
    as_thread(rank_among_others(), || {
        let zeros = C::calloc(1, SIZE);
        // SAFETY:
        // - the block has that size.
        let bytes = unsafe { std::slice::from_raw_parts(zeros, SIZE) };
        assert!(bytes.iter().all(|byte| *byte == 0));
        Filled::new(zeros, SIZE, 3).free();
        C::trim();
    });
    // SAFETY:
    // - memory of heaps stays mapped, and nobody has the block.
    let bytes = unsafe { std::slice::from_raw_parts(block as *const u8, SIZE) };
    assert!(bytes.iter().all(|byte| *byte == 0));
}

#[test]
fn the_end_of_a_rank_takes_its_blocks_and_no_others() {
    let _turn = turn();
    const SIZE: usize = 200_000;
    let (ending, staying) = (rank_among_others(), rank_among_others());
    let fill = |seed| move || Filled::new(C::malloc(SIZE), SIZE, seed);
    let before = as_thread(staying, fill(1));
    let lost = as_thread(ending, fill(2)).block.addr();
    let behind = as_thread(staying, fill(3));
    // SAFETY:
    // - no thread of the rank is left.
    unsafe { ending.end() };
    // SAFETY:
    // - the memory stays mapped.
    let bytes = unsafe { std::slice::from_raw_parts(lost as *const u8, SIZE) };
    assert!(bytes.iter().all(|byte| *byte == 0));
    as_thread(staying, || {
        before.free();
        behind.free();
        C::free(lost as *mut u8);
        let others: Vec<_> = (0..10).map(|_| C::malloc(SIZE)).collect();
        let is_lost = |block: &*mut u8| block.addr() == lost;
        assert!(!others.iter().any(is_lost), "its addresses stay its own");
        others.into_iter().for_each(C::free);
    });
}

#[test]
fn blocks_become_longer_and_shorter() {
    let _turn = turn();
    as_thread(rank_among_others(), || {
        let mut block = Filled::new(C::malloc(200_000), 200_000, 1);
        for size in [400_000, 1_000_000, 300_000, 150_000, 3_000_000, 140_000, 1000] {
            block.resize(size);
        }
        block.free();
        let statistics = RankHeaps::statistics_of_caller().expect("a rank");
        assert_eq!(statistics.long.count, 0);
    });
}

#[test]
fn ranks_take_and_free_blocks_at_the_same_time() {
    let _turn = turn();
    const RANKS: u64 = 6;
    const STEPS: usize = 3000;
    let passed_on = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for rank in 0..RANKS {
            let passed_on = &passed_on;
            scope.spawn(move || {
                as_thread(rank_among_others(), || {
                    let mut random = Random(rank + 1);
                    let mut own: Vec<Filled> = Vec::new();
                    for step in 0..STEPS {
                        let size = 140_000 + random.below(900_000);
                        match random.below(8) {
                            0..3 if own.len() < 8 => {
                                own.push(Filled::new(C::malloc(size), size, step as u8));
                            }
                            3 if !own.is_empty() => own[0].resize(size),
                            4 if !own.is_empty() => {
                                let given = own.swap_remove(random.below(own.len()));
                                passed_on.lock().expect("no panic").push(given);
                            }
                            5 => {
                                let taken = passed_on.lock().expect("no panic").pop();
                                taken.into_iter().for_each(Filled::free);
                            }
                            6 if step % 64 == 0 => C::trim(),
                            _ if !own.is_empty() => own.swap_remove(random.below(own.len())).free(),
                            _ => {}
                        }
                    }
                    own.into_iter().for_each(Filled::free);
                });
            });
        }
    });
    let left = passed_on.into_inner().expect("no panic");
    as_thread(rank_among_others(), || left.into_iter().for_each(Filled::free));
}
