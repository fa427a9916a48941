//! Strategies for where the memory of ranks comes from. The heaps are told that the machine has several nodes, whether
//! it has or not; policies name node 0, which each machine has.

#![cfg(not(loom))]

mod common;

use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, Once};

use simurgh_heap::{
    Local, MemoryPlacement, MemoryPolicy, NodeSet, Pooled, RankHeaps, Request, Strategy, Uniform, functions,
    set_nodes,
};

/// The first address of the arena, and the size of a segment.
const ARENA: usize = 0x3000_0000_0000;
const SEGMENT: usize = 4 << 20;

fn malloc(size: usize) -> *mut u8 {
    let found = functions().into_iter().find(|(name, _)| *name == "malloc");
    let address = found.expect("a function of this name").1;
    // SAFETY:
    // - the function has this type, and no preconditions.
    unsafe {
        let malloc: unsafe extern "C" fn(usize) -> *mut c_void = std::mem::transmute(address);
        malloc(size).cast()
    }
}

fn free(block: *mut u8) {
    // SAFETY:
    // - the tests free what they have allocated, once.
    unsafe { simurgh_heap::free(block.cast()) }
}

/// Runs `f` as the main context of a new rank with this strategy.
fn as_rank<R: Send>(rank: u32, placement: &'static dyn MemoryPlacement, f: impl FnOnce() -> R + Send) -> R {
    common::as_rank(heaps(rank, placement), f)
}

/// The heaps of a new rank with this strategy.
fn heaps(rank: u32, placement: &'static dyn MemoryPlacement) -> RankHeaps {
    static NODES: Once = Once::new();
    NODES.call_once(|| set_nodes(NodeSet::new(&[0, 1]).expect("small numbers")));
    let heaps = RankHeaps::new();
    heaps.place(rank, Box::leak(Box::new(Strategy::new(placement))));
    heaps
}

/// A strategy as a user could write it: long blocks, whose parts several threads work on, come from the nodes of those
/// that touch them first; all else is local.
struct LongByFirstTouch {
    asked: AtomicUsize,
    requests: Mutex<Vec<(u32, usize)>>,
}

impl MemoryPlacement for LongByFirstTouch {
    fn policy(&self, request: &Request) -> MemoryPolicy {
        self.asked.fetch_add(1, Ordering::Relaxed);
        // A test may lock: nobody interrupts it.
        self.requests
            .lock()
            .expect("no panic")
            .push((request.rank, request.bytes));
        match request.bytes > SEGMENT {
            true => MemoryPolicy::FirstTouch,
            false => MemoryPolicy::Preferred(request.node),
        }
    }
}

#[test]
fn a_strategy_is_asked_for_fresh_memory_and_for_nothing_else() {
    static STRATEGY: LongByFirstTouch = LongByFirstTouch {
        asked: AtomicUsize::new(0),
        requests: Mutex::new(Vec::new()),
    };
    let asked = || STRATEGY.asked.load(Ordering::Relaxed);
    as_rank(7, &STRATEGY, || {
        let small: Vec<_> = (0..10_000).map(|_| malloc(100)).collect();
        assert_eq!(asked(), 1, "they fit into one segment");
        small.into_iter().for_each(free);
        let again: Vec<_> = (0..10_000).map(|_| malloc(100)).collect();
        assert_eq!(asked(), 1, "there is free memory");
        let long = malloc(3 * SEGMENT);
        assert_eq!(asked(), 2);
        assert_ne!(
            long.addr() >> 40,
            again[0].addr() >> 40,
            "memory of different policies lies in different ranges"
        );
        free(long);
        free(malloc(3 * SEGMENT));
        assert_eq!(asked(), 2, "the free span serves the second long block");
        again.into_iter().for_each(free);
    });
    let requests = STRATEGY.requests.lock().expect("no panic");
    assert_eq!(*requests, [(7, SEGMENT), (7, 4 * SEGMENT)]);
}

/// The mappings of the arena that have a policy whose name begins so.
fn mappings(policy: &str) -> Vec<usize> {
    let Ok(all) = std::fs::read_to_string("/proc/self/numa_maps") else {
        return Vec::new();
    };
    let of_arena = |line: &str| {
        let (address, rest) = line.split_once(' ')?;
        let address = usize::from_str_radix(address, 16).ok()?;
        ((ARENA..ARENA + (1 << 44)).contains(&address) && rest.starts_with(policy)).then_some(address)
    };
    all.lines().filter_map(of_arena).collect()
}

#[test]
fn memory_of_one_policy_is_one_mapping_however_many_ranks_share_it() {
    static BOUND: Uniform = Uniform(MemoryPolicy::Bound(NodeSet::of(0)));
    static INTERLEAVED: Uniform = Uniform(MemoryPolicy::Interleaved(NodeSet::of(0)));
    let ranks: [&'static dyn MemoryPlacement; 3] = [&BOUND, &INTERLEAVED, &Local];
    // More than is made usable at once.
    for rank in 0..120 {
        let block = as_rank(rank, ranks[rank as usize % 3], || malloc(SEGMENT / 4).addr());
        // SAFETY:
        // - the block has not been freed.
        unsafe { (block as *mut u8).write(1) };
    }
    if std::fs::exists("/proc/self/numa_maps").is_ok_and(|exists| exists) {
        // The other tests have no such memory.
        assert_eq!(mappings("interleave:0").len(), 1);
    }
}

#[test]
fn there_may_be_more_policies_than_ranges() {
    for other in 1..30 {
        let nodes = NodeSet::new(&[0, other]).expect("small numbers");
        let policy: &'static Uniform = Box::leak(Box::new(Uniform(MemoryPolicy::Bound(nodes))));
        as_rank(0, policy, || {
            let block = malloc(1000);
            // SAFETY:
            // - the block has this size.
            unsafe { block.write_bytes(1, 1000) };
        });
    }
}

#[test]
fn a_pool_has_its_pages_before_they_are_touched() {
    let resident = |placement| {
        as_rank(0, placement, || {
            let block = malloc(SEGMENT / 4);
            let start = block.addr().next_multiple_of(4096);
            let mut pages = [0_u8; 64];
            // SAFETY:
            // - the block has these pages, and the result has room for them.
            let result = unsafe { libc::mincore(start as *mut c_void, 64 * 4096, pages.as_mut_ptr()) };
            assert_eq!(result, 0);
            pages.iter().filter(|page| **page & 1 != 0).count()
        })
    };
    assert_eq!((resident(&Local), resident(&Pooled)), (0, 64));
}

/// The system keeps advice and policies with mappings. Linux before 6.17 refuses to move a piece of several at once,
/// but not before it has unmapped the place where it was to go.
#[test]
fn a_long_block_that_lies_in_several_mappings_grows() {
    as_rank(0, &Local, || {
        let size = 8 * SEGMENT;
        let block = malloc(size);
        let behind = malloc(size);
        // SAFETY:
        // - the block has this size.
        let bytes = unsafe { std::slice::from_raw_parts_mut(block, size) };
        for (page, byte) in bytes.iter_mut().step_by(4096).enumerate() {
            *byte = page as u8;
        }
        let half = (block.addr() + size / 2).next_multiple_of(4096);
        // SAFETY:
        // - the advice changes nothing that memory holds.
        let advised = unsafe { libc::madvise(half as *mut c_void, size / 4, libc::MADV_NOHUGEPAGE) };
        assert_eq!(advised, 0);
        // SAFETY:
        // - the block is this test's.
        let longer: *mut u8 = unsafe { simurgh_heap::realloc(block.cast(), 3 * size).cast() };
        assert_ne!(longer, block);
        // SAFETY:
        // - the block has this size, and more.
        let bytes = unsafe { std::slice::from_raw_parts(longer, size) };
        for (page, byte) in bytes.iter().step_by(4096).enumerate() {
            assert_eq!(*byte, page as u8);
        }
        free(longer);
        free(behind);
    });
}

/// The number of the system's policy for the page at the address; none if the system has no policies.
fn policy_at(block: *const u8) -> Option<i32> {
    const OF_ADDRESS: i32 = 2;
    let mut mode = -1_i32;
    let nowhere = std::ptr::null_mut::<u64>();
    // SAFETY:
    // - the mode is a variable of this function; the nodes are not wanted.
    let result = unsafe {
        libc::syscall(
            libc::SYS_get_mempolicy,
            &raw mut mode,
            nowhere,
            0,
            block,
            OF_ADDRESS,
        )
    };
    (result == 0).then_some(mode)
}

#[test]
fn a_strategy_that_is_chosen_later_holds_for_what_is_allocated_then() {
    const BIND: i32 = 2;
    const INTERLEAVE: i32 = 3;
    static BOUND: Strategy = Strategy::new(&Uniform(MemoryPolicy::Bound(NodeSet::of(0))));
    static INTERLEAVED: Strategy = Strategy::new(&Uniform(MemoryPolicy::Interleaved(NodeSet::of(0))));
    static LOOSE: Strategy = Strategy::new(&simurgh_heap::FirstTouch);
    let other = heaps(1, &Local);
    let heaps: &'static RankHeaps = Box::leak(Box::new(heaps(0, &Local)));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            assert!(heaps.enter());
            let sizes = [200_000, 3 * SEGMENT];
            let kept = sizes.map(malloc);
            // The rank has free memory of both kinds, which has pages.
            for size in sizes {
                let block = malloc(size);
                // SAFETY:
                // - the block has this size, and is this test's.
                unsafe { block.write_bytes(1, size) };
                free(block);
            }
            for (strategy, expected) in [(&BOUND, BIND), (&INTERLEAVED, INTERLEAVE), (&LOOSE, 0)] {
                heaps.choose(strategy);
                assert!(std::ptr::eq(heaps.strategy().expect("it was chosen"), strategy));
                for size in sizes {
                    let block = malloc(size);
                    let policy = policy_at(block.wrapping_add(size / 2));
                    assert!(
                        policy.is_none_or(|policy| policy == expected),
                        "{size}: {policy:?}"
                    );
                    free(block);
                }
            }
            kept.into_iter().for_each(free);
            RankHeaps::leave();
        });
    });
    // Another rank has its own.
    let policy = common::as_rank(other, || policy_at(malloc(3 * SEGMENT)));
    assert!(policy.is_none_or(|policy| policy == 1), "{policy:?}");
}
